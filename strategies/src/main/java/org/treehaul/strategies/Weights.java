// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies;

import org.treehaul.core.plan.Items;

/** The items that {@link CircleSplit} divides: a row in which each has bytes and files. */
interface Weights {

    long count();

    long bytes(long index);

    long files(long index);

    /** Returns the weights of single items. */
    static Weights of(Items items) {
        // A sparse file may report any size, and the sum must not overflow.
        long most = Long.MAX_VALUE / 2 / Math.max(1, items.count());
        return new Weights() {
            @Override
            public long count() {
                return items.count();
            }

            @Override
            public long bytes(long index) {
                return Math.min(items.bytes(index), most);
            }

            @Override
            public long files(long index) {
                return items.files(index);
            }
        };
    }
}
