// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies;

import org.treehaul.core.plan.BatchAssignment;

/** Forwards the assignment of items to batches, and sums up the files and bytes of each batch. */
final class Loads implements BatchAssignment {

    private final Weights weights;
    private final BatchAssignment out;
    private final long[] items;
    private final long[] files;
    private final long[] bytes;

    Loads(Weights weights, int batches, BatchAssignment out) {
        this.weights = weights;
        this.out = out;
        this.items = new long[batches];
        this.files = new long[batches];
        this.bytes = new long[batches];
    }

    @Override
    public void set(long index, int batch) {
        out.set(index, batch);
        items[batch]++;
        files[batch] += weights.files(index);
        bytes[batch] += weights.bytes(index);
    }

    /** Returns the largest loads of batches that could be smaller: a single item is not divided. */
    Shares.Largest largest() {
        long mostFiles = 0;
        long mostBytes = 0;
        for (int batch = 0; batch < items.length; batch++) {
            if (items[batch] > 1) {
                mostFiles = Math.max(mostFiles, files[batch]);
                mostBytes = Math.max(mostBytes, bytes[batch]);
            }
        }
        return new Shares.Largest(mostFiles, mostBytes);
    }
}
