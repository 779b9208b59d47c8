// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import org.treehaul.core.plan.format.BatchLimits;

/** Strategies for tests. */
public final class Batchings {

    /**
     * Deals the items out one by one: neighbours go to different batches, which strategies avoid. With fewer items than
     * batches, some batches stay empty.
     */
    public static final Batching DEALT = new Batching() {
        @Override
        public String name() {
            return "dealt";
        }

        @Override
        public int assign(Items items, BatchLimits limits, BatchAssignment out) {
            for (long item = 0; item < items.count(); item++) {
                out.set(item, (int) (item % limits.batches()));
            }
            return limits.batches();
        }
    };

    /** Releases batches while the walk continues. */
    public static final Batching STREAMED = new Batching() {
        @Override
        public String name() {
            return "streamed";
        }

        @Override
        public boolean isStreaming() {
            return true;
        }

        @Override
        public int assign(Items items, BatchLimits limits, BatchAssignment out) {
            throw new AssertionError("asked though it streams");
        }
    };

    private Batchings() {}
}
