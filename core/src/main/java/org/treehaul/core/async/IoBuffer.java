// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

import org.treehaul.core.annotation.Internal;

/**
 * Memory for data outside the heap, which the kernel reads and fills. The garbage collector frees it when nothing
 * refers to it any more; an operation refers to its buffer until the kernel has finished with it, even if the future
 * was cancelled or the thread that began it has ended.
 *
 * <p>
 * Any number of threads may use a buffer, but not a part that an operation reads or writes at the time.
 */
public final class IoBuffer {

    /** The memory begins at a multiple of this number of bytes, which suits direct I/O of all usual disks. */
    public static final int ALIGNMENT = 4096;

    private final MemorySegment segment;

    private IoBuffer(MemorySegment segment) {
        this.segment = segment;
    }

    /**
     * Returns a new buffer, filled with zeros.
     *
     * @param bytes its size, more than 0
     * @throws OutOfMemoryError if the limit on such memory (-XX:MaxDirectMemorySize) is reached
     */
    public static IoBuffer allocate(int bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("at least one byte: " + bytes);
        }
        return new IoBuffer(Arena.ofAuto().allocate(bytes, ALIGNMENT));
    }

    /** Returns a new buffer with a copy of these bytes, at least one. */
    public static IoBuffer of(byte[] data) {
        IoBuffer buffer = allocate(data.length);
        MemorySegment.copy(data, 0, buffer.segment, JAVA_BYTE, 0, data.length);
        return buffer;
    }

    /**
     * Returns a buffer that has the memory of a direct buffer, from its position to its limit. Only the garbage
     * collector may free that memory, as it frees that of {@link ByteBuffer#allocateDirect}: not an arena that is
     * closed.
     */
    @Internal
    public static IoBuffer over(ByteBuffer direct) {
        if (!direct.isDirect() || !direct.hasRemaining()) {
            throw new IllegalArgumentException("not a direct buffer with room: " + direct);
        }
        return new IoBuffer(MemorySegment.ofBuffer(direct));
    }

    /** Returns the size in bytes. */
    public int size() {
        return (int) segment.byteSize();
    }

    /** Returns the memory. */
    public MemorySegment segment() {
        return segment;
    }

    /**
     * Returns a part, which shares the memory.
     *
     * @param length its size in bytes, more than 0
     */
    public IoBuffer slice(int from, int length) {
        if (length < 1) {
            throw new IllegalArgumentException("at least one byte: " + length);
        }
        return new IoBuffer(segment.asSlice(from, length));
    }

    /** Returns a copy of the first bytes. */
    public byte[] toBytes(int length) {
        return segment.asSlice(0, length).toArray(JAVA_BYTE);
    }
}
