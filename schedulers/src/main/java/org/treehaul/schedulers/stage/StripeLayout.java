// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;

/**
 * How the bytes of a file are spread over servers: stripe {@code s} is in segment {@code s % segments}, and copy
 * {@code c} of segment {@code i} on server {@code (i + c) % servers.size()}. A list with a server for each copy of each
 * segment, which need not be different, says it by itself: copy {@code c} of segment {@code i} is on server
 * {@code c * segments + i} then. Immutable.
 *
 * @param servers the names of the servers in order, each once, 1 to {@link #MOST_SEGMENTS}; or one for each copy of
 *        each segment, first the first copies, no two copies of a segment on the same server
 * @param segments the number of segments, 1 to {@link #MOST_SEGMENTS}
 * @param stripe bytes of a stripe, 1 to {@link #LARGEST_STRIPE}
 * @param copies the number of copies of each segment, 1 to {@link #MOST_COPIES}, on different servers
 */
public record StripeLayout(List<String> servers, int segments, long stripe, int copies) {

    /** The largest number of copies of a segment. */
    public static final int MOST_COPIES = 3;

    /** The largest number of segments of a file. */
    public static final int MOST_SEGMENTS = 4096;

    /** The largest stripe: 1 GiB. */
    public static final long LARGEST_STRIPE = 1L << 30;

    /**
     * A part of a range of a file that lies in one stripe.
     *
     * @param segment the number of the segment
     * @param offset the first byte in the segment
     * @param at the first byte in the file
     * @param length the number of bytes, 1 or more
     */
    public record Piece(int segment, long offset, long at, long length) {}

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if a value is out of its range, or a server is named twice
     */
    public StripeLayout {
        servers = List.copyOf(servers);
        if (segments < 1 || segments > MOST_SEGMENTS) {
            throw new IllegalArgumentException("a file has 1 to " + MOST_SEGMENTS + " segments, not " + segments);
        }
        if (copies < 1 || copies > MOST_COPIES) {
            throw new IllegalArgumentException("a segment has 1 to " + MOST_COPIES + " copies, not " + copies);
        }
        boolean isPlaced = servers.size() == segments * copies;
        if (servers.isEmpty()
                || !isPlaced && (servers.size() > MOST_SEGMENTS || new HashSet<>(servers).size() < servers.size())) {
            throw new IllegalArgumentException("a file needs 1 to " + MOST_SEGMENTS + " different servers: " + servers);
        }
        for (int i = 0; i < segments && copies > 1; i++) {
            if (servers.size() < copies || new HashSet<>(serversOf(servers, segments, copies, i)).size() < copies) {
                throw new IllegalArgumentException(
                        copies + " copies of a segment need " + copies + " different servers: " + servers);
            }
            if (!isPlaced) {
                break;
            }
        }
        if (stripe < 1 || stripe > LARGEST_STRIPE) {
            throw new IllegalArgumentException("a stripe has 1 to " + LARGEST_STRIPE + " bytes, not " + stripe);
        }
    }

    /** Returns a layout with one copy of each segment. */
    public StripeLayout(List<String> servers, int segments, long stripe) {
        this(servers, segments, stripe, 1);
    }

    private static List<String> serversOf(List<String> servers, int segments, int copies, int segment) {
        List<String> some = new ArrayList<>();
        for (int copy = 0; copy < copies; copy++) {
            some.add(servers.size() == segments * copies
                    ? servers.get(copy * segments + segment)
                    : servers.get((segment + copy) % servers.size()));
        }
        return some;
    }

    /**
     * Returns the same layout with another server for one copy of a segment; the list of servers is one by copy then.
     */
    public StripeLayout moved(int segment, String from, String to) {
        String[] all = new String[segments * copies];
        for (int i = 0; i < segments; i++) {
            List<String> its = serversOf(i);
            for (int copy = 0; copy < copies; copy++) {
                all[copy * segments + i] = i == segment && its.get(copy).equals(from) ? to : its.get(copy);
            }
        }
        return new StripeLayout(List.of(all), segments, stripe, copies);
    }

    /**
     * Returns the name of the server of the first copy of a segment.
     *
     * @throws IndexOutOfBoundsException if there is no such segment
     */
    public String serverOf(int segment) {
        return servers.get(Objects.checkIndex(segment, segments) % servers.size());
    }

    /**
     * Returns the names of the servers of all copies of a segment, each once, in the order of the copies.
     *
     * @throws IndexOutOfBoundsException if there is no such segment
     */
    public List<String> serversOf(int segment) {
        return serversOf(servers, segments, copies, Objects.checkIndex(segment, segments));
    }

    /** Returns the segment that has the byte of the file at an offset. */
    public int segmentOf(long offset) {
        return (int) (offset / stripe % segments);
    }

    /** Returns the offset within its segment of the byte of the file at an offset. */
    public long offsetInSegment(long offset) {
        return offset / stripe / segments * stripe + offset % stripe;
    }

    /**
     * Returns the offset in the file of a byte of a segment.
     *
     * @throws ArithmeticException if it is beyond {@link Long#MAX_VALUE}
     */
    public long offsetInFile(int segment, long offset) {
        long number = Math.addExact(Math.multiplyExact(offset / stripe, (long) segments),
                Objects.checkIndex(segment, segments));
        return Math.addExact(Math.multiplyExact(number, stripe), offset % stripe);
    }

    /** Returns the bytes that a segment has of a file without holes of a size. */
    public long segmentSize(int segment, long fileSize) {
        Objects.checkIndex(segment, segments);
        long whole = fileSize / stripe;
        long rows = whole / segments;
        long last = whole % segments;
        return rows * stripe + (segment < last ? stripe : segment == last ? fileSize % stripe : 0);
    }

    /**
     * Returns the size that a file has at least if one of its segments has a size.
     *
     * @throws ArithmeticException if it is beyond {@link Long#MAX_VALUE}
     */
    public long fileSize(int segment, long segmentSize) {
        return segmentSize == 0 ? 0 : Math.addExact(offsetInFile(segment, segmentSize - 1), 1);
    }

    /**
     * Returns the parts of a range of the file by stripe, in the order of the file. With one segment, the range is one
     * part.
     *
     * @throws IndexOutOfBoundsException if the range is negative or ends beyond {@link Long#MAX_VALUE}
     */
    public List<Piece> pieces(long offset, long length) {
        Objects.checkFromIndexSize(offset, length, Long.MAX_VALUE);
        List<Piece> pieces = new ArrayList<>();
        if (segments == 1) {
            if (length > 0) {
                pieces.add(new Piece(0, offset, offset, length));
            }
            return pieces;
        }
        long at = offset;
        long left = length;
        while (left > 0) {
            long most = Math.min(left, stripe - at % stripe);
            pieces.add(new Piece(segmentOf(at), offsetInSegment(at), at, most));
            at += most;
            left -= most;
        }
        return pieces;
    }
}
