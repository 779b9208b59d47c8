// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.manifest;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;

/**
 * A line of a manifest, as GNU {@code sha256sum} writes it: the hash in hexadecimal digits, two blanks, and the path. A
 * line whose path contains a backslash, newline or carriage return begins with a backslash, and has these as two
 * characters (coreutils 9.1, digest.c).
 *
 * @param hash the hash, in the order of its digits
 * @param path the path below the root
 */
record ManifestLine(ByteString hash, TreePath path) {

    private static final int SHORTEST_HASH = 16;

    /** Returns the line, with its newline. */
    byte[] toBytes() {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        byte[] name = path.toBytes();
        if (needsEscape(name)) {
            line.write('\\');
        }
        line.writeBytes(HexFormat.of().formatHex(hash.toBytes()).getBytes(StandardCharsets.US_ASCII));
        line.write(' ');
        line.write(' ');
        if (name.length == 1 && name[0] == '-') {
            // sha256sum -c and xxhsum -c would read standard input.
            line.write('.');
            line.write('/');
        }
        for (byte b : name) {
            switch (b) {
                case '\\' -> line.writeBytes(new byte[]{'\\', '\\'});
                case '\n' -> line.writeBytes(new byte[]{'\\', 'n'});
                case '\r' -> line.writeBytes(new byte[]{'\\', 'r'});
                default -> line.write(b);
            }
        }
        line.write('\n');
        return line.toByteArray();
    }

    private static boolean needsEscape(byte[] name) {
        for (byte b : name) {
            if (b == '\\' || b == '\n' || b == '\r') {
                return true;
            }
        }
        return false;
    }

    /** Returns a line without the carriage return that Windows writes at its end; that of a name is escaped. */
    static byte[] withoutReturn(byte[] line) {
        int last = line.length - 1;
        return last >= 0 && line[last] == '\r' ? Arrays.copyOf(line, last) : line;
    }

    /** Returns whether a line contains nothing: it is empty, or a comment. */
    static boolean isBlank(byte[] line) {
        return line.length == 0 || line[0] == '#';
    }

    /**
     * Parses a line without its newline.
     *
     * @throws IllegalArgumentException if the bytes are not such a line; the message gives the reason
     */
    static ManifestLine parse(byte[] line) {
        int start = line.length > 0 && line[0] == '\\' ? 1 : 0;
        int end = start;
        while (end < line.length && Character.digit(line[end], 16) >= 0) {
            end++;
        }
        boolean isSeparated = end + 2 < line.length && line[end] == ' '
                && (line[end + 1] == ' ' || line[end + 1] == '*');
        if ((end - start) % 2 != 0 || end - start < 2 * SHORTEST_HASH || !isSeparated) {
            throw new IllegalArgumentException("not a checksum and a path");
        }
        byte[] hash = HexFormat.of().parseHex(new String(line, start, end - start, StandardCharsets.US_ASCII));
        byte[] name = Arrays.copyOfRange(line, end + 2, line.length);
        return new ManifestLine(ByteString.of(hash), path(start == 1 ? unescape(name) : name));
    }

    private static byte[] unescape(byte[] name) {
        ByteArrayOutputStream plain = new ByteArrayOutputStream();
        boolean isEscaped = false;
        for (byte value : name) {
            if (!isEscaped && value == '\\') {
                isEscaped = true;
                continue;
            }
            plain.write(isEscaped ? unescape(value) : value);
            isEscaped = false;
        }
        if (isEscaped) {
            throw new IllegalArgumentException("a backslash at the end of the path");
        }
        return plain.toByteArray();
    }

    private static byte unescape(byte value) {
        return switch (value) {
            case '\\' -> '\\';
            case 'n' -> '\n';
            case 'r' -> '\r';
            default -> throw new IllegalArgumentException("an unknown escape in the path");
        };
    }

    // A leading "./", as find prints it, is ignored.
    private static TreePath path(byte[] name) {
        if (name[0] == '/') {
            throw new IllegalArgumentException("an absolute path; paths are relative to the tree");
        }
        TreePath path = TreePath.root();
        int start = 0;
        for (int i = 0; i <= name.length; i++) {
            if (i == name.length || name[i] == '/') {
                path = child(path, Arrays.copyOfRange(name, start, i));
                start = i + 1;
            }
        }
        if (path.isRoot()) {
            throw new IllegalArgumentException("the path of the tree itself");
        }
        return path;
    }

    private static TreePath child(TreePath parent, byte[] name) {
        if (name.length == 0 || name.length == 1 && name[0] == '.') {
            return parent;
        }
        if (name.length == 2 && name[0] == '.' && name[1] == '.') {
            throw new IllegalArgumentException("a path that leads outside the tree by '..'");
        }
        return parent.child(name);
    }
}
