// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.linux;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.AT_STATX_FORCE_SYNC;
import static org.treehaul.core.fs.LinuxConstants.STATX_BASIC_STATS;
import static org.treehaul.core.fs.LinuxConstants.STATX_SIZE;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.Charset;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileSystemCalls;

/**
 * Asks the server of a network file system where the kernel may have an older answer in its cache: NFS, SMB and FUSE
 * cache attributes, names, and missing names for the time that is set by their mount options. It cannot bypass a cache
 * inside the FUSE program. Safe for any number of threads.
 */
@Internal
public final class ServerView {

    // The encoding in which java.nio writes the names of a path.
    private static final Charset NAMES = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    private ServerView() {}

    /**
     * Asks the server for the attributes of a file or directory. The kernel caches the answer, so that later reads of
     * its data, times or names show nothing older.
     *
     * @return the same path
     * @throws NoSuchFileException if the server has no such file
     * @throws IOException if the server does not answer
     */
    public static Path fresh(Path path) throws IOException {
        int result = askAgain(path.toAbsolutePath());
        if (isMissing(result)) {
            throw new NoSuchFileException(path.toString());
        }
        if (result < 0) {
            throw new FileSystemException(path.toString(), null, Errno.describe(-result));
        }
        return path;
    }

    /**
     * Returns whether the server has a file or directory.
     *
     * @throws IOException if the server does not answer
     */
    public static boolean exists(Path path) throws IOException {
        try {
            fresh(path);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** Returns the bytes by which java.nio names a file or directory in system calls. */
    public static byte[] bytes(Path path) {
        return path.toString().getBytes(NAMES);
    }

    // The kernel may have cached that a name is missing, and then does not ask the server again. NFS asks if the
    // directory has changed. FUSE and SMB ask for a call that would create the name: a call that links a directory
    // always fails, with EEXIST if the name exists. fs/namei.c: filename_create, vfs_link; fs/fuse/dir.c:
    // fuse_dentry_revalidate.
    private static int askAgain(Path path) {
        int result = ask(path);
        Path directory = path.getParent();
        if (!isMissing(result) || directory == null) {
            return result;
        }
        int above = askAgain(directory);
        if (above < 0) {
            return above;
        }
        try (Arena arena = Arena.ofConfined()) {
            Linux.calls().linkat(AT_FDCWD, name(arena, directory.resolve(".")), AT_FDCWD, name(arena, path), 0);
        }
        return ask(path);
    }

    private static int ask(Path path) {
        FileSystemCalls calls = Linux.calls();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = name(arena, path);
            MemorySegment status = arena.allocate(STATX_SIZE, 8);
            int result;
            do {
                result = calls.statx(AT_FDCWD, name, AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, status);
            } while (result == -Errno.EINTR);
            return result;
        }
    }

    private static MemorySegment name(Arena arena, Path path) {
        byte[] bytes = bytes(path);
        MemorySegment name = arena.allocate(bytes.length + 1L);
        name.asByteBuffer().put(bytes);
        return name;
    }

    // The old handle of a file that was replaced is stale.
    private static boolean isMissing(int result) {
        return result == -Errno.ENOENT || result == -Errno.ESTALE || result == -Errno.ENOTDIR;
    }
}
