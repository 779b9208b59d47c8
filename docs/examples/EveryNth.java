// SPDX-License-Identifier: Apache-2.0

import org.treehaul.core.plan.BatchAssignment;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.core.plan.Batching;
import org.treehaul.core.plan.Items;

/** Deals entries out like cards: every nth goes into the same batch. */
public final class EveryNth implements Batching {

    @Override
    public String name() {
        return "every-nth";
    }

    @Override
    public int assign(Items items, BatchLimits limits, BatchAssignment out) {
        int batches = (int) Math.min(Math.max(1, limits.batches()), items.count());
        for (long item = 0; item < items.count(); item++) {
            out.set(item, (int) (item % batches));
        }
        return batches;
    }
}
