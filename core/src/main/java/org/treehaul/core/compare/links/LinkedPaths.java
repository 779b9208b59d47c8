// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare.links;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;

/**
 * The groups of paths that are names of the same file, on both sides. The groups of both sides are equal if, for any
 * two paths, they name one file in the first tree if and only if they name one file in the second. Links outside the
 * trees do not count.
 *
 * <p>
 * Memory grows with the paths of files that have several links, until all links of a file were seen and agree. Safe for
 * any number of threads.
 */
@Internal
public final class LinkedPaths {

    private record FileId(long device, long inode) {
        static FileId of(FileStatus status, long rootDevice) {
            // Another node may use another number for the device of a network file system.
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

    /** A file of the first tree and the file of the second tree with the same path. */
    private record Pair(FileId a, FileId b) {}

    private final Map<Pair, List<TreePath>> paths = new HashMap<>();

    /**
     * Records a path that exists on both sides and has several links on one of them.
     *
     * @param deviceA the device of the first tree's root
     * @param deviceB the device of the second tree's root
     */
    public synchronized void add(FileStatus a, long deviceA, FileStatus b, long deviceB, TreePath path) {
        Pair pair = new Pair(FileId.of(a, deviceA), FileId.of(b, deviceB));
        List<TreePath> group = paths.computeIfAbsent(pair, p -> new ArrayList<>(2));
        group.add(path);
        // Every link of either file is a link of the other: no later path can change that.
        if (group.size() == a.linkCount() && group.size() == b.linkCount()) {
            paths.remove(pair);
        }
    }

    /** Writes the groups for {@link #read} in another process. */
    public synchronized void write(DataOutputStream out) throws IOException {
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

    /** Adds the groups of another process. */
    public synchronized void read(DataInputStream in) throws IOException {
        for (int groups = in.readInt(); groups > 0; groups--) {
            Pair pair = new Pair(FileId.read(in), FileId.read(in));
            List<TreePath> group = paths.computeIfAbsent(pair, p -> new ArrayList<>(2));
            for (int count = in.readInt(); count > 0; count--) {
                group.add(TreePath.of(in.readNBytes(in.readInt())));
            }
        }
    }

    /** Receives a path that is linked with different paths on the two sides. */
    public interface Visitor {
        void visit(TreePath path, String linksInA, String linksInB);
    }

    /** Passes the paths whose groups differ to the visitor, ordered by path. */
    public synchronized void forEachDifference(Visitor visitor) {
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
            // Both groups contain this one completely, so they are equal exactly if neither contains more.
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

    // A file may have very many names: each path is described by these two, without searching all others.
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
