// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.List;

import org.treehaul.core.entry.ByteString;

/** Puts what a walk found into a space. Used by one thread. */
interface IndexSink {

    /** Takes listings, which for a new space are not of the same directory unless they are parts of it. */
    void put(List<Listing> listings);

    /** Takes the entry of a root, about whose siblings nothing is known. */
    void putRoot(FileTuple root);

    /** Writes down which trees were read. */
    void finish(List<IndexedRoot> roots);

    /** Returns how many entries were new, changed and removed. */
    Changes changes();

    /** Returns what is missing of a root, of which so many entries were seen. */
    default TreeLoss loss(ByteString root, long seen) {
        return new TreeLoss(root, seen, 0);
    }

    /** Counts of entries. */
    record Changes(long added, long changed, long removed) {}
}
