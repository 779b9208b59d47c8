// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.common;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileInput;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;

/** Opens and writes files whose names need not be text, which java.nio cannot do. */
public final class ByteFiles {

    private ByteFiles() {}

    /** Opens a file for reading, on the calling thread. */
    public static InputStream open(ByteString path) throws IOException {
        return FileInput.open(Linux.calls(), path);
    }

    /** Writes a new file, or replaces the content of an existing one; if this fails, the file may be incomplete. */
    public static void write(ByteString path, byte[] content) throws IOException {
        try (FileAccess access = FileAccess.open(Linux.calls());
                LongPath longPath = LongPath.of(access, path);
                Arena arena = Arena.ofConfined()) {
            int flags = LinuxConstants.O_WRONLY | LinuxConstants.O_CREAT | LinuxConstants.O_TRUNC;
            int descriptor = access.open(longPath.base(), access.name(longPath.rest()), flags, 0666);
            try {
                access.writeFully(descriptor, arena.allocateFrom(ValueLayout.JAVA_BYTE, content));
            } catch (SystemCallException e) {
                access.closeQuietly(descriptor);
                throw e;
            }
            access.close(descriptor);
        }
    }

    /**
     * Opens a file for writing, to be continued or truncated; creates it if it does not exist. Any thread may write.
     */
    public static OutputStream create(ByteString path, boolean isContinued) throws IOException {
        try (FileAccess access = FileAccess.open(Linux.calls()); LongPath longPath = LongPath.of(access, path)) {
            int flags = LinuxConstants.O_WRONLY | LinuxConstants.O_CREAT | (isContinued ? 0 : LinuxConstants.O_TRUNC);
            int descriptor = access.open(longPath.base(), access.name(longPath.rest()), flags, 0666);
            try {
                // Java's own stream, independent of the bytes in the name.
                return new FileOutputStream("/proc/self/fd/" + descriptor, isContinued);
            } finally {
                access.closeQuietly(descriptor);
            }
        }
    }

    /** Creates a directory unless it exists, possibly as a symbolic link to a directory. */
    static void makeDirectory(ByteString path) throws IOException {
        try (FileAccess access = FileAccess.open(Linux.calls()); LongPath longPath = LongPath.of(access, path)) {
            MemorySegment name = access.name(longPath.rest());
            int result = access.calls().mkdirat(longPath.base(), name, 0777);
            if (result < 0 && result != -Errno.EEXIST) {
                throw new SystemCallException("mkdir", -result);
            }
        }
    }

    /** Removes a file. */
    static void remove(ByteString path) throws IOException {
        try (FileAccess access = FileAccess.open(Linux.calls()); LongPath longPath = LongPath.of(access, path)) {
            int result = access.calls().unlinkat(longPath.base(), access.name(longPath.rest()), 0);
            if (result < 0) {
                throw new SystemCallException("unlink", -result);
            }
        }
    }
}
