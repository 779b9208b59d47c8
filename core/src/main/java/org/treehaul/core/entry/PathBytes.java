// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.entry;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Converts between bytes and paths of the default file system. A path keeps the bytes of its names, but its text does
 * not: bytes that are invalid in the encoding of the platform are replaced there. Its URI has all of them,
 * percent-encoded.
 */
final class PathBytes {

    private static final String SCHEME = "file://";
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private PathBytes() {}

    static ByteString of(Path path) {
        if (!path.getFileSystem().equals(FileSystems.getDefault())) {
            throw new IllegalArgumentException("not a path of the default file system: " + path.toUri());
        }
        byte[] whole = absolute(path);
        if (path.isAbsolute()) {
            return ByteString.of(whole);
        }
        if (path.toString().isEmpty()) {
            return ByteString.empty();
        }
        byte[] directory = absolute(Path.of(""));
        // Only the root directory ends with a slash.
        int start = directory.length == 1 ? 1 : directory.length + 1;
        return ByteString.of(Arrays.copyOfRange(whole, start, whole.length));
    }

    private static byte[] absolute(Path path) {
        String text = path.toUri().getRawPath();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
        for (int at = 0; at < text.length(); at++) {
            if (text.charAt(at) == '%') {
                bytes.write(HexFormat.fromHexDigits(text, at + 1, at + 3));
                at += 2;
            } else {
                bytes.write(text.charAt(at));
            }
        }
        byte[] whole = bytes.toByteArray();
        // The URI of an existing directory ends with a slash.
        return whole.length > 1 && whole[whole.length - 1] == '/' ? Arrays.copyOf(whole, whole.length - 1) : whole;
    }

    static Path toPath(byte[] bytes) {
        if (bytes.length == 0) {
            return Path.of("");
        }
        boolean isAbsolute = bytes[0] == '/';
        StringBuilder uri = new StringBuilder(SCHEME);
        if (!isAbsolute) {
            uri.append('/');
        }
        for (byte value : bytes) {
            if (value == 0) {
                throw new InvalidPathException(ByteString.escape(bytes), "a NUL");
            }
            if (value == '/') {
                uri.append('/');
            } else {
                uri.append('%').append(HEX.toHexDigits(value));
            }
        }
        Path path = Path.of(URI.create(uri.toString()));
        // Not relativize, which resolves "..".
        return isAbsolute ? path : path.subpath(0, path.getNameCount());
    }
}
