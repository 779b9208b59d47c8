// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import java.util.UUID;

import org.treehaul.schedulers.stage.SegmentKey;
import org.treehaul.schedulers.stage.SegmentPart;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.StageException;

/** Bytes of tests, in memory as segments need it. */
final class Bytes {

    private Bytes() {}

    static SegmentKey key(long file) {
        return new SegmentKey(new UUID(1, file), 1, 0);
    }

    static byte[] random(long seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    static MemorySegment memory(byte[] bytes) {
        return Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, bytes);
    }

    static void write(Segments to, SegmentKey key, long offset, byte[] bytes) throws StageException {
        to.write(key, List.of(new SegmentPart(offset, memory(bytes))));
    }

    static byte[] read(Segments from, SegmentKey key, long offset, int length) throws StageException {
        MemorySegment into = Arena.ofAuto().allocate(length);
        long read = from.read(key, List.of(new SegmentPart(offset, into)));
        return into.asSlice(0, read).toArray(ValueLayout.JAVA_BYTE);
    }
}
