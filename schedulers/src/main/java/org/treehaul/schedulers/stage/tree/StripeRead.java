// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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

    // Those of 512 MiB with stripes of 1 MiB, in 4 KiB.
    private static final int SUMS_AHEAD = 512;

    /** Checksums that were read together, of which the first is that of a stripe with this number. */
    private static final class Ahead {
        private final long first;
        private final long[] sums;

        Ahead(long first, long[] sums) {
            this.first = first;
            this.sums = sums;
        }

        boolean has(long number) {
            return number >= first && number - first < sums.length;
        }
    }

    private final Stage stage;
    private final StagedFile file;
    private final StripeLayout layout;
    // Threads that need the same ones may read them more than once: none waits for a server that another one asks.
    private final Map<CopyScan.Copy, Ahead> ahead = new ConcurrentHashMap<>();

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
                        (bytes, at, isAgain) -> sink.bytes(bytes, at, isAgain || !failures.isEmpty()));
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
     * Reads the stripe that begins at an offset from one copy; otherwise as {@link #read}. Checksums are read together,
     * long before the bytes of most stripes, so that a stripe that differs is compared with its checksum of now.
     *
     * @throws StageException if the server cannot be reached, or does not have the segment
     */
    Stripe copy(String server, long offset, long size, MemorySegment buffer, Sink sink) throws IOException {
        int segment = layout.segmentOf(offset);
        long number = layout.offsetInSegment(offset) / layout.stripe();
        SegmentKey key = file.key(segment);
        SegmentRange rest = new SegmentRange(offset, size - offset);
        try {
            Segments segments = stage.segments(server);
            long sum = sum(segments, server, key, number);
            for (Sink to = sink;; to = (bytes, at, isAgain) -> sink.bytes(bytes, at, true)) {
                try {
                    return copy(segments, server, key, sum, rest, buffer, to);
                } catch (DamagedException e) {
                    // It is damaged if no program has written to it since its checksum was read.
                    long[] now = new long[1];
                    segments.readSums(key, number, now);
                    if (now[0] == sum) {
                        throw e;
                    }
                    sum = now[0];
                }
            }
        } catch (StageException e) {
            throw e.of(stage.catalogue().display(file.path()));
        }
    }

    private long sum(Segments segments, String server, SegmentKey key, long number) throws StageException {
        CopyScan.Copy copy = new CopyScan.Copy(key.index(), server);
        Ahead known = ahead.get(copy);
        if (known == null || !known.has(number)) {
            long first = number - number % SUMS_AHEAD;
            long end = Math.ceilDiv(layout.segmentSize(key.index(), file.size()), layout.stripe());
            // A file that has become longer has stripes behind the end.
            known = new Ahead(first, new long[(int) Math.clamp(end - first, number - first + 1, SUMS_AHEAD)]);
            segments.readSums(key, first, known.sums);
            ahead.put(copy, known);
        }
        return known.sums[(int) (number - known.first)];
    }

    private Stripe copy(Segments segments, String server, SegmentKey key, long sum, SegmentRange rest,
            MemorySegment buffer, Sink sink) throws IOException {
        long offset = rest.offset();
        long from = layout.offsetInSegment(offset);
        long number = from / layout.stripe();
        long length = Math.min(layout.stripe(), rest.length());
        int covered = StripeSum.length(sum);
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
        if (StripeSum.of(covered, crc.getValue()) != sum) {
            throw damaged(key.index(), number, server, "the checksum differs");
        }
        return new Stripe(Math.min(covered, length), covered == length ? crc.getValue() : whole.getValue(), sum);
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
