// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies;

import org.treehaul.core.plan.BatchAssignment;
import org.treehaul.core.plan.Batching;
import org.treehaul.core.plan.Items;
import org.treehaul.core.plan.format.BatchLimits;

/** A strategy such as another jar would add. */
public final class EveryOther implements Batching {

    @Override
    public String name() {
        return "every-other";
    }

    @Override
    public int assign(Items items, BatchLimits limits, BatchAssignment out) {
        for (long item = 0; item < items.count(); item++) {
            out.set(item, (int) (item % 2));
        }
        return 2;
    }
}
