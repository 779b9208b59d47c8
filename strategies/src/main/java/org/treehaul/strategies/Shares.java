// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies;

import org.treehaul.core.plan.format.BatchLimits;

/** Determines the number of batches of a transfer. */
final class Shares {

    // Each try adds an eighth, and at least a few batches if there are few: the last number is forty times the first,
    // or more.
    private static final int TRIES = 32;

    private final long count;
    private final BatchLimits limits;
    private final long allBytes;
    private final long allFiles;

    /**
     * Creates the division of some items.
     *
     * @param count the number of items
     * @param totals the sums of their weights
     */
    Shares(long count, Weights.Totals totals, BatchLimits limits) {
        this.count = count;
        this.limits = limits;
        this.allBytes = totals.bytes();
        this.allFiles = totals.files();
    }

    /** Divides the items into a number of batches. */
    interface Division {

        /** Assigns all items, and returns the most files and bytes of any batch with several items. */
        Largest divide(int batches);
    }

    /**
     * The loads of the largest batches.
     *
     * @param files most files of a batch with more than one item
     * @param bytes most bytes of a batch with more than one item
     */
    record Largest(long files, long bytes) {}

    /** Divides so that the limits hold wherever possible; returns the number of batches. */
    int divide(Division division) {
        int batches = first();
        for (int tries = 0;; tries++) {
            Largest largest = division.divide(batches);
            boolean fits = (limits.maxFiles() == 0 || largest.files() <= limits.maxFiles())
                    && (limits.maxBytes() == 0 || largest.bytes() <= limits.maxBytes());
            if (fits || tries == TRIES || batches >= most()) {
                return batches;
            }
            batches = Math.min(most(), batches + Math.max(1 + tries / 4, batches / 8));
        }
    }

    private int first() {
        long wanted = Math.max(1, limits.batches());
        if (limits.maxFiles() > 0) {
            wanted = Math.max(wanted, (allFiles - 1) / limits.maxFiles() + 1);
        }
        if (limits.maxBytes() > 0) {
            wanted = Math.max(wanted, (allBytes - 1) / limits.maxBytes() + 1);
        }
        return (int) Math.min(wanted, most());
    }

    private int most() {
        return Math.clamp(count, 1, BatchLimits.MAX_BATCHES);
    }

    /** Returns the share of files of each batch. */
    long files(int batches) {
        return (allFiles + batches - 1) / batches;
    }

    /** Returns the share of bytes of each batch. */
    long bytes(int batches) {
        return (allBytes + batches - 1) / batches;
    }
}
