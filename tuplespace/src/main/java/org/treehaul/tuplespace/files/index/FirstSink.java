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

    /** A directory may have more subdirectories than fit into memory. */
    private static final int MOST_DIRECTORIES = 1024;

    private final BulkLoad load;
    private final ListedParts parts;
    private final TotalsUpdate totals;
    /** Directories of the listings that are being stored. */
    private final List<FileTuple> directories = new ArrayList<>();
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
        loadDirectories();
    }

    private void loadDirectories() {
        load.addAll(directories);
        directories.clear();
    }

    private void putPart(Listing part) {
        List<FileTuple> waiting = new ArrayList<>();
        for (FileTuple entry : part.entries()) {
            if (entry.kind() == EntryKind.DIRECTORY) {
                waiting.add(entry);
            } else {
                add(entry);
            }
        }
        if (!waiting.isEmpty() || !part.failures().isEmpty()) {
            parts.add(part.with(waiting));
        }
    }

    private void add(FileTuple entry) {
        totals.add(entry);
        added += entry.isSelected() ? 1 : 0;
        if (entry.kind() == EntryKind.DIRECTORY) {
            // Loaded together, because entries that follow each other share more values then.
            directories.add(entry);
            if (directories.size() >= MOST_DIRECTORIES) {
                loadDirectories();
            }
        } else {
            load.add(entry);
        }
    }

    @Override
    public void putRoot(FileTuple root) {
        add(root);
        loadDirectories();
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
