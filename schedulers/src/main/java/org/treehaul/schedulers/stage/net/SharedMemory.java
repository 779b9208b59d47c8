// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.lang.foreign.MemorySegment;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Memory of callers that threads of connections send from and receive into, while the caller waits. */
final class SharedMemory {

    // To copy less takes less time than to handle one more buffer.
    private static final int LEAST = 16 * 1024;
    private static final Thread OTHER = Thread.ofPlatform().unstarted(() -> {
    });

    private SharedMemory() {}

    /** Returns whether it is worthwhile that other threads use the memory itself, and they may. */
    static boolean isLarge(MemorySegment memory) {
        return memory.byteSize() >= LEAST && memory.isNative() && memory.isAccessibleBy(OTHER);
    }

    /** Returns the memory as a buffer that has all its bytes. */
    static ByteBuf buffer(MemorySegment memory) {
        return Unpooled.wrappedBuffer(memory.asByteBuffer());
    }
}
