// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;

/**
 * A list of paths to walk instead of everything below a root, kept as a tree of names. A listed path is walked with all
 * that stands below it; the directories on the way to it are entered but not listed, also through symbolic links.
 *
 * <p>
 * A selection made by {@link #ofEntries()} is of entries alone: what is listed in it is no directory, and neither is
 * followed what is on the way unless {@link #follow} or the walk says so. It carries the kind that each entry had, so
 * that the walk hands it on without asking for it, and a number by which the entry is known. One that is made by
 * {@link #ofDirectories()} is the same of directories alone: of these, the content is not walked.
 *
 * <p>
 * Memory grows with the list: about 100 bytes for each name that differs, of entries alone for each directory, and of
 * these for each entry its name and 25 bytes. Not to be changed once a walk has it.
 */
public final class PathSelection {

    private final Map<ByteString, PathSelection> children = new LinkedHashMap<>();
    private final boolean isOfEntries;
    private final boolean isOfDirectories;
    private final boolean isStrict;
    private boolean whole;
    private boolean followed;

    // Entries alone that stand in this directory, and on the root's node the root itself.
    private final RecordWriter records = new RecordWriter();
    private int rootNumber = -1;
    private int mostNumber = -1;

    // What the last entry was put into: the next one most likely stands there too.
    private @Nullable TreePath lastParent;
    private @Nullable PathSelection lastNode;

    /** Makes a selection of nothing. */
    public PathSelection() {
        this(false, false, false);
    }

    private PathSelection(boolean isOfEntries, boolean isOfDirectories, boolean isStrict) {
        this.isOfEntries = isOfEntries;
        this.isOfDirectories = isOfDirectories;
        this.isStrict = isStrict;
    }

    /**
     * Returns a selection of no paths yet, whose symbolic links on the way are followed only where {@link #follow} or
     * the walk says so.
     */
    public static PathSelection strict() {
        return new PathSelection(false, false, true);
    }

    /** Returns a selection of no entries yet, to which entries alone are added. */
    public static PathSelection ofEntries() {
        return new PathSelection(true, false, true);
    }

    /** Returns a selection of no directories yet, to which directories alone are added. */
    public static PathSelection ofDirectories() {
        return new PathSelection(true, true, true);
    }

    /** Adds a path, with all that stands below it. */
    public void add(TreePath path) {
        if (isOfEntries) {
            throw new IllegalStateException("a selection of entries alone");
        }
        node(path).whole = true;
    }

    /**
     * Adds an entry alone.
     *
     * @param path where it stands; each path is added once
     * @param kind the kind that it had, of a followed link's target: another one is no directory
     * @param number by which the walk tells it, 0 or more
     * @throws IllegalArgumentException for a directory where these are not what is selected, or for another kind where
     *         they are, or a number below 0
     */
    public void addEntry(TreePath path, EntryKind kind, int number) {
        if (!isOfEntries) {
            throw new IllegalStateException("a selection of whole paths");
        }
        if ((kind == EntryKind.DIRECTORY) != isOfDirectories || number < 0) {
            throw new IllegalArgumentException("no entry to be selected alone: " + kind + ", " + number);
        }
        mostNumber = Math.max(mostNumber, number);
        if (path.isRoot()) {
            rootNumber = number;
            return;
        }
        TreePath parent = path.parent();
        PathSelection node = lastNode;
        if (node == null || lastParent == null || !parent.equals(lastParent)) {
            node = node(parent);
            lastParent = parent;
            lastNode = node;
        }
        node.records.add(path.nameBytes(), kind, number);
    }

    /** Says of a directory on the way, or the root, that it was reached through a symbolic link and may be again. */
    public void follow(TreePath directory) {
        node(directory).followed = true;
    }

    private PathSelection node(TreePath path) {
        PathSelection node = this;
        for (ByteString name : path.names()) {
            node = node.children.computeIfAbsent(name, n -> new PathSelection(isOfEntries, isOfDirectories, isStrict));
        }
        return node;
    }

    /** Returns whether entries alone are selected. */
    public boolean isOfEntries() {
        return isOfEntries;
    }

    /** Returns whether these are directories. */
    boolean isOfDirectories() {
        return isOfDirectories;
    }

    /** Returns the highest number of an entry alone, -1 when there is none. */
    public int mostNumber() {
        return mostNumber;
    }

    /** Returns the number of the root when it is selected alone, else -1. */
    public int rootNumber() {
        return rootNumber;
    }

    /** Returns whether no entry alone was added. */
    public boolean isEmpty() {
        return mostNumber < 0;
    }

    /** Returns whether a symbolic link is followed that is this directory on the way. */
    boolean isFollowed() {
        return followed || !isStrict;
    }

    /** Returns whether a directory was said to be {@linkplain #follow followed}. */
    public boolean follows(TreePath directory) {
        PathSelection node = this;
        for (ByteString name : directory.names()) {
            node = node.children.get(name);
            if (node == null) {
                return false;
            }
        }
        return node.followed;
    }

    /**
     * Returns the listed paths at or below a path, or the path itself where it stands below a listed one, or none is
     * listed there.
     */
    public List<TreePath> listedBelow(TreePath path) {
        PathSelection node = this;
        for (ByteString name : path.names()) {
            PathSelection child = node.whole ? null : node.children.get(name);
            if (child == null) {
                return List.of(path);
            }
            node = child;
        }
        List<TreePath> listed = new ArrayList<>();
        node.addListed(path, listed);
        return listed.isEmpty() ? List.of(path) : listed;
    }

    private void addListed(TreePath path, List<TreePath> listed) {
        if (whole) {
            listed.add(path);
            return;
        }
        children.forEach((name, child) -> child.addListed(path.child(name.toBytes()), listed));
    }

    /** Returns the directories on the way to a path that were said to be followed. */
    public List<TreePath> followedOnTheWayTo(TreePath path) {
        List<TreePath> marks = new ArrayList<>();
        TreePath at = TreePath.root();
        PathSelection node = this;
        for (ByteString name : path.names()) {
            if (node.followed) {
                marks.add(at);
            }
            at = at.child(name.toBytes());
            node = node.children.get(name);
            if (node == null) {
                break;
            }
        }
        return marks;
    }

    /** Returns the entries alone of this directory. */
    RecordWriter records() {
        return records;
    }

    boolean isWhole() {
        return whole;
    }

    Map<ByteString, PathSelection> children() {
        return children;
    }

    /** Returns whether a name in this directory is on the way to a listed path without being listed itself. */
    boolean leadsThrough(ByteString name) {
        PathSelection child = children.get(name);
        return child != null && !child.whole;
    }

    /** Returns the part of a selection that applies in a directory: null where everything in it is walked. */
    static @Nullable PathSelection below(@Nullable PathSelection parent, ByteString name) {
        PathSelection child = parent == null ? null : parent.children.get(name);
        return child == null || child.whole ? null : child;
    }
}
