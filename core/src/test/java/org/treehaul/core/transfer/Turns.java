// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import org.treehaul.core.plan.BatchAssignment;
import org.treehaul.core.plan.Batching;
import org.treehaul.core.plan.Items;
import org.treehaul.core.plan.format.BatchLimits;

/**
 * Puts the items into batches in turn.
 *
 * @param number the number of batches, if there are as many items
 */
record Turns(int number) implements Batching {

    @Override
    public String name() {
        return "turns";
    }

    @Override
    public int assign(Items items, BatchLimits limits, BatchAssignment batches) {
        int filled = (int) Math.min(items.count(), number);
        for (long item = 0; item < items.count(); item++) {
            batches.set(item, (int) (item % filled));
        }
        return filled;
    }
}
