// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.schedulers.stage.SegmentPart;
import org.treehaul.schedulers.stage.SegmentRange;

/** Cuts the parts of an operation into requests, in their order. */
final class Cuts {

    /**
     * The bytes of data in a request. Each step between the network and the disk finds those of the step before in the
     * cache of its processor, which it would not with the largest request.
     */
    static final int BYTES = 256 * 1024;

    /**
     * The content of one request.
     *
     * @param ranges of the segment
     * @param memory for each range
     * @param bytes their sum
     */
    record Cut(List<SegmentRange> ranges, List<MemorySegment> memory, int bytes) {}

    private final List<SegmentPart> parts;
    private int next;
    private long done;
    private boolean isBegun;

    Cuts(List<SegmentPart> parts) {
        this.parts = parts;
    }

    /** Returns whether there is another; there is at least one, which is empty if all parts are. */
    boolean hasNext() {
        while (next < parts.size() && parts.get(next).bytes().byteSize() == done) {
            next++;
            done = 0;
        }
        return !isBegun || next < parts.size();
    }

    Cut next() {
        isBegun = true;
        List<SegmentRange> ranges = new ArrayList<>();
        List<MemorySegment> memory = new ArrayList<>();
        int bytes = 0;
        while (hasNext() && bytes < BYTES && ranges.size() < Wire.MOST_RANGES) {
            SegmentPart part = parts.get(next);
            long length = Math.min(part.bytes().byteSize() - done, BYTES - bytes);
            ranges.add(new SegmentRange(part.offset() + done, length));
            memory.add(part.bytes().asSlice(done, length));
            bytes += Math.toIntExact(length);
            done += length;
        }
        return new Cut(ranges, memory, bytes);
    }
}
