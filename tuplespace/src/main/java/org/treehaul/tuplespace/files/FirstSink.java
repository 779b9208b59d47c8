// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.List;

import org.treehaul.tuplespace.store.BulkLoad;

/** Fills a space that does not exist yet. */
final class FirstSink implements IndexSink {

    private final BulkLoad load;
    private long added;

    FirstSink(BulkLoad load) {
        this.load = load;
    }

    @Override
    public void put(List<Listing> listings) {
        for (Listing listing : listings) {
            load.addAll(listing.entries());
            added += listing.entries().size();
        }
    }

    @Override
    public void putRoot(FileTuple root) {
        load.add(root);
        added++;
    }

    @Override
    public void finish(List<IndexedRoot> roots) {
        load.addAll(roots);
    }

    @Override
    public Changes changes() {
        return new Changes(added, 0, 0);
    }
}
