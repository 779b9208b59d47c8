// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.condition.BytePattern;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;

/** Converts the paths that users give to absolute paths. */
@Internal
public final class AbsolutePath {

    private AbsolutePath() {}

    /**
     * Returns the absolute path, without {@code .} components, repeated slashes or a trailing slash. Symbolic links
     * stay as given, unless the path contains {@code ..}: only the file system knows where that leads, so all links are
     * then resolved.
     *
     * @throws SystemCallException when the path is empty, the working directory has no path, or a path with {@code ..}
     *         does not exist
     */
    public static ByteString of(FileSystemCalls calls, ByteString path) throws SystemCallException {
        if (path.length() == 0) {
            // As the kernel says: a variable of a script that is not set is not meant to be the working directory.
            throw new SystemCallException("stat", Errno.ENOENT);
        }
        try (FileAccess access = FileAccess.open(calls)) {
            byte[] given = path.toBytes();
            if (hasUpwards(given)) {
                return resolve(access, path);
            }
            ByteArrayOutputStream whole = new ByteArrayOutputStream();
            if (given[0] != '/') {
                whole.writeBytes(access.linkTarget(LinuxConstants.AT_FDCWD, name(access, "/proc/self/cwd")).toBytes());
            }
            whole.write('/');
            whole.writeBytes(given);
            return clean(whole.toByteArray());
        }
    }

    /** Returns whether an absolute path is below another one. */
    public static boolean isBelow(ByteString inner, ByteString outer) {
        return !inner.equals(outer)
                && BytePattern.prefix(FileTuple.join(outer, ByteString.empty())).matches(inner.toBytes());
    }

    /**
     * Returns bytes by which paths are sorted so that the content of a directory follows it directly: no name contains
     * a NUL, and it sorts before all other bytes.
     */
    public static byte[] key(ByteString path) {
        byte[] bytes = path.length() == 1 ? new byte[0] : path.toBytes();
        replace(bytes, (byte) '/', (byte) 0);
        return bytes;
    }

    /** Returns the path whose key this is. */
    public static ByteString ofKey(byte[] key) {
        return ByteString.of(separated(key.length == 0 ? new byte[1] : key));
    }

    /** Returns a copy of a part of a key with slashes. */
    static byte[] separated(byte[] key) {
        byte[] bytes = key.clone();
        replace(bytes, (byte) 0, (byte) '/');
        return bytes;
    }

    private static void replace(byte[] bytes, byte old, byte next) {
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = bytes[i] == old ? next : bytes[i];
        }
    }

    private static java.lang.foreign.MemorySegment name(FileAccess access, String name) throws SystemCallException {
        return access.name(name.getBytes(StandardCharsets.US_ASCII));
    }

    private static ByteString resolve(FileAccess access, ByteString path) throws SystemCallException {
        int descriptor = LongPath.open(access, path, LinuxConstants.O_PATH);
        try {
            return access.linkTarget(LinuxConstants.AT_FDCWD, name(access, "/proc/self/fd/" + descriptor));
        } finally {
            access.closeQuietly(descriptor);
        }
    }

    private static boolean hasUpwards(byte[] path) {
        for (int i = 0; i + 1 < path.length; i++) {
            if (path[i] == '.' && path[i + 1] == '.' && (i == 0 || path[i - 1] == '/')
                    && (i + 2 == path.length || path[i + 2] == '/')) {
                return true;
            }
        }
        return false;
    }

    private static ByteString clean(byte[] path) {
        ByteArrayOutputStream cleaned = new ByteArrayOutputStream();
        int start = 0;
        for (int i = 0; i <= path.length; i++) {
            if (i == path.length || path[i] == '/') {
                if (i > start && !(i == start + 1 && path[start] == '.')) {
                    cleaned.write('/');
                    cleaned.write(path, start, i - start);
                }
                start = i + 1;
            }
        }
        return cleaned.size() == 0 ? ByteString.of("/") : ByteString.of(cleaned.toByteArray());
    }
}
