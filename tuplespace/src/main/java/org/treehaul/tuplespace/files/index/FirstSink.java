// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.treehaul.core.entry.EntryKind;
import org.treehaul.tuplespace.files.EntrySum;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.files.IndexCondition;
import org.treehaul.tuplespace.files.IndexedRoot;
import org.treehaul.tuplespace.store.BulkLoad;

/** Fills a new space. */
final class FirstSink implements IndexSink {

    /** Entries that are loaded at once: a directory may have more than fit into memory. */
    private static final int AT_ONCE = 1024;

    private final BulkLoad load;
    private final ListedParts parts;
    private final TotalsUpdate totals;
    /** Entries of the listings that are being stored. */
    private final List<FileTuple> files = new ArrayList<>();
    /** Loaded after the others, because entries that follow each other share more values then. */
    private final List<FileTuple> directories = new ArrayList<>();
    /** Directories of which a part was put: the sums of their listings are over entries that were counted then. */
    private final Set<Place> begun = new HashSet<>();
    private long added;

    /**
     * Creates a sink for a first run.
     *
     * @param parts keeps the subdirectories of large directories until it is known which could be read
     * @param sums has computed the sums of the listings
     */
    FirstSink(BulkLoad load, ListedParts parts, EntrySum sums) {
        this.load = load;
        this.parts = parts;
        this.totals = new TotalsUpdate(parts, sums);
    }

    @Override
    public void put(List<Listing> listings) {
        for (Listing listing : listings) {
            if (listing.extent() == Listing.Extent.PART) {
                putPart(listing);
            } else {
                putLast(listing);
            }
        }
        loadAll();
    }

    private void putLast(Listing listing) {
        Long sum = listing.sum();
        boolean isBegun = !begun.isEmpty() && begun.remove(listing.place());
        if (isBegun && parts.has(listing.place())) {
            try (ListedParts.Found found = parts.end(listing)) {
                for (ListedParts.Named named = found.next(); named != null; named = found.next()) {
                    if (named.entry() != null) {
                        add(named.entry());
                    }
                }
            }
        } else if (isBegun || sum == null || !listing.failures().isEmpty()) {
            listing.settled().forEach(this::add);
        } else {
            // The threads of the walk have computed the sum, while this one has the most to do.
            totals.addListing(listing.directory(), listing.entries(), sum);
            listing.entries().forEach(this::store);
        }
    }

    private void loadAll() {
        load(files);
        load(directories);
    }

    private void load(List<FileTuple> entries) {
        load.addAll(entries);
        entries.clear();
    }

    private void putPart(Listing part) {
        begun.add(part.place());
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
        store(entry);
    }

    private void store(FileTuple entry) {
        added += entry.isSelected() ? 1 : 0;
        List<FileTuple> same = entry.kind() == EntryKind.DIRECTORY ? directories : files;
        same.add(entry);
        if (same.size() >= AT_ONCE) {
            load(same);
        }
    }

    @Override
    public void putRoot(FileTuple root) {
        add(root);
        loadAll();
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
