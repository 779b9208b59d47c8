// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.entry;

import java.util.Locale;

import org.treehaul.core.annotation.Internal;

/**
 * A point in time as file systems store it: the whole 64-bit range of seconds, whereas {@link java.time.Instant} ends
 * at the year 10^9.
 *
 * @param seconds seconds since 1970-01-01T00:00:00Z; negative for earlier times
 * @param nanos nanoseconds within the second, 0 to 999,999,999, counted forward also before 1970
 */
public record Timestamp(long seconds, int nanos) implements Comparable<Timestamp> {

    private static final long NANOS = 1_000_000_000;

    /**
     * Validates the time.
     *
     * @throws IllegalArgumentException if the nanoseconds are out of range
     */
    public Timestamp {
        if (nanos < 0 || nanos > 999_999_999) {
            throw new IllegalArgumentException("nanoseconds out of range: " + nanos);
        }
    }

    /** Returns a time as nanoseconds since 1970; the first or last long for times out of range. */
    @Internal
    public static long sinceEpoch(long seconds, int nanos) {
        try {
            // Before 1970, the seconds alone may overflow although the sum does not.
            return seconds < 0
                    ? Math.addExact(Math.multiplyExact(seconds + 1, NANOS), nanos - NANOS)
                    : Math.addExact(Math.multiplyExact(seconds, NANOS), nanos);
        } catch (ArithmeticException e) {
            return seconds < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    /** Returns the time that is a number of nanoseconds after 1970-01-01T00:00:00Z, or before it if negative. */
    public static Timestamp ofNanos(long nanos) {
        return new Timestamp(Math.floorDiv(nanos, NANOS), (int) Math.floorMod(nanos, NANOS));
    }

    @Override
    public int compareTo(Timestamp other) {
        int bySeconds = Long.compare(seconds, other.seconds);
        return bySeconds != 0 ? bySeconds : Integer.compare(nanos, other.nanos);
    }

    /** Returns the time as {@code seconds.nanos} with nine decimals, like {@code find -printf %T@}. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%d.%09d", seconds, nanos);
    }
}
