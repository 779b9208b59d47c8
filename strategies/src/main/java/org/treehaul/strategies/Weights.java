// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies;

import org.treehaul.core.plan.Items;

/** The items that {@link CircleSplit} divides: a row in which each has bytes and files. */
interface Weights {

    long count();

    long bytes(long index);

    long files(long index);

    /**
     * The sums of a row, and its largest numbers.
     *
     * @param mostBytes most bytes of one item, at least 1
     * @param mostFiles most files of one item, at least 1
     */
    record Totals(long bytes, long files, long mostBytes, long mostFiles) {

        static Totals of(Weights weights) {
            long mostBytes = 1;
            long mostFiles = 1;
            long bytes = 0;
            long files = 0;
            for (long i = 0; i < weights.count(); i++) {
                long itsBytes = weights.bytes(i);
                long itsFiles = weights.files(i);
                mostBytes = Math.max(mostBytes, itsBytes);
                mostFiles = Math.max(mostFiles, itsFiles);
                bytes += itsBytes;
                files += itsFiles;
            }
            return new Totals(bytes, files, mostBytes, mostFiles);
        }
    }

    /** The most bytes of all items together: the number of batches can be added to it. */
    long MOST_BYTES = Long.MAX_VALUE / 2;

    /** Returns the weights of single items. */
    static Weights of(Items items) {
        // A sparse file may report any size. Real files must count in full, however many items there are.
        long most = isSumTooLarge(items) ? MOST_BYTES / items.count() : MOST_BYTES;
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

    private static boolean isSumTooLarge(Items items) {
        long rest = MOST_BYTES;
        for (long i = 0; i < items.count(); i++) {
            rest -= items.bytes(i);
            if (rest < 0) {
                return true;
            }
        }
        return false;
    }
}
