// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
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
        static FileId of(FileStatus status, long rootDevice) {
            // Another node may have another number for the device of a network file system.
            return new FileId(status.device() == rootDevice ? 0 : status.device(), status.inode());
        }

        static FileId read(DataInputStream in) throws IOException {
            return new FileId(in.readLong(), in.readLong());
        }

        void write(DataOutputStream out) throws IOException {
            out.writeLong(device);
            out.writeLong(inode);
        }
    }

    /** A file of the first tree and the one of the second tree that it was found paired with. */
    private record Pair(FileId a, FileId b) {}

    private final Map<Pair, List<TreePath>> paths = new HashMap<>();

    /**
     * Takes note of a path that exists on both sides and has several links on one of them.
     *
     * @param deviceA the device of the first tree's root
     * @param deviceB that of the second tree's
     */
    synchronized void add(FileStatus a, long deviceA, FileStatus b, long deviceB, TreePath path) {
        Pair pair = new Pair(FileId.of(a, deviceA), FileId.of(b, deviceB));
        List<TreePath> group = paths.computeIfAbsent(pair, p -> new ArrayList<>(2));
        group.add(path);
        // Every link of either file is a link of the other: no path that is still to come can change that.
        if (group.size() == a.linkCount() && group.size() == b.linkCount()) {
            paths.remove(pair);
        }
    }

    /** Writes what {@link #read} adds to the groups of other processes. */
    synchronized void write(DataOutputStream out) throws IOException {
        out.writeInt(paths.size());
        for (Map.Entry<Pair, List<TreePath>> group : paths.entrySet()) {
            group.getKey().a.write(out);
            group.getKey().b.write(out);
            out.writeInt(group.getValue().size());
            for (TreePath path : group.getValue()) {
                byte[] bytes = path.toBytes();
                out.writeInt(bytes.length);
                out.write(bytes);
            }
        }
    }

    /** Adds what another process found. */
    synchronized void read(DataInputStream in) throws IOException {
        for (int groups = in.readInt(); groups > 0; groups--) {
            Pair pair = new Pair(FileId.read(in), FileId.read(in));
            List<TreePath> group = paths.computeIfAbsent(pair, p -> new ArrayList<>(2));
            for (int count = in.readInt(); count > 0; count--) {
                group.add(TreePath.of(in.readNBytes(in.readInt())));
            }
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
        Map<FileId, Summary> ofA = summaries(inA);
        Map<FileId, Summary> ofB = summaries(inB);
        Map<TreePath, Pair> differing = new TreeMap<>();
        paths.forEach((pair, group) -> {
            // Both groups hold all of this one, so they are equal just when neither holds more.
            if (size(inA, pair.a) != group.size() || size(inB, pair.b) != group.size()) {
                group.forEach(path -> differing.put(path, pair));
            }
        });
        differing.forEach(
                (path, pair) -> visitor.visit(path, describe(ofA.get(pair.a), path), describe(ofB.get(pair.b), path)));
    }

    private static int size(Map<FileId, List<TreePath>> groups, FileId id) {
        List<TreePath> group = groups.get(id);
        return group == null ? 0 : group.size();
    }

    // A file may have as many names as there are: each is told of by these two, not by a look at all others.
    private record Summary(int size, TreePath first, @Nullable TreePath second) {
        static Summary of(List<TreePath> group) {
            TreePath first = group.getFirst();
            TreePath second = null;
            for (TreePath path : group.subList(1, group.size())) {
                if (path.compareTo(first) < 0) {
                    second = first;
                    first = path;
                } else if (second == null || path.compareTo(second) < 0) {
                    second = path;
                }
            }
            return new Summary(group.size(), first, second);
        }
    }

    private static Map<FileId, Summary> summaries(Map<FileId, List<TreePath>> groups) {
        Map<FileId, Summary> summaries = new HashMap<>();
        groups.forEach((id, group) -> summaries.put(id, Summary.of(group)));
        return summaries;
    }

    private static String describe(@Nullable Summary group, TreePath path) {
        TreePath other = group == null ? null : path.equals(group.first) ? group.second : group.first;
        if (group == null || other == null) {
            return "alone";
        }
        return "with " + other + (group.size > 2 ? " and " + (group.size - 2) + " more" : "");
    }
}
