// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

/**
 * A way of dividing a transfer into batches. What comes with TreeHaul stands in {@code org.treehaul.strategies};
 * another jar adds its own by implementing this publicly, with a constructor without parameters, and naming the class
 * in {@code META-INF/services/org.treehaul.core.plan.Batching}.
 *
 * <p>
 * Used by one thread. Equal items and limits must give equal batches, or no plan could be repeated.
 */
public interface Batching {

    /** Returns the name that users choose it by: lower case, words joined by hyphens. */
    String name();

    /**
     * Returns whether batches leave while the walk goes on. Then {@link #assign} is not called: each batch ends when
     * the limits are reached.
     */
    default boolean isStreaming() {
        return false;
    }

    /**
     * Gives each item a batch.
     *
     * @param out is told the batch of each item
     * @return the number of batches; every item must be in one of 0 to this - 1
     */
    int assign(Items items, BatchLimits limits, BatchAssignment out);
}
