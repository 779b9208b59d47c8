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
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;

/** Opens and writes files whose names need not be text, which java.nio cannot do. */
public final class ByteFiles extends InputStream {

    private final FileAccess access;
    private final int descriptor;

    private ByteFiles(FileAccess access, int descriptor) {
        this.access = access;
        this.descriptor = descriptor;
    }

    /** Opens a file for reading, on the calling thread. */
    public static InputStream open(ByteString path) throws IOException {
        FileSystemCalls calls = Linux.calls();
        FileAccess access = FileAccess.open(calls);
        try (LongPath longPath = LongPath.of(access, path)) {
            int descriptor = access.open(longPath.base(), access.name(longPath.rest()), LinuxConstants.O_RDONLY, 0);
            return new ByteFiles(access, descriptor);
        } catch (SystemCallException e) {
            access.close();
            throw e;
        }
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

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        MemorySegment buffer = access.buffer().asSlice(0, Math.min(length, access.buffer().byteSize()));
        long count = access.readFully(descriptor, buffer);
        if (count == 0) {
            return -1;
        }
        MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, 0, into, offset, (int) count);
        return (int) count;
    }

    @Override
    public void close() {
        access.closeQuietly(descriptor);
        access.close();
    }
}
