// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import java.util.function.IntUnaryOperator;

import org.treehaul.strategies.ranks.communicator.Communicator;

/**
 * Describes a group to one of its ranks, and sets how the group behaves.
 *
 * @param rank the number of this rank
 * @param size the number of ranks
 * @param hostOf the host of each rank
 * @param capacity the number of units that this rank works on at a time
 * @param settings the settings of the protocol, the same for all ranks
 */
public record Group(int rank, int size, IntUnaryOperator hostOf, int capacity, Settings settings) {

    /**
     * Settings of the protocol between ranks.
     *
     * @param seed the seed for random choices
     * @param firstPause nanoseconds between a refusal and the next request; it doubles with each refusal
     * @param longestPause the longest pause in nanoseconds; also the pause between two rounds of the token
     * @param longestMessage the largest size of a message in bytes
     */
    public record Settings(long seed, long firstPause, long longestPause, int longestMessage) {

        /** Returns the default settings: pauses of 20 µs to 5 ms, messages of 100 kB. */
        public static Settings defaults() {
            return new Settings(1, 20_000, 5_000_000, Communicator.LONGEST_MESSAGE);
        }

        /** Returns a copy with another seed. */
        public Settings withSeed(long other) {
            return new Settings(other, firstPause, longestPause, longestMessage);
        }

        /** Returns a copy with other pauses. */
        public Settings withPauses(long first, long longest) {
            return new Settings(seed, first, longest, longestMessage);
        }

        /** Returns a copy with another longest message. */
        public Settings withLongestMessage(int bytes) {
            return new Settings(seed, firstPause, longestPause, bytes);
        }

        /** Checks the values. */
        public Settings {
            if (firstPause < 0 || longestPause < firstPause || longestMessage < 1000) {
                throw new IllegalArgumentException(
                        "pauses " + firstPause + " to " + longestPause + ", messages of " + longestMessage);
            }
        }
    }

    /** Checks the values. */
    public Group {
        if (rank < 0 || rank >= size || capacity < 1) {
            throw new IllegalArgumentException("rank " + rank + " of " + size + ", capacity " + capacity);
        }
    }

    /** Returns whether a rank runs on the same host as this one. */
    boolean isLocal(int other) {
        return hostOf.applyAsInt(other) == hostOf.applyAsInt(rank);
    }

    long pause(int refusals) {
        int doublings = Math.min(refusals, 30);
        return settings.firstPause > settings.longestPause >> doublings
                ? settings.longestPause
                : settings.firstPause << doublings;
    }
}
