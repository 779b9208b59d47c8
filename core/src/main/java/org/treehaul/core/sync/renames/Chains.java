// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync.renames;

/** Small numbers in lists, found by hash. Not safe for several threads. */
final class Chains {

    // Each number is kept plus one; zero ends a list.
    private final int[] heads;
    private final int[] nexts;

    Chains(int capacity) {
        heads = new int[Integer.highestOneBit(Math.max(capacity, 1)) * 2];
        nexts = new int[capacity];
    }

    // The multiplier of Fibonacci hashing, 2^64 divided by the golden ratio.
    static long hash(long first, long second, long third) {
        long multiplier = 0x9E3779B97F4A7C15L;
        return (((first * multiplier ^ second) * multiplier) ^ third) * multiplier;
    }

    int first(long hash) {
        return heads[at(hash)] - 1;
    }

    int next(int number) {
        return nexts[number] - 1;
    }

    private int at(long hash) {
        return (int) (hash >>> 32) & heads.length - 1;
    }

    void add(long hash, int number) {
        nexts[number] = heads[at(hash)];
        heads[at(hash)] = number + 1;
    }

    /** Removes the number after another one, or the first one if that is -1. */
    void removeAfter(int previous, long hash, int number) {
        if (previous < 0) {
            heads[at(hash)] = nexts[number];
        } else {
            nexts[previous] = nexts[number];
        }
    }
}
