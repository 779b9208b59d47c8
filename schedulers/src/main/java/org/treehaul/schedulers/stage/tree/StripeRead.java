// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

import org.treehaul.schedulers.stage.SegmentKey;
import org.treehaul.schedulers.stage.SegmentPart;
import org.treehaul.schedulers.stage.SegmentRange;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.StripeLayout;
import org.treehaul.schedulers.stage.StripeSum;

/** Reads a stripe of a file in portions, and compares it with its checksum. */
final class StripeRead {

    /** Receives the bytes of a file at an offset. */
    interface Sink {

        /**
         * Receives bytes.
         *
         * @param isAgain whether other bytes were passed for this stripe before, of a copy that failed
         */
        void bytes(MemorySegment bytes, long offset, boolean isAgain) throws IOException;
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

    /**
     * A stripe that one copy has.
     *
     * @param checked the number of bytes that have a checksum
     * @param crc the CRC-32C of all its bytes
     * @param sum its checksum, as {@link StripeSum}; 0 if it has none
     */
    record Stripe(long checked, long crc, long sum) {}

    private final Stage stage;
    private final StagedFile file;
    private final StripeLayout layout;

    /**
     * Reads stripes of a file.
     *
     * @param file the file as it was opened
     */
    StripeRead(Stage stage, StagedFile file) {
        this.stage = stage;
        this.file = file;
        this.layout = file.layout();
    }

    /**
     * Reads the stripe that begins at an offset: the first copy that is not stale, can be read, and matches its
     * checksum.
     *
     * @param size the size of the file
     * @param buffer receives one portion after another
     * @param others receives the failures of copies if another one could be read
     * @return the number of bytes that have a checksum
     * @throws DamagedException if no copy matches it, or all end before; the sink has received the bytes
     */
    long read(long offset, long size, MemorySegment buffer, Sink sink, Consumer<? super IOException> others)
            throws IOException {
        List<IOException> failures = new ArrayList<>();
        for (String server : file.good(layout.segmentOf(offset))) {
            try {
                Stripe stripe = copy(server, offset, size, buffer,
                        (bytes, at, isAgain) -> sink.bytes(bytes, at, !failures.isEmpty()));
                failures.forEach(others);
                return stripe.checked();
            } catch (DamagedException | StageException e) {
                failures.add(e);
            }
        }
        if (failures.isEmpty()) {
            throw damaged(layout.segmentOf(offset), layout.offsetInSegment(offset) / layout.stripe(), file.servers(),
                    "no copy is complete");
        }
        IOException first = failures.getFirst();
        failures.stream().skip(1).forEach(first::addSuppressed);
        throw first;
    }

    /**
     * Reads the stripe that begins at an offset from one copy; otherwise as {@link #read}.
     *
     * @throws StageException if the server cannot be reached, or does not have the segment
     */
    Stripe copy(String server, long offset, long size, MemorySegment buffer, Sink sink) throws IOException {
        int segment = layout.segmentOf(offset);
        long from = layout.offsetInSegment(offset);
        SegmentKey key = file.key(segment);
        try {
            return copy(stage.segments(server), server, key, from, new SegmentRange(offset, size - offset), buffer,
                    sink);
        } catch (StageException e) {
            throw e.of(stage.catalogue().display(file.path()));
        }
    }

    private Stripe copy(Segments segments, String server, SegmentKey key, long from, SegmentRange rest,
            MemorySegment buffer, Sink sink) throws IOException {
        long number = from / layout.stripe();
        long offset = rest.offset();
        long[] sum = new long[1];
        segments.readSums(key, number, sum);
        long length = Math.min(layout.stripe(), rest.length());
        int covered = StripeSum.length(sum[0]);
        if (covered > layout.stripe()) {
            throw damaged(key.index(), number, server, "its checksum has " + covered + " bytes");
        }
        // A program that has not closed the file may have written more of the stripe.
        long end = Math.max(length, covered);
        CRC32C crc = new CRC32C();
        CRC32C whole = new CRC32C();
        long done = 0;
        while (done < end) {
            MemorySegment part = buffer.asSlice(0, Math.min(buffer.byteSize(), end - done));
            long count = segments.read(key, List.of(new SegmentPart(from + done, part)));
            if (count < part.byteSize()) {
                throw damaged(key.index(), number, server, "the data end at byte " + (offset + done + count));
            }
            ByteBuffer bytes = part.asByteBuffer();
            if (done < covered) {
                crc.update(bytes.slice(0, (int) Math.min(count, covered - done)));
            }
            if (done < length) {
                if (covered != length) {
                    whole.update(bytes.slice(0, (int) Math.min(count, length - done)));
                }
                sink.bytes(buffer.asSlice(0, Math.min(count, length - done)), offset + done, false);
            }
            done += count;
        }
        if (StripeSum.of(covered, crc.getValue()) != sum[0]) {
            throw damaged(key.index(), number, server, "the checksum differs");
        }
        return new Stripe(Math.min(covered, length), covered == length ? crc.getValue() : whole.getValue(), sum[0]);
    }

    /**
     * Chooses the copy of a stripe that the others are to equal: of those with most bytes that have a checksum, the
     * first. A copy without it has lost it if another one has it.
     *
     * @param whole the stripe of each server, one or more, in the order of the copies
     */
    static String best(Map<String, Stripe> whole) {
        return whole.entrySet()
                .stream()
                .reduce((one, other) -> other.getValue().checked() > one.getValue().checked() ? other : one)
                .orElseThrow()
                .getKey();
    }

    private static DamagedException damaged(int segment, long number, String server, String problem) {
        return new DamagedException(
                "stripe " + number + " of segment " + segment + " on server " + server + ": " + problem);
    }
}
