// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import org.treehaul.core.annotation.Api;

/** Receives the batch of each item from a {@link Batching}. */
@FunctionalInterface
@Api
public interface BatchAssignment {

    /** Assigns an item to a batch; the last call for an item wins. */
    void set(long item, int batch);

    /**
     * Assigns neighbouring items to a batch, as {@link #set} does for each.
     *
     * @param from the first item
     * @param to the item after the last
     */
    default void setAll(long from, long to, int batch) {
        for (long item = from; item < to; item++) {
            set(item, batch);
        }
    }
}
