// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import java.time.Duration;

/**
 * Parts and multiples of times. Those of {@link Duration} load {@link java.math.BigDecimal}, for which the JVM computes
 * large powers: 25 ms of each job, and of each command that looks at a transfer.
 */
public final class Durations {

    private static final long NANOS = 1_000_000_000;

    private Durations() {}

    /**
     * Returns one of equal parts of a time, without a fraction of a nanosecond.
     *
     * @param parts from 1 to 1,000,000,000
     */
    public static Duration part(Duration time, int parts) {
        long seconds = time.getSeconds() / parts;
        long rest = time.getSeconds() % parts * NANOS + time.getNano();
        return Duration.ofSeconds(seconds, rest / parts);
    }

    /**
     * Returns a multiple of a time.
     *
     * @param factor from 0 to 1,000,000,000
     * @throws ArithmeticException if the result has too many seconds for a long
     */
    public static Duration multiple(Duration time, int factor) {
        return Duration.ofSeconds(Math.multiplyExact(time.getSeconds(), factor), (long) time.getNano() * factor);
    }
}
