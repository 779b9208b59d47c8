// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

/** Draws random numbers from a seed that can be reset at no cost: SplitMix64 (Steele, Lea, Flood, 2014). */
final class Chance {

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private long state;

    Chance(long seed) {
        state = seed;
    }

    void reset(long seed) {
        state = seed;
    }

    long next() {
        state += GOLDEN;
        long z = (state ^ state >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }

    /** Returns a number from 0 (inclusive) to 1 (exclusive). */
    double fraction() {
        return (next() >>> 11) * 0x1p-53;
    }

    /**
     * Returns a number with mean 0 and standard deviation about 1: the sum of twelve uniform ones is close enough to
     * normal.
     */
    double gaussian() {
        double sum = -6;
        for (int i = 0; i < 12; i++) {
            sum += fraction();
        }
        return sum;
    }
}
