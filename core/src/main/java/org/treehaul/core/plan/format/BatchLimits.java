// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

import org.treehaul.core.annotation.Api;

/**
 * Number and size limits of batches. A limit of 0 means unlimited.
 *
 * @param batches the desired number of batches
 * @param maxFiles the maximum number of entries of a batch
 * @param maxBytes the maximum bytes of data of a batch, holes not counted
 */
@Api
public record BatchLimits(int batches, long maxFiles, long maxBytes) {

    /** Maximum number of batches: each costs a manifest and the files of an attempt in the state directory. */
    public static final int MAX_BATCHES = 1_000_000;

    /**
     * Creates limits.
     *
     * @throws IllegalArgumentException if a number is out of range
     */
    public BatchLimits {
        if (batches < 0 || batches > MAX_BATCHES) {
            throw new IllegalArgumentException("batches must be 0 to " + MAX_BATCHES + ": " + batches);
        }
        if (maxFiles < 0 || maxBytes < 0) {
            throw new IllegalArgumentException("a negative limit: " + maxFiles + " files, " + maxBytes + " bytes");
        }
    }

    /** Returns limits that only ask for a number of batches. */
    public static BatchLimits batches(int batches) {
        return new BatchLimits(batches, 0, 0);
    }
}
