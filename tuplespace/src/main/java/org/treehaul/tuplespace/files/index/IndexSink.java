// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import java.util.List;
import java.util.Optional;

import org.treehaul.core.entry.ByteString;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.files.IndexCondition;
import org.treehaul.tuplespace.files.IndexedRoot;

/** Stores the entries that a walk found in a space. Used by one thread. */
interface IndexSink {

    /** Adds listings. For a new space, two listings of the same directory must be parts of it. */
    void put(List<Listing> listings);

    /** Adds the entry of a root, whose siblings are unknown. */
    void putRoot(FileTuple root);

    /** Records which trees were read, and the conditions of the index. */
    void finish(List<IndexedRoot> roots, Optional<IndexCondition> condition);

    /** Returns the number of entries that were new, changed and removed. */
    Changes changes();

    /** Returns the loss of a root of which {@code seen} entries were found. */
    default TreeLoss loss(ByteString root, long seen) {
        return new TreeLoss(root, seen, 0);
    }

    /** Numbers of entries. */
    record Changes(long added, long changed, long removed) {}
}
