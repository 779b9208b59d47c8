// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.StripeLayout;
import org.treehaul.schedulers.stage.StripeSum;

/** Reads a stripe of a file in portions, and compares it with its checksum. */
final class StripeRead {

    /** Receives the bytes of a file at an offset. */
    interface Sink {
        void bytes(MemorySegment bytes, long offset) throws IOException;
    }

    /** A stripe does not have the checksum that it had when it was written, or is not there. */
    static final class DamagedException extends IOException {

        private static final long serialVersionUID = 1L;

        private final String problem;

        DamagedException(String problem) {
            super(problem);
            this.problem = problem;
        }

        String problem() {
            return problem;
        }
    }

    private StripeRead() {}

    /**
     * Reads the stripe that begins at an offset.
     *
     * @param size the size of the file
     * @param buffer receives one portion after another
     * @return the number of bytes that have a checksum
     * @throws DamagedException if they do not match it, or the file ends before; the sink has received the bytes
     */
    static long read(ParallelFile file, long offset, long size, MemorySegment buffer, Sink sink) throws IOException {
        StripeLayout layout = file.layout();
        int segment = layout.segmentOf(offset);
        long number = layout.offsetInSegment(offset) / layout.stripe();
        long[] sum = new long[1];
        file.readSums(segment, number, sum);
        long length = Math.min(layout.stripe(), size - offset);
        int covered = StripeSum.length(sum[0]);
        if (covered > layout.stripe()) {
            throw damaged(layout, segment, number, "its checksum has " + covered + " bytes");
        }
        // A program that has not closed the file may have written more of the stripe.
        long end = Math.max(length, covered);
        CRC32C crc = new CRC32C();
        long done = 0;
        while (done < end) {
            ByteBuffer part = buffer.asSlice(0, Math.min(buffer.byteSize(), end - done)).asByteBuffer();
            int count = file.read(part, offset + done);
            if (count < part.limit()) {
                throw damaged(layout, segment, number, "the data end at byte " + (offset + done + Math.max(0, count)));
            }
            if (done < covered) {
                crc.update(part.flip().slice(0, (int) Math.min(count, covered - done)));
            }
            if (done < length) {
                sink.bytes(buffer.asSlice(0, Math.min(count, length - done)), offset + done);
            }
            done += count;
        }
        if (StripeSum.of(covered, crc.getValue()) != sum[0]) {
            throw damaged(layout, segment, number, "the checksum differs");
        }
        return Math.min(covered, length);
    }

    private static DamagedException damaged(StripeLayout layout, int segment, long number, String problem) {
        return new DamagedException("stripe " + number + " of segment " + segment + " on server "
                + layout.serverOf(segment) + ": " + problem);
    }
}
