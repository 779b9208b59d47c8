// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.verify;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.compare.CompareOptions;
import org.treehaul.core.compare.DataRange;
import org.treehaul.core.compare.Difference;
import org.treehaul.core.compare.DifferenceKind;
import org.treehaul.core.compare.EntryScope;
import org.treehaul.core.compare.TreeComparer;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlannedRoot;
import org.treehaul.core.transfer.batch.FollowedSymlinks;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedEntries;
import org.treehaul.core.walk.options.Symlinks;

/** Entries, or directories, that are compared together. Used by one thread. */
final class ComparisonSlice {

    /** Maximum number of entries compared together: a kill loses at most these, or about {@link #BYTES} of data. */
    static final int ENTRIES = 2_000;

    /** Bytes of data compared together. */
    static final long BYTES = 1L << 30;

    private final List<PlannedRoot> roots;
    private final FollowedSymlinks ways;
    private final List<SelectedEntries> selections = new ArrayList<>();
    private final Map<Place, Integer> numbers = new HashMap<>();
    private final Map<Integer, Item> items = new LinkedHashMap<>();
    private final Map<Integer, Pair> pairs = new ConcurrentHashMap<>();
    private final Map<Place, List<Difference>> differences = new HashMap<>();
    private final Map<Place, EntryFailure> failures = new HashMap<>();
    private long bytes;

    private record Place(int root, TreePath path) {}

    private record Item(Place place, long group, DataRange range) {}

    private record Pair(FileStatus a, FileStatus b) {}

    /**
     * The result of comparing an entry.
     *
     * @param number the number under which it was added
     * @param root the index of its root in the plan
     * @param a its status in the source, null unless it exists on both sides
     * @param b its status in the destination, null unless it exists on both sides
     * @param differences the differences found
     * @param failure the error of the entry or of a directory above it that prevented the comparison, or null
     */
    record Finding(int number, int root, TreePath path, @Nullable FileStatus a, @Nullable FileStatus b,
            List<Difference> differences, @Nullable EntryFailure failure) {

        /** Returns whether the comparison gave no result for the entry. */
        boolean isUnknown() {
            return a == null && differences.isEmpty() && failure == null;
        }

        /** Returns whether another finding is about the same file on both sides. */
        boolean isSameFile(Finding other) {
            return a != null && b != null && other.a != null && other.b != null && a.isSameFile(other.a)
                    && b.isSameFile(other.b);
        }
    }

    private ComparisonSlice(List<PlannedRoot> roots, FollowedSymlinks ways, boolean isOfDirectories) {
        this.roots = roots;
        this.ways = ways;
        roots.forEach(root -> selections
                .add(isOfDirectories ? SelectedEntries.ofDirectories() : SelectedEntries.ofNonDirectories()));
    }

    static ComparisonSlice ofEntries(Plan plan) {
        return new ComparisonSlice(plan.header().roots(), new FollowedSymlinks(plan), false);
    }

    static ComparisonSlice ofDirectories(Plan plan) {
        return new ComparisonSlice(plan.header().roots(), new FollowedSymlinks(plan), true);
    }

    /** Returns whether a path is in the slice: a slice holds only one part of a file. */
    boolean has(int root, TreePath path) {
        return numbers.containsKey(new Place(root, path));
    }

    /**
     * Adds an entry.
     *
     * @param number identifies the entry in the findings
     * @param group equal for the names of one file; 0 for none
     */
    void add(int number, int root, TreePath path, EntryKind kind, long group, DataRange range, long itsBytes) {
        Place place = new Place(root, path);
        numbers.put(place, number);
        items.put(number, new Item(place, group, range));
        selections.get(root).addEntry(path, kind, number);
        ways.mark(selections.get(root), root, path);
        bytes += itsBytes;
    }

    boolean isEmpty() {
        return items.isEmpty();
    }

    boolean isFull() {
        return items.size() >= ENTRIES || bytes >= BYTES;
    }

