// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.treehaul.core.copy.batch.BatchChunk;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.PlannedRoot;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedEntries;

/** Entries of a batch that are copied together. Filled by one thread, then only read. */
final class EntryGroup {

    private final List<PlannedRoot> roots;
    private final FollowedSymlinks ways;
    private final List<SelectedEntries> selections = new ArrayList<>();
    private final Map<Integer, ManifestEntry> entries = new HashMap<>();
    private final List<BatchChunk> chunks = new ArrayList<>();
    private final BitSet furtherNames = new BitSet();
    private final BitSet rootsAbove = new BitSet();

    EntryGroup(List<PlannedRoot> roots, FollowedSymlinks ways) {
        this.roots = roots;
        this.ways = ways;
        roots.forEach(root -> selections.add(SelectedEntries.ofNonDirectories()));
    }

    /**
     * Adds an entry.
     *
     * @param isFurtherName whether another name of the same file was added before
     */
    void add(ManifestEntry entry, boolean isFurtherName) {
        if (isFurtherName) {
            furtherNames.set(entry.index());
        }
        entries.put(entry.index(), entry);
        if (!entry.path().isRoot()) {
            rootsAbove.set(entry.root());
        }
        ways.mark(selections.get(entry.root()), entry.root(), entry.path());
        if (entry.chunk() != null) {
            chunks.add(new BatchChunk(entry.root(), entry.path(), entry.index(), entry.chunk().from(),
                    entry.chunk().to(), entry.chunk().number() == entry.chunk().count() - 1));
        } else {
            selections.get(entry.root()).addEntry(entry.path(), entry.kind(), entry.index());
        }
    }

    int size() {
        return entries.size();
    }

    /** Returns the roots of the entries that are not roots themselves. */
    BitSet rootsAbove() {
        return rootsAbove;
    }

    ManifestEntry entry(int index) {
        ManifestEntry entry = entries.get(index);
        if (entry == null) {
            throw new IllegalArgumentException("not requested: " + index);
        }
        return entry;
    }

    boolean isFurtherName(int index) {
        return furtherNames.get(index);
    }

    Iterable<ManifestEntry> entries() {
        return entries.values();
    }

    /** Returns the sources, restricted to the entries. */
    List<Root> sources() {
        List<Root> sources = new ArrayList<>();
        for (int i = 0; i < roots.size(); i++) {
            sources.add(Root.of(roots.get(i).source(), selections.get(i)));
        }
        return sources;
    }

    /** Returns the sources, restricted to the entries that are copied as a whole, and their targets. */
    List<CopyPair> pairs() {
        List<CopyPair> pairs = new ArrayList<>();
        for (int i = 0; i < roots.size(); i++) {
            pairs.add(new CopyPair(Root.of(roots.get(i).source(), selections.get(i)), roots.get(i).target()));
        }
        return pairs;
    }

    boolean hasWholeEntries() {
        return entries.size() > chunks.size();
    }

    List<BatchChunk> chunks() {
        return chunks;
    }
}
