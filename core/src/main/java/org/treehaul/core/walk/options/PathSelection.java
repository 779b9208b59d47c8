// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.options;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.walk.listing.PackedEntries;

/**
 * A list of paths to walk instead of everything below a root, kept as a tree of names. The walk visits each listed path
 * with everything below it; it enters the directories on the way to a listed path, also through symbolic links, without
 * listing them.
 *
 * <p>
 * A selection made by {@link #ofEntries()} contains entries alone: none of them is a directory, and a symbolic link on
 * the way is followed only if {@link #follow} or the walk requires it. The selection carries the kind that each entry
 * had, so that the walk passes the entry on without asking for its kind, and a number that identifies the entry. A
 * selection made by {@link #ofDirectories()} is the same for directories alone; their content is not walked.
 *
 * <p>
 * Memory grows with the list: about 100 bytes for each distinct name, or, for entries alone, for each directory, plus
 * the name and 8 bytes for each entry. Must not change after it was passed to a walk.
 */
public final class PathSelection {

    /** The paths that a selection has, and whether symbolic links on the way to them are followed by default. */
    private enum Kind {
        PATHS,
        STRICT_PATHS,
        ENTRIES,
        DIRECTORIES
    }

    private final Map<ByteString, PathSelection> children = new LinkedHashMap<>();
    private final Kind kind;
    private boolean whole;
    private boolean followed;

    // The entries alone in this directory. The root node also holds the number of the root itself.
    private final PackedEntries entries = new PackedEntries();
    private int rootNumber = -1;
    private int mostNumber = -1;

    // The directory of the last entry added: the next entry is most likely in it too.
    private @Nullable TreePath lastParent;
    private @Nullable PathSelection lastNode;

    /** Creates an empty selection of whole paths. */
    public PathSelection() {
        this(Kind.PATHS);
    }

    private PathSelection(Kind kind) {
        this.kind = kind;
    }

    /**
     * Returns an empty selection of whole paths. Symbolic links on the way are followed only if {@link #follow} or the
     * walk requires it.
     */
    public static PathSelection strict() {
        return new PathSelection(Kind.STRICT_PATHS);
    }

    /** Returns an empty selection of entries alone that are not directories. */
    public static PathSelection ofEntries() {
        return new PathSelection(Kind.ENTRIES);
    }

    /** Returns an empty selection of directories alone. */
    public static PathSelection ofDirectories() {
        return new PathSelection(Kind.DIRECTORIES);
    }

    /** Adds a path with everything below it. */
    public void add(TreePath path) {
        if (isOfEntries()) {
            throw new IllegalStateException("a selection of entries alone");
        }
        node(path).whole = true;
    }

    /** Adds a directory without its content to a selection of whole paths. */
    public void addDirectory(TreePath path) {
        if (isOfEntries()) {
            throw new IllegalStateException("a selection of entries alone");
        }
        node(path);
    }

    /**
     * Adds an entry alone.
     *
     * @param path path of the entry below the root; each path is added once
     * @param entry the kind that the entry had; for a followed link, the kind of its target (a link that is not
     *        followed is not a directory)
     * @param number identifies the entry to the handler; 0 or more
     * @throws IllegalArgumentException for a directory in a selection of other entries, for another kind in a selection
     *         of directories, or for a negative number, or for a name longer than 65,535 bytes
     */
    public void addEntry(TreePath path, EntryKind entry, int number) {
        if (!isOfEntries()) {
            throw new IllegalStateException("a selection of whole paths");
        }
        if ((entry == EntryKind.DIRECTORY) != isOfDirectories() || number < 0) {
            throw new IllegalArgumentException("not an entry that can be selected alone: " + entry + ", " + number);
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
        node.entries.add(path.nameBytes(), entry, number);
    }

    /** Marks a directory on the way, or the root, as reached through a symbolic link, which may be followed again. */
    public void follow(TreePath directory) {
        node(directory).followed = true;
    }

    private PathSelection node(TreePath path) {
        PathSelection node = this;
        for (ByteString name : path.names()) {
            node = node.children.computeIfAbsent(name, n -> new PathSelection(kind));
        }
        return node;
    }

    /** Returns whether entries are selected alone, without what is below them. */
    public boolean isOfEntries() {
        return kind == Kind.ENTRIES || isOfDirectories();
    }

    /** Returns whether the entries selected alone are directories. */
    public boolean isOfDirectories() {
        return kind == Kind.DIRECTORIES;
    }

    /** Returns the highest number of an entry selected alone, or -1 when there is none. */
    public int mostNumber() {
        return mostNumber;
    }

    /** Returns the number of the root if it is selected alone, else -1. */
    public int rootNumber() {
        return rootNumber;
    }

    /** Returns whether no entry was added alone. */
    public boolean isEmpty() {
        return mostNumber < 0;
    }

    /** Returns whether the walk follows this directory on the way if it is a symbolic link. */
    public boolean isFollowed() {
        return followed || kind == Kind.PATHS;
    }

    /** Returns whether a directory was marked by {@link #follow}. */
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

    /** Returns whether a path is listed, or below a listed path. */
    public boolean covers(TreePath path) {
        PathSelection node = this;
        for (ByteString name : path.names()) {
            if (node.whole) {
                return true;
            }
            node = node.children.get(name);
            if (node == null) {
                return false;
            }
        }
        return node.whole;
    }

    /**
     * Returns the listed paths at or below a path; or only the path itself, if it is below a listed path or none is
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

    /** Returns the directories on the way to a path that were marked by {@link #follow}. */
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

    /** Returns the entries selected alone in this directory. */
    @Internal
    public PackedEntries entries() {
        return entries;
    }

    boolean isWhole() {
        return whole;
    }

    public Map<ByteString, PathSelection> children() {
        return children;
    }

    /** Returns whether a name in this directory is on the way to a listed path without being listed itself. */
    public boolean leadsThrough(ByteString name) {
        PathSelection child = children.get(name);
        return child != null && !child.whole;
    }

    /** Returns the part of a selection that applies in a directory; null if everything in the directory is walked. */
    public static @Nullable PathSelection below(@Nullable PathSelection parent, ByteString name) {
        PathSelection child = parent == null ? null : parent.children.get(name);
        return child == null || child.whole ? null : child;
    }
}
