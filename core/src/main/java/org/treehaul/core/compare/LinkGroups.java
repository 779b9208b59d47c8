// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;

/**
 * Which paths are names of one file, on both sides. They are the same when two paths are one file in the first tree
 * exactly where they are in the second. Links that lead out of the trees do not count.
 *
 * <p>
 * Memory grows with the paths of files that have several links, until all links of a file were seen and agree. Safe for
 * any number of threads.
 */
final class LinkGroups {

    private record FileId(long device, long inode) {
        static FileId of(FileStatus status) {
            return new FileId(status.device(), status.inode());
        }
    }

    /** A file of the first tree and the one of the second tree that it was found paired with. */
    private record Pair(FileId a, FileId b) {}

    private final Map<Pair, List<TreePath>> paths = new HashMap<>();

    /** Takes note of a path that exists on both sides and has several links on one of them. */
    synchronized void add(FileStatus a, FileStatus b, TreePath path) {
        Pair pair = new Pair(FileId.of(a), FileId.of(b));
        List<TreePath> group = paths.computeIfAbsent(pair, p -> new ArrayList<>(2));
        group.add(path);
        // Every link of either file is a link of the other: no path that is still to come can change that.
        if (group.size() == a.linkCount() && group.size() == b.linkCount()) {
            paths.remove(pair);
        }
    }

    /** Hears of a path that is linked with others on one side than on the other. */
    interface Visitor {
        void visit(TreePath path, String linksInA, String linksInB);
    }

    /** Shows the paths whose groups differ, in the order of the paths. */
    synchronized void forEachDifference(Visitor visitor) {
        Map<FileId, List<TreePath>> inA = new HashMap<>();
        Map<FileId, List<TreePath>> inB = new HashMap<>();
        paths.forEach((pair, group) -> {
            inA.computeIfAbsent(pair.a, id -> new ArrayList<>()).addAll(group);
            inB.computeIfAbsent(pair.b, id -> new ArrayList<>()).addAll(group);
        });
        Map<TreePath, Pair> differing = new TreeMap<>();
        paths.forEach((pair, group) -> {
            // Both groups hold all of this one, so they are equal just when neither holds more.
            if (size(inA, pair.a) != group.size() || size(inB, pair.b) != group.size()) {
                group.forEach(path -> differing.put(path, pair));
            }
        });
        differing.forEach(
                (path, pair) -> visitor.visit(path, describe(inA.get(pair.a), path), describe(inB.get(pair.b), path)));
    }

    private static int size(Map<FileId, List<TreePath>> groups, FileId id) {
        List<TreePath> group = groups.get(id);
        return group == null ? 0 : group.size();
    }

    private static String describe(@Nullable List<TreePath> group, TreePath path) {
        TreePath first = null;
        for (TreePath other : group == null ? List.<TreePath>of() : group) {
            if (!other.equals(path) && (first == null || other.compareTo(first) < 0)) {
                first = other;
            }
        }
        if (group == null || first == null) {
            return "alone";
        }
        return "with " + first + (group.size() > 2 ? " and " + (group.size() - 2) + " more" : "");
    }
}
