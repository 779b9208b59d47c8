// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.repair;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.compare.CompareOptions;
import org.treehaul.core.compare.Difference;
import org.treehaul.core.compare.DifferenceKind;
import org.treehaul.core.compare.DifferenceListener;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.walk.options.EntryFilter;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedPaths;

/**
 * The entries in which the second of two trees differs from the first. Keeps about 200 bytes for each. Any number of
 * threads may add differences; call the other methods only after the comparison has ended.
 */
public final class DifferingEntries implements DifferenceListener {

    // Whether the entry represents everything below it: it is only in the first tree, or not a directory in the second.
    private final NavigableMap<TreePath, Boolean> entries = new ConcurrentSkipListMap<>();
    private final Set<TreePath> ofAttributes = ConcurrentHashMap.newKeySet();
    private final AtomicLong onlyInSecond = new AtomicLong();

    /** Adds the entry of a difference, if the first tree has it. */
    @Override
    public void onDifference(Difference difference) {
        if (difference.kind() == DifferenceKind.ONLY_IN_B) {
            onlyInSecond.incrementAndGet();
            return;
        }
        if (difference.kind() == DifferenceKind.XATTR) {
            ofAttributes.add(difference.path());
        }
        boolean isWhole = difference.kind() == DifferenceKind.ONLY_IN_A || difference.kind() == DifferenceKind.KIND;
        entries.merge(difference.path(), isWhole, Boolean::logicalOr);
    }

    /**
     * Adds the further names of all these files in the first tree, so that a copy of the list keeps hard links. If any
     * is missing, the directories of the tree are read once.
     *
     * @param root the first tree, or the part of it that was compared
     * @param options the options of the comparison, which must have ended
     */
    @Internal
    public void addFurtherNames(FileSystemCalls calls, Root root, CompareOptions options, Cancellation cancellation) {
        FurtherNames.addTo(this, calls, root, options, cancellation);
    }

    /** Adds a further name of a file that differs. */
    void addName(TreePath path) {
        entries.putIfAbsent(path, false);
    }

    /** Returns the number of entries of the first tree that differ; a missing directory counts once. */
    public int size() {
        return entries.size();
    }

    /** Returns the number of entries that only the second tree has; a directory counts once. */
    public long onlyInSecond() {
        return onlyInSecond.get();
    }

    /**
     * Returns the paths of the entries in the form of a list for {@code cp --files-from}, in which a directory includes
     * everything below it. Therefore the root, and each directory below which an entry is in the list, is left out: a
     * copy of the list gives these directories their metadata as well.
     */
    public List<TreePath> paths() {
        List<TreePath> paths = new ArrayList<>();
        entries.keySet().forEach(path -> {
            if (!path.isRoot() && !leadsToOthers(path)) {
                paths.add(path);
            }
        });
        return paths;
    }

    /** Returns the entries whose extended attributes differ. */
    Set<TreePath> ofAttributes() {
        return ofAttributes;
    }

    /** Returns these entries and those of another comparison. */
    DifferingEntries with(DifferingEntries others) {
        DifferingEntries all = new DifferingEntries();
        all.entries.putAll(entries);
        others.entries.forEach((path, isWhole) -> all.entries.merge(path, isWhole, Boolean::logicalOr));
        all.ofAttributes.addAll(ofAttributes);
        all.ofAttributes.addAll(others.ofAttributes);
        all.onlyInSecond.set(onlyInSecond.get());
        return all;
    }

    /** Returns these entries without everything below them, because what differs there is an entry of its own. */
    DifferingEntries alone() {
        DifferingEntries alone = new DifferingEntries();
        entries.keySet().forEach(path -> alone.entries.put(path, false));
        alone.ofAttributes.addAll(ofAttributes);
        alone.onlyInSecond.set(onlyInSecond.get());
        return alone;
    }

    /** Returns the entries as a selection, for a walk that uses {@link #filter} as well. */
    SelectedPaths selection() {
        SelectedPaths selection = SelectedPaths.strict();
        entries.keySet().forEach(path -> {
            if (!leadsToOthers(path)) {
                selection.add(path);
            }
        });
        return selection;
    }

    /**
     * Returns the filter that excludes the content of directories whose own attributes differ, unless an entry below
     * them differs too.
     *
     * @param others excludes entries too
     */
    EntryFilter filter(EntryFilter others) {
        return (path, isDirectory) -> isBelowSame(path) || others.excludes(path, isDirectory);
    }

    private boolean isBelowSame(TreePath path) {
        return Boolean.FALSE.equals(entries.get(path.parent())) && !entries.containsKey(path) && !leadsToOthers(path);
    }

    // In the order of paths, everything below a directory follows it immediately.
    private boolean leadsToOthers(TreePath path) {
        TreePath next = entries.higherKey(path);
        return next != null && next.startsWith(path);
    }
}
