// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;

/**
 * Writes to a descriptor, which it does not close. Safe for any number of threads. After its end it writes nothing: the
 * number of the descriptor may then be that of another file.
 */
final class DescriptorStream extends OutputStream {

    // Native memory for one call.
    private static final int PIECE = 64 * 1024;

    private final FileSystemCalls calls;
    private final int descriptor;
    private boolean hasEnded;

    DescriptorStream(FileSystemCalls calls, int descriptor) {
        this.calls = calls;
        this.descriptor = descriptor;
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[]{(byte) value}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        if (hasEnded) {
            throw new IOException("the task whose output this is has ended");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(Math.clamp(length, 1, PIECE));
            for (int done = 0; done < length;) {
                int piece = Math.min(length - done, PIECE);
                MemorySegment.copy(bytes, offset + done, buffer, ValueLayout.JAVA_BYTE, 0, piece);
                long written = calls.write(descriptor, buffer.asSlice(0, piece));
                if (written < 0) {
                    throw new SystemCallException("write the output", (int) -written);
                }
                done += (int) written;
            }
        }
    }

    /** Ends the writing, before the descriptor is closed. */
    synchronized void end() {
        hasEnded = true;
    }
}
