// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies;

import org.treehaul.core.plan.BatchAssignment;
import org.treehaul.core.plan.Batching;
import org.treehaul.core.plan.Items;
import org.treehaul.core.plan.format.BatchLimits;

/** Gives every batch its share of the bytes and of the files. */
final class SizeBalanced implements Batching {

    static final String NAME = "size-balanced";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int assign(Items items, BatchLimits limits, BatchAssignment out) {
        Weights weights = Weights.of(items);
        Weights.Totals totals = Weights.Totals.of(weights);
        return new Shares(weights.count(), totals, limits)
                .divide(batches -> CircleSplit.split(weights, totals, batches, out));
    }
}
