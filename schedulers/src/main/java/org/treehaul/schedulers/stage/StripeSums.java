// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/**
 * The checksums of the stripes of one segment that a client writes. A stripe has a checksum if one client wrote it from
 * its beginning on; before a part of it changes, the server forgets the checksum, so that a client that dies leaves
 * none that is wrong. New checksums are sent in portions.
 * <p>
 * Thread-safe.
 */
final class StripeSums {

    // 64 KB of checksums, and 16 GiB of data with stripes of 1 MiB.
    private static final int MOST_PENDING = 8192;
    // As many threads may write stripes of one segment.
    private static final int MOST_RUNNING = 256;
    // Checksums in one request.
    private static final int PORTION = 8192;

    private final long stripe;
    // The server has no checksum of these stripes.
    private final TreeMap<Long, Long> pending = new TreeMap<>();
    // The first stripe for which the server may have no checksum: none for a new segment.
    private long unsetFrom;
    // By the number of the stripe; the one that was begun first is given up if there are too many.
    private final Map<Long, Running> running = new LinkedHashMap<>();

    /** A stripe that a client writes one part after another, as far as it has come. */
    private static final class Running {
        private final CRC32C crc = new CRC32C();
        private long length;
    }

    /**
     * Begins with a segment.
     *
     * @param isNew whether the server has no checksum of it
     */
    StripeSums(long stripe, boolean isNew) {
        this.stripe = stripe;
        this.unsetFrom = isNew ? 0 : Long.MAX_VALUE;
    }

    /** Called before parts are written. */
    synchronized void before(Segments segments, SegmentKey key, List<SegmentPart> parts) throws StageException {
        for (SegmentPart part : parts) {
            if (part.bytes().byteSize() == 0) {
                continue;
            }
            long last = (part.offset() + part.bytes().byteSize() - 1) / stripe;
            for (long number = part.offset() / stripe; number <= last; number++) {
                before(segments, key, number, Math.max(0, part.offset() - number * stripe));
            }
        }
    }

    private void before(Segments segments, SegmentKey key, long number, long from) throws StageException {
        Long known = pending.get(number);
        if (known == null && number < unsetFrom) {
            segments.writeSums(key, number, new long[1]);
        }
        // A checksum of bytes that are about to change must not be sent, even if the write fails.
        if (known == null || from < StripeSum.length(known)) {
            pending.put(number, StripeSum.UNKNOWN);
        }
        Running begun = running.get(number);
        if (begun != null && from < begun.length) {
            running.remove(number);
        }
    }

    /** Called after parts were written. */
    void after(Segments segments, SegmentKey key, List<SegmentPart> parts) throws StageException {
        for (SegmentPart part : parts) {
            ByteBuffer bytes = part.bytes().asByteBuffer();
            long at = part.offset();
            while (bytes.hasRemaining()) {
                int length = (int) Math.min(bytes.remaining(), stripe - at % stripe);
                ByteBuffer piece = bytes.slice(bytes.position(), length);
                // Threads that write other stripes do not wait for that of a whole one, which depends on nothing else.
                long whole = length == stripe ? StripeSum.of(piece) : StripeSum.UNKNOWN;
                written(segments, key, at, piece, whole);
                bytes.position(bytes.position() + length);
                at += length;
            }
        }
    }

    private synchronized void written(Segments segments, SegmentKey key, long at, ByteBuffer piece, long whole)
            throws StageException {
        long number = at / stripe;
        long sum = whole;
        if (whole == StripeSum.UNKNOWN) {
            sum = sum(at, piece);
        } else {
            running.remove(number);
        }
        if (pending.containsKey(number)) {
            pending.put(number, sum);
            if (pending.size() > MOST_PENDING) {
                flush(segments, key);
            }
        } else {
            // Others were sent during the write, perhaps one of this stripe by another thread.
            segments.writeSums(key, number, new long[]{sum});
        }
    }

    private long sum(long at, ByteBuffer bytes) {
        long number = at / stripe;
        long from = at % stripe;
        Running known = running.remove(number);
        if (from == 0) {
            known = new Running();
        } else if (known == null || known.length != from) {
            return StripeSum.UNKNOWN;
        }
        known.length += bytes.remaining();
        known.crc.update(bytes);
        if (known.length < stripe) {
            if (running.size() == MOST_RUNNING) {
                running.remove(running.keySet().iterator().next());
            }
            running.put(number, known);
        }
        return StripeSum.of((int) known.length, known.crc.getValue());
    }

    /** Sends the checksums that the server does not have. */
    synchronized void flush(Segments segments, SegmentKey key) throws StageException {
        List<Long> run = new ArrayList<>();
        long first = 0;
        for (Map.Entry<Long, Long> one : pending.entrySet()) {
            if (!run.isEmpty() && (one.getKey() != first + run.size() || run.size() == PORTION)) {
                send(segments, key, first, run);
                run.clear();
            }
            first = run.isEmpty() ? one.getKey() : first;
            run.add(one.getValue());
        }
        send(segments, key, first, run);
        if (!pending.isEmpty()) {
            unsetFrom = Math.max(unsetFrom, pending.lastKey() + 1);
        }
        pending.clear();
    }

    private static void send(Segments segments, SegmentKey key, long first, List<Long> run) throws StageException {
        if (run.stream().anyMatch(sum -> sum != StripeSum.UNKNOWN)) {
            segments.writeSums(key, first, run.stream().mapToLong(Long::longValue).toArray());
        }
    }

    /**
     * Cuts a segment off or makes it longer, and forgets the checksums of what is gone. If this fails halfway, no
     * checksum is wrong.
     */
    static void cut(Segments segments, SegmentKey key, long size, long stripe) throws StageException {
        long before = segments.size(key);
        if (before > size) {
            long first = size / stripe;
            long[] boundary = new long[1];
            segments.readSums(key, first, boundary);
            boolean isKept = StripeSum.length(boundary[0]) <= size % stripe;
            long end = (before - 1) / stripe + 1;
            for (long at = isKept ? first + 1 : first; at < end; at += PORTION) {
                segments.writeSums(key, at, new long[(int) Math.min(PORTION, end - at)]);
            }
        }
        if (before != size) {
            segments.truncate(key, size);
        }
    }
}
