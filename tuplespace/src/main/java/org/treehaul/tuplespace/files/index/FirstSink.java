// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.treehaul.core.entry.EntryKind;
import org.treehaul.tuplespace.files.EntrySum;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.files.IndexCondition;
import org.treehaul.tuplespace.files.IndexedRoot;
import org.treehaul.tuplespace.store.BulkLoad;

/** Fills a new space. */
final class FirstSink implements IndexSink {

    private final BulkLoad load;
    private final ListedParts parts;
    private final TotalsUpdate totals;
    private long added;

    /**
     * Creates a sink for a first run.
     *
     * @param parts keeps the subdirectories of large directories until it is known which could be read
     */
    FirstSink(BulkLoad load, ListedParts parts) {
        this.load = load;
        this.parts = parts;
        this.totals = new TotalsUpdate(parts, EntrySum.random());
    }

    @Override
    public void put(List<Listing> listings) {
        for (Listing listing : listings) {
            if (listing.extent() == Listing.Extent.PART) {
                putPart(listing);
            } else if (parts.has(listing.place())) {
                try (ListedParts.Found found = parts.end(listing)) {
                    for (ListedParts.Named named = found.next(); named != null; named = found.next()) {
                        if (named.entry() != null) {
                            add(named.entry());
                        }
                    }
                }
            } else {
                listing.settled().forEach(this::add);
            }
        }
    }

    private void putPart(Listing part) {
        List<FileTuple> directories = new ArrayList<>();
        for (FileTuple entry : part.entries()) {
            if (entry.kind() == EntryKind.DIRECTORY) {
                directories.add(entry);
            } else {
                add(entry);
            }
        }
        if (!directories.isEmpty() || !part.failures().isEmpty()) {
            parts.add(part.with(directories));
        }
    }

    private void add(FileTuple entry) {
        load.add(entry);
        totals.add(entry);
        added += entry.isSelected() ? 1 : 0;
    }

    @Override
    public void putRoot(FileTuple root) {
        add(root);
    }

    @Override
    public void finish(List<IndexedRoot> roots, Optional<IndexCondition> condition) {
        load.addAll(roots);
        condition.ifPresent(load::add);
        totals.storeNew(roots, load::add);
        totals.close();
    }

    @Override
    public Changes changes() {
        return new Changes(added, 0, 0);
    }
}
