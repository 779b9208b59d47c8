// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

/**
 * How many batches are wanted and how large they may be. What is 0 is not limited.
 *
 * @param batches the number of batches wanted
 * @param maxFiles entries in a batch
 * @param maxBytes bytes in a batch
 */
public record BatchLimits(int batches, long maxFiles, long maxBytes) {

    /** Batches at most: each costs a manifest and an attempt's files in the state directory. */
    public static final int MAX_BATCHES = 1_000_000;

    /**
     * Makes limits.
     *
     * @throws IllegalArgumentException when a number is out of its range
     */
    public BatchLimits {
        if (batches < 0 || batches > MAX_BATCHES) {
            throw new IllegalArgumentException("batches out of 0 to " + MAX_BATCHES + ": " + batches);
        }
        if (maxFiles < 0 || maxBytes < 0) {
            throw new IllegalArgumentException("a limit below 0: " + maxFiles + " files, " + maxBytes + " bytes");
        }
    }

    /** Returns limits that ask for a number of batches alone. */
    public static BatchLimits batches(int batches) {
        return new BatchLimits(batches, 0, 0);
    }
}
