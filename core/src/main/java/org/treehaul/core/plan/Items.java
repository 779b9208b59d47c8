// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import org.treehaul.core.annotation.Api;

/**
 * The items that a {@link Batching} distributes, as numbers without names. An item is an entry, all names of a
 * hard-linked file together, or a chunk. Items are sorted by root and directory: the entries of a directory follow each
 * other, then come its subdirectories, so that every subtree is contiguous. The chunks of a file follow each other.
 */
@Api
public interface Items {

    /** Returns the number of items; their numbers are 0 to count - 1. */
    long count();

    /**
     * Returns the bytes of data to read for an item. Known holes do not count, and the chunks of a file have equal
     * shares.
     */
    long bytes(long item);

    /** Returns the number of manifest entries of an item: 1, or the number of names of a hard-linked file. */
    int files(long item);

    /** Returns the number of the directory of an item: that of the previous item, or a greater one. */
    int directory(long item);
}
