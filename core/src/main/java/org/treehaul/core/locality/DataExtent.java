// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A range of a file with one layout: not striped, or striped round-robin over several holders. Stripes are counted from
 * the beginning of the file, not of the extent: the byte at {@code offset} belongs to the stripe {@code offset /
 * stripeSize}, and to the holders with the number of that stripe modulo {@code stripeCount}. Immutable.
 *
 * @param offset first byte of the extent in the file
 * @param length length in bytes, at least 1; {@code Long.MAX_VALUE - offset} for an extent that has no end
 * @param stripeSize size of a stripe in bytes; 0 if the extent is not striped
 * @param stripeCount number of holders over which stripes are distributed; 1 if the extent is not striped
 * @param holders the holders in the order of the stripes, {@code stripeCount} of them; empty if the file system does
 *        not name servers
 * @param pool the pool of servers or devices; empty if there is none or it is unknown
 */
public record DataExtent(long offset, long length, long stripeSize, int stripeCount, List<Holders> holders,
        String pool) {

    /**
     * Creates an extent.
     *
     * @throws IllegalArgumentException if a number is out of its range, or if the number of holders is neither 0 nor
     *         {@code stripeCount}
     */
    public DataExtent {
        holders = List.copyOf(holders);
        if (offset < 0 || length < 1 || length > Long.MAX_VALUE - offset) {
            throw new IllegalArgumentException("no range of a file: " + length + " bytes at " + offset);
        }
        if (stripeSize < 0 || stripeCount < 1 || stripeSize == 0 && stripeCount > 1) {
            throw new IllegalArgumentException("no striping: " + stripeCount + " stripes of " + stripeSize + " bytes");
        }
        if (!holders.isEmpty() && holders.size() != stripeCount) {
            throw new IllegalArgumentException(holders.size() + " holders for " + stripeCount + " stripes");
        }
    }

    /** Creates an extent that covers a whole file and is not striped. */
    public static DataExtent whole(Holders holders) {
        return new DataExtent(0, Long.MAX_VALUE, 0, 1, List.of(holders), "");
    }

    /** Returns whether the extent has no end, so that it also covers what is appended to the file. */
    public boolean isOpen() {
        return length == Long.MAX_VALUE - offset;
    }

    /** Returns the offset behind the last byte. */
    public long end() {
        return offset + length;
    }

    /** Returns the holders of the byte at an offset of the file; empty if it is outside, or they are unknown. */
    public Optional<Holders> holdersOf(long at) {
        if (at < offset || at >= end() || holders.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(holders.get(stripeSize == 0 ? 0 : (int) (at / stripeSize % stripeCount)));
    }

    /** Returns the end of the stripe that has an offset of the extent; the end of the extent if it is not striped. */
    long endOfStripe(long at) {
        if (stripeCount == 1 || !holders.isEmpty() && holders.stream().allMatch(holders.getFirst()::equals)) {
            return end();
        }
        long left = stripeSize - at % stripeSize;
        return left < end() - at ? at + left : end();
    }

    /** Adds the servers of a range of the file, from {@code from} to before {@code to}. */
    void addServers(long from, long to, Set<String> servers) {
        long first = Math.max(from, offset);
        long last = Math.min(to, end()) - 1;
        if (first > last || holders.isEmpty()) {
            return;
        }
        long firstStripe = stripeSize == 0 ? 0 : first / stripeSize;
        long lastStripe = stripeSize == 0 ? 0 : last / stripeSize;
        long count = Math.min(lastStripe - firstStripe + 1, stripeCount);
        for (long i = 0; i < count; i++) {
            for (DataPlace place : holders.get((int) ((firstStripe + i) % stripeCount)).places()) {
                servers.add(place.server());
            }
        }
    }
}