    /**
     * Compares source and destination.
     *
     * @return whether the comparison completed; otherwise the findings are meaningless
     */
    boolean compare(FileSystemCalls calls, CompareOptions options, Symlinks symlinks, Progress progress,
            Cancellation stop) {
        EntryScope scope = new EntryScope(symlinks, number -> item(number).range,
                (number, a, b) -> pairs.put(number, new Pair(a, b)));
        for (int i = 0; i < roots.size(); i++) {
            int root = i;
            boolean isWhole = selections.get(i).isEmpty() || TreeComparer.of(calls, options)
                    .compareEntries(Root.of(roots.get(i).source(), selections.get(i)), roots.get(i).target(), scope,
                            difference -> differs(root, difference), event -> {
                                if (event instanceof Event.Failed failed) {
                                    failed(root, failed.failure());
                                }
                            }, progress, stop)
                    .isComplete();
            if (!isWhole) {
                return false;
            }
        }
        if (options.compares(DifferenceKind.HARD_LINKS)) {
            compareLinksAcrossRoots();
        }
        return true;
    }

    private Item item(int number) {
        Item item = items.get(number);
        if (item == null) {
            throw new IllegalArgumentException("not requested: " + number);
        }
        return item;
    }

    private synchronized void differs(int root, Difference difference) {
        differences.computeIfAbsent(new Place(root, difference.path()), place -> new ArrayList<>()).add(difference);
    }

    private synchronized void failed(int root, EntryFailure failure) {
        failures.putIfAbsent(new Place(root, failure.path()), failure);
    }

    // Each root is compared separately, so names of one file below two roots are compared here.
    private void compareLinksAcrossRoots() {
        Map<Long, Integer> firsts = new HashMap<>();
        items.forEach((number, item) -> {
            Pair pair = pairs.get(number);
            if (item.group == 0 || pair == null) {
                return;
            }
            int first = firsts.computeIfAbsent(item.group, group -> number);
            Pair other = pairs.get(first);
            if (other != null && item(first).place.root != item.place.root && pair.a.isSameFile(other.a)
                    && !pair.b.isSameFile(other.b)) {
                differs(item.place.root, Difference.of(DifferenceKind.HARD_LINKS, item.place.path,
                        "with " + item(first).place.path.below(roots.get(item(first).place.root).source()), "alone"));
            }
        });
    }

    /** Returns the finding for each entry. */
    List<Finding> findings() {
        List<Finding> findings = new ArrayList<>();
        items.forEach((number, item) -> {
            Pair pair = pairs.get(number);
            List<Difference> its = differences.getOrDefault(item.place, List.of());
            EntryFailure failure = failures.get(item.place);
            if (failure == null && pair == null && its.isEmpty()) {
                failure = ofDirectoryAbove(item.place);
                if (failure == null && hasNoDirectory(item.place.root)) {
                    its = List.of(Difference.of(DifferenceKind.ONLY_IN_A, item.place.path, "", ""));
                }
            }
            findings.add(new Finding(number, item.place.root, item.place.path, pair == null ? null : pair.a,
                    pair == null ? null : pair.b, its, failure));
        });
        return findings;
    }

    // If the destination of a selected root is not a directory, the walk ends there without a failure.
    private boolean hasNoDirectory(int root) {
        return differences.getOrDefault(new Place(root, TreePath.root()), List.of())
                .stream()
                .map(Difference::kind)
                .anyMatch(Set.of(DifferenceKind.ONLY_IN_A, DifferenceKind.KIND)::contains);
    }

    private @Nullable EntryFailure ofDirectoryAbove(Place place) {
        TreePath path = place.path;
        while (!path.isRoot()) {
            path = path.parent();
            EntryFailure failure = failures.get(new Place(place.root, path));
            if (failure != null) {
                return new EntryFailure(failure.kind(), failure.root(), place.path, failure.operation(),
                        failure.errno());
            }
        }
        return null;
    }
}
