// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Cuts a request of a caller whose buffer only Java can reach into portions that fit a direct buffer. */
final class Portions {

    /** Moves ranges of a file from or to native memory. */
    interface Work {
        void run(List<SegmentRange> ranges, MemorySegment memory) throws StageException;
    }

    private Portions() {}

    /** Does work on all ranges; the position of the buffer moves to its limit. */
    static void of(Stage stage, List<SegmentRange> ranges, ByteBuffer buffer, boolean isWrite, Work work)
            throws StageException {
        if (buffer.isDirect()) {
            work.run(ranges, MemorySegment.ofBuffer(buffer));
            buffer.position(buffer.limit());
            return;
        }
        ByteBuffer direct = stage.buffer();
        try {
            List<SegmentRange> portion = new ArrayList<>();
            int room = Stage.BUFFER_BYTES;
            for (SegmentRange range : ranges) {
                long at = range.offset();
                while (at < range.end()) {
                    int length = (int) Math.min(room, range.end() - at);
                    portion.add(new SegmentRange(at, length));
                    at += length;
                    room -= length;
                    if (room == 0) {
                        move(portion, buffer, direct, isWrite, work);
                        portion.clear();
                        room = Stage.BUFFER_BYTES;
                    }
                }
            }
            move(portion, buffer, direct, isWrite, work);
        } finally {
            stage.giveBack(direct);
        }
    }

    private static void move(List<SegmentRange> portion, ByteBuffer buffer, ByteBuffer direct, boolean isWrite,
            Work work) throws StageException {
        int length = (int) portion.stream().mapToLong(SegmentRange::length).sum();
        if (length == 0) {
            return;
        }
        ByteBuffer part = buffer.slice(buffer.position(), length);
        direct.clear().limit(length);
        if (isWrite) {
            direct.put(part).flip();
        }
        work.run(List.copyOf(portion), MemorySegment.ofBuffer(direct));
        if (!isWrite) {
            part.put(direct);
        }
        buffer.position(buffer.position() + length);
    }
}
