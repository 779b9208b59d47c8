// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies;

import org.treehaul.core.plan.BatchAssignment;
import org.treehaul.core.plan.Batching;
import org.treehaul.core.plan.Items;
import org.treehaul.core.plan.format.BatchLimits;

/** Releases a batch as soon as it reaches the limit on files or bytes. */
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

    // Applies the same rule for callers that already have all items.
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
