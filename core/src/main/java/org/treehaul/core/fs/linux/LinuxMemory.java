// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.linux;

import static org.treehaul.core.fs.linux.Downcalls.address;
import static org.treehaul.core.fs.linux.Downcalls.kept;

import java.lang.foreign.MemorySegment;

import org.treehaul.core.annotation.Internal;

/**
 * Compares memory by the C library, which does it as fast at the first call as at any later one. The JVM compares by a
 * loop that it interprets, eight bytes at a time, until it has compiled the methods around it. Safe for any number of
 * threads.
 */
@Internal
public final class LinuxMemory {

    private static final MemorySegment MEMCMP = Symbols.function("memcmp");

    private LinuxMemory() {}

    /**
     * Returns whether two native segments contain the same bytes, by memcmp(3).
     *
     * @throws IllegalArgumentException if their sizes differ, or one is in the Java heap
     * @throws IllegalStateException if an arena was closed
     */
    public static boolean isEqual(MemorySegment a, MemorySegment b) {
        if (a.byteSize() != b.byteSize()) {
            throw new IllegalArgumentException("sizes differ: " + a.byteSize() + " and " + b.byteSize());
        }
        long result = Downcalls.callRaw(MEMCMP, address(a), address(b), a.byteSize(), 0);
        // The C library returns an int, so the upper half of the register is undefined.
        return kept(kept((int) result, a), b) == 0;
    }
}
