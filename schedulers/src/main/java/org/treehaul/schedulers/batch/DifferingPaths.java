// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.IntPredicate;

import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.plan.format.PlannedDirectory;
import org.treehaul.core.plan.format.PlannedFile;
import org.treehaul.core.plan.format.PlannedRoot;
import org.treehaul.core.walk.options.Symlinks;

/** The paths of a plan that a verification found to differ, by the root of the plan. Used by one thread. */
final class DifferingPaths {

    private final Plan plan;

    // True for a directory that is copied without its content, because each differing entry below it is listed by
    // itself. False for any other entry, which is copied with everything below it.
    private final List<NavigableMap<TreePath, Boolean>> roots = new ArrayList<>();

    DifferingPaths(Plan plan) {
        this.plan = plan;
        plan.header().roots().forEach(root -> roots.add(new TreeMap<>()));
    }

    /** Adds the entry of a failure. If several roots have the same target, it is added to each. */
    void add(EntryFailure failure) {
        List<PlannedRoot> planned = plan.header().roots();
        for (int i = 0; i < planned.size(); i++) {
            if (failure.root().equals(planned.get(i).target()) || failure.root().equals(planned.get(i).source())) {
                roots.get(i).putIfAbsent(failure.path(), false);
            }
        }
    }

    /** The entries that the copy had to keep. */
    @FunctionalInterface
    interface Kept {
        /** Returns which indexes of a batch are those of such entries. */
        IntPredicate in(int batch) throws IOException;
    }

    /**
     * Finds the directories among the paths and, if links are preserved, adds the other names of hard-linked files that
     * the copy did not keep.
     *
     * @param mayBeKept whether the copy had to keep existing files: no record says which of the names of large files
     *        these are
     */
    void lookUp(CopyOptions options, Kept kept, boolean mayBeKept) throws IOException {
        try (PlanRecords<PlannedDirectory> directories = plan.directories()) {
            for (PlannedDirectory next = directories.next(); next != null; next = directories.next()) {
                roots.get(next.root()).replace(next.path(), true);
            }
        }
        if (options.preserve().contains(Preserve.LINKS)) {
            addNames(kept);
            if (!mayBeKept) {
                addNamesOfLargeFiles();
            }
        }
    }

    /**
     * Leaves out the content of all directories: a comparison with conditions reports each entry below a directory that
     * the plan does not contain by itself, and others must not be copied.
     */
    void leaveOutContent(FileSystemCalls calls, CopyOptions options) {
        boolean follows = options.symlinks() == Symlinks.ALWAYS;
        try (FileAccess access = FileAccess.open(calls)) {
            for (int i = 0; i < roots.size(); i++) {
                ByteString source = plan.header().roots().get(i).source();
                roots.get(i)
                        .replaceAll((path, isAlone) -> isAlone
                                || isDirectory(access, source, path, follows || path.isRoot()));
            }
        }
    }

    private static boolean isDirectory(FileAccess access, ByteString source, TreePath path, boolean follow) {
        try {
            return LongPath.status(access, path.below(source), follow).kind() == EntryKind.DIRECTORY;
        } catch (SystemCallException e) {
            // The repair reports it.
            return false;
        }
    }

    // All names of a file are adjacent in one batch.
    private void addNames(Kept kept) throws IOException {
        List<PlannedFile.Name> names = new ArrayList<>();
        for (int batch = 0; batch < plan.batchCount(); batch++) {
            IntPredicate isKept = kept.in(batch);
            long group = 0;
            try (PlanRecords<ManifestEntry> entries = plan.manifest(batch)) {
                for (ManifestEntry next = entries.next(); next != null; next = entries.next()) {
                    if (next.group() != group) {
                        addIfAny(names);
                        names.clear();
                        group = next.group();
                    }
                    if (group != 0 && !isKept.test(next.index())) {
                        names.add(new PlannedFile.Name(next.root(), next.path()));
                    }
                }
            }
            addIfAny(names);
            names.clear();
        }
    }

    private void addNamesOfLargeFiles() throws PlanException {
        try (PlanRecords<PlannedFile> files = plan.chunked()) {
            for (PlannedFile next = files.next(); next != null; next = files.next()) {
                List<PlannedFile.Name> names = new ArrayList<>(next.links());
                names.add(new PlannedFile.Name(next.root(), next.path()));
                addIfAny(names);
            }
        }
    }

    private void addIfAny(List<PlannedFile.Name> names) {
        if (names.stream().anyMatch(name -> roots.get(name.root()).containsKey(name.path()))) {
            names.forEach(name -> roots.get(name.root()).putIfAbsent(name.path(), false));
        }
    }

    /** Returns whether nothing below a root differs. */
    boolean isEmpty(int root) {
        return roots.get(root).isEmpty();
    }

    /** Returns whether the root itself is copied, with everything below it. */
    boolean isWhole(int root) {
        return Boolean.FALSE.equals(roots.get(root).get(TreePath.root()));
    }

    /** Returns whether an entry at or below a path differs. */
    boolean leadsToAny(int root, TreePath path) {
        TreePath next = roots.get(root).ceilingKey(path);
        return next != null && next.startsWith(path);
    }

    /** Passes each path below a root to the action, with true for a directory without its content. */
    void forEach(int root, BiConsumer<TreePath, Boolean> action) {
        roots.get(root).forEach(action);
    }
}
