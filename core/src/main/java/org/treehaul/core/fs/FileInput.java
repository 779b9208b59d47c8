// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.treehaul.core.entry.ByteString;

/** Reads a file whose name need not be text, which java.nio cannot do. Used by one thread. */
public final class FileInput extends InputStream {

    private final FileAccess access;
    private final int descriptor;

    private FileInput(FileAccess access, int descriptor) {
        this.access = access;
        this.descriptor = descriptor;
    }

    /**
     * Opens a file for reading, on the calling thread.
     *
     * @throws SystemCallException if it cannot be opened
     */
    public static InputStream open(FileSystemCalls calls, ByteString path) throws SystemCallException {
        FileAccess access = FileAccess.open(calls);
        try {
            return new FileInput(access, LongPath.open(access, path, LinuxConstants.O_RDONLY));
        } catch (SystemCallException e) {
            access.close();
            throw e;
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
