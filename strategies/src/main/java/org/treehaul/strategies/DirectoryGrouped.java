// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies;

import org.treehaul.core.plan.BatchAssignment;
import org.treehaul.core.plan.Batching;
import org.treehaul.core.plan.Items;
import org.treehaul.core.plan.format.BatchLimits;

/** Keeps the entries of one directory in one batch, unless they exceed the share of a batch. */
final class DirectoryGrouped implements Batching {

    static final String NAME = "directory-grouped";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int assign(Items items, BatchLimits limits, BatchAssignment out) {
        Weights weights = Weights.of(items);
        Shares shares = new Shares(weights.count(), Weights.Totals.of(weights), limits);
        return shares.divide(batches -> {
            long maxFiles = least(shares.files(batches), limits.maxFiles());
            long maxBytes = least(shares.bytes(batches), limits.maxBytes());
            try (Units units = Units.of(items, weights, maxFiles, maxBytes)) {
                return CircleSplit.split(units, Weights.Totals.of(units), batches, new OfItems(units, out));
            }
        });
    }

    /** Assigns the items of units. */
    private record OfItems(Units units, BatchAssignment out) implements BatchAssignment {

        @Override
        public void set(long unit, int batch) {
            setAll(unit, unit + 1, batch);
        }

        @Override
        public void setAll(long from, long to, int batch) {
            out.setAll(units.first(from), units.first(to), batch);
        }
    }

    private static long least(long share, long limit) {
        return limit == 0 ? share : Math.min(share, limit);
    }
}
