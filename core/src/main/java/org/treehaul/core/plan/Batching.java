// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import org.treehaul.core.annotation.Api;
import org.treehaul.core.plan.format.BatchLimits;

/**
 * A strategy that divides a transfer into batches. {@code org.treehaul.strategies} contains the built-in strategies.
 * Another jar adds its own with a public class that implements this interface, has a constructor without parameters and
 * is named in {@code META-INF/services/org.treehaul.core.plan.Batching}.
 *
 * <p>
 * Used by one thread. Equal items and limits must give equal batches; otherwise plans would not be reproducible.
 */
@Api
public interface Batching {

    /** Returns the name by which users choose the strategy: lower case, words joined by hyphens. */
    String name();

    /**
     * Returns whether batches are released during the walk. If so, {@link #assign} is not called: a batch ends when it
     * reaches the limits.
     */
    default boolean isStreaming() {
        return false;
    }

    /**
     * Assigns each item to a batch.
     *
     * @param out receives the batch of each item
     * @return the number of batches; every item must be assigned to a batch from 0 to this number - 1
     */
    int assign(Items items, BatchLimits limits, BatchAssignment out);
}
