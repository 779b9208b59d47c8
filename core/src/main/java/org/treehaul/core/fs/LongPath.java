// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;

import java.util.Arrays;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;

/**
 * A path of any length, in a form for calls that accept at most PATH_MAX bytes: the first pieces of a longer path are
 * opened one after the other, and the rest is a name relative to the last of them. Symbolic links on the way are
 * followed, as by the kernel: this is for paths that the user gives, not for entries below a root.
 *
 * <p>
 * Not safe for several threads. Closing it closes the base.
 */
public final class LongPath implements AutoCloseable {

    private static final int PIECE = 4000;
    private static final byte[] HERE = {'.'};
    private static final byte[] UP = {'.', '.'};

    private final FileSystemCalls calls;
    private final int base;
    private final byte[] rest;

    private LongPath(FileSystemCalls calls, int base, byte[] rest) {
        this.calls = calls;
        this.base = base;
        this.rest = rest;
    }

    /** Opens as many pieces of the path as needed to make the rest short. */
    public static LongPath of(FileAccess access, ByteString path) throws SystemCallException {
        byte[] rest = path.toBytes();
        for (byte value : rest) {
            if (value == 0) {
                // The kernel would end the path there: that is the path of another file.
                throw new SystemCallException("open", Errno.EINVAL);
            }
        }
        int base = AT_FDCWD;
        try {
            while (rest.length > PIECE) {
                int cut = lastSlash(rest, PIECE);
                int next = access.open(base, access.name(Arrays.copyOf(rest, cut)), O_PATH | O_DIRECTORY, 0);
                closeBase(access.calls(), base);
                base = next;
                int start = cut;
                while (start < rest.length - 1 && rest[start] == '/') {
                    start++;
                }
                // Nothing but slashes: alone they would be the path of the top directory.
                rest = rest[start] == '/' ? HERE : Arrays.copyOfRange(rest, start, rest.length);
            }
        } catch (SystemCallException e) {
            closeBase(access.calls(), base);
            throw e;
        }
        return new LongPath(access.calls(), base, rest);
    }

    /**
     * Opens a path of any length and returns the descriptor. Overwrites {@link FileAccess#name}.
     *
     * @param flags the flags of open(2), without O_CREAT
     */
    public static int open(FileAccess access, ByteString path, int flags) throws SystemCallException {
        try (LongPath whole = of(access, path)) {
            return access.open(whole.base, access.name(whole.rest), flags, 0);
        }
    }

    /**
     * Returns the status of a path of any length. Overwrites {@link FileAccess#name}.
     *
     * @param follow whether the status of a symbolic link is that of its target
     */
    public static FileStatus status(FileAccess access, ByteString path, boolean follow) throws SystemCallException {
        try (LongPath whole = of(access, path)) {
            return access.status(whole.base, access.name(whole.rest), follow);
        }
    }

    /**
     * Returns the status of a path of any length, or null if it does not exist. Overwrites {@link FileAccess#rootName}.
     *
     * @param follow whether the status of a symbolic link is that of its target
     */
    public static @Nullable FileStatus find(FileAccess access, ByteString path, boolean follow)
            throws SystemCallException {
        try (LongPath whole = of(access, path)) {
            return access.find(whole.base, access.rootName(whole.rest), follow);
        } catch (SystemCallException e) {
            if (e.errno() == Errno.ENOENT) {
                return null;
            }
            throw e;
        }
    }

    /**
     * Reads the status of a directory and of all its parents up to {@code /}. It goes up through descriptors, so
     * neither symbolic links nor mounts nor dots in the path can hide one. Overwrites {@link FileAccess#name}.
     *
     * @param found receives the status of each, the directory first; also before this throws
     */
    public static void withParents(FileAccess access, ByteString directory, Consumer<FileStatus> found)
            throws SystemCallException {
        int descriptor = open(access, directory, O_PATH | O_DIRECTORY);
        try {
            FileStatus below = null;
            FileStatus status = access.status(descriptor);
            while (below == null || !below.isSameFile(status)) {
                found.accept(status);
                int parent = access.open(descriptor, access.name(UP), O_PATH | O_DIRECTORY, 0);
                access.closeQuietly(descriptor);
                descriptor = parent;
                below = status;
                status = access.status(descriptor);
            }
        } finally {
            access.closeQuietly(descriptor);
        }
    }

    private static int lastSlash(byte[] path, int limit) throws SystemCallException {
        for (int i = limit; i > 0; i--) {
            if (path[i] == '/') {
                return i;
            }
        }
        throw new SystemCallException("open", Errno.ENAMETOOLONG);
    }

    /** Returns the descriptor to which {@link #rest} is relative; AT_FDCWD for a short path. */
    public int base() {
        return base;
    }

    /** Returns the rest of the path, shorter than PATH_MAX. */
    public byte[] rest() {
        return rest.clone();
    }

    @Override
    public void close() {
        closeBase(calls, base);
    }

    private static void closeBase(FileSystemCalls calls, int base) {
        if (base != AT_FDCWD) {
            calls.close(base);
        }
    }
}
