// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

/**
 * What a {@link Batching} distributes: numbers only, no names. An item is an entry, all names of a hard-linked file
 * together, or a chunk. They are sorted by root and directory: what stands in one directory comes one after another,
 * then come the directories in it, so that every subtree is contiguous; the chunks of a file follow each other.
 */
public interface Items {

    /** Returns how many there are; they are called 0 to count - 1. */
    long count();

    /** Returns the bytes to copy for an item. */
    long bytes(long item);

    /** Returns how many entries of the manifest an item is: 1, or the names of a hard-linked file. */
    int files(long item);

    /** Returns the number of the directory that an item stands in: the same as of the item before, or greater. */
    int directory(long item);
}
