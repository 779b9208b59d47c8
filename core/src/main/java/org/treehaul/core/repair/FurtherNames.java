// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.repair;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import org.treehaul.core.compare.CompareOptions;
import org.treehaul.core.compare.DifferenceKind;
import org.treehaul.core.entry.Entry;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileId;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.TreeVisitor;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedPaths;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.options.WalkOptions;

/**
 * Finds the further names of files that differ, such as those of a hard link that the second tree lacks: a copy of a
 * list keeps only links among the names in it.
 */
final class FurtherNames {

    private final FileSystemCalls calls;
    private final Root root;
    private final CompareOptions options;
    private final Cancellation cancellation;

    private FurtherNames(FileSystemCalls calls, Root root, CompareOptions options, Cancellation cancellation) {
        this.calls = calls;
        this.root = root;
        this.options = options;
        this.cancellation = cancellation;
    }

    /** Does the work of {@link DifferingEntries#addFurtherNames}. */
    static void addTo(DifferingEntries entries, FileSystemCalls calls, Root root, CompareOptions options,
            Cancellation cancellation) {
        if (options.compares(DifferenceKind.HARD_LINKS) && entries.size() > 0) {
            new FurtherNames(calls, root, options, cancellation).addTo(entries);
        }
    }

    private void addTo(DifferingEntries entries) {
        Map<FileId, Long> missing = new ConcurrentHashMap<>();
        WalkOptions walk = WalkOptions.defaults()
                .withSymlinks(options.followRoots() ? Symlinks.ROOTS : Symlinks.NEVER)
                .withOneFileSystem(options.oneFileSystem())
                .withThreads(options.threads());
        each(walk.withStatus(true).withFilter(entries.filter(options.filter())),
                Root.of(root.path(), entries.selection()),
                entry -> entry.status()
                        .filter(status -> status.linkCount() > 1)
                        .ifPresent(status -> missing.merge(FileId.of(status), status.linkCount() - 1,
                                (before, first) -> before - 1)));
        missing.values().removeIf(names -> names == 0);
        if (missing.isEmpty()) {
            return;
        }
        // A directory in the list includes its names.
        SelectedPaths listed = entries.selection();
        Set<Long> inodes = missing.keySet().stream().map(FileId::inode).collect(Collectors.toSet());
        Set<TreePath> found = ConcurrentHashMap.newKeySet();
        each(walk.withStatus(false).withFilter(options.filter()), root, entry -> {
            if (inodes.contains(entry.inode()) && !listed.covers(entry.path())) {
                found.add(entry.path());
            }
        });
        try (FileAccess access = FileAccess.open(calls)) {
            found.stream().filter(path -> isOneOf(missing.keySet(), access, path)).forEach(entries::addName);
        }
    }

    private boolean isOneOf(Set<FileId> files, FileAccess access, TreePath path) {
        try {
            return files.contains(FileId.of(LongPath.status(access, path.below(root.path()), false)));
        } catch (SystemCallException e) {
            // It has vanished since.
            return false;
        }
    }

    private void each(WalkOptions walk, Root from, Consumer<Entry> consumer) {
        TreeWalker.of(calls, walk).walk(List.of(from), () -> new Files(consumer), cancellation);
    }

    /** Passes on all entries but directories. */
    private record Files(Consumer<Entry> consumer) implements TreeVisitor {

        @Override
        public Step visit(Entry entry) {
            if (entry.kind() != EntryKind.DIRECTORY) {
                consumer.accept(entry);
            }
            return Step.CONTINUE;
        }

        @Override
        public void failed(EntryFailure failure) {
            // The comparison has reported it.
        }
    }
}
