// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies;

import org.treehaul.core.plan.BatchAssignment;
import org.treehaul.core.plan.BatchLimits;
import org.treehaul.core.plan.Batching;
import org.treehaul.core.plan.Items;

/** Lets a batch go as soon as it has as many files or bytes as the limits say. */
final class Streaming implements Batching {

    static final String NAME = "streaming";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean isStreaming() {
        return true;
    }

    // For callers that have all items already: the same rule.
    @Override
    public int assign(Items items, BatchLimits limits, BatchAssignment out) {
        long maxFiles = limits.maxFiles() == 0 ? Long.MAX_VALUE : limits.maxFiles();
        long maxBytes = limits.maxBytes() == 0 ? Long.MAX_VALUE : limits.maxBytes();
        Weights weights = Weights.of(items);
        int batch = 0;
        long files = 0;
        long bytes = 0;
        for (long item = 0; item < items.count(); item++) {
            boolean isFull = files + weights.files(item) > maxFiles || bytes > maxBytes - weights.bytes(item);
            if (files > 0 && isFull) {
                batch++;
                files = 0;
                bytes = 0;
            }
            files += weights.files(item);
            bytes += weights.bytes(item);
            out.set(item, batch);
        }
        return batch + 1;
    }
}
