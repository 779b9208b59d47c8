// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.options;

import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.walk.listing.PackedEntries;

/**
 * Selects entries alone, without what is below them: either directories, or entries of other kinds. It has the kind
 * that each entry had, so that the walk passes the entry on without asking for its kind, and a number that identifies
 * the entry. A symbolic link on the way is followed only if {@link #follow} or the walk requires it.
 *
 * <p>
 * Memory grows with the list: about 100 bytes for each directory on the way, plus the name and 8 bytes for each entry.
 */
public final class SelectedEntries extends PathSelection {

    private final Map<ByteString, SelectedEntries> children = new LinkedHashMap<>();
    private final boolean directories;

    // The entries in this directory. The root node also holds the number of the root itself.
    private final PackedEntries entries = new PackedEntries();
    private int rootNumber = -1;
    private int highestNumber = -1;
    private int lowestNumber = Integer.MAX_VALUE;

    // The directory of the last entry added: the next entry is most likely in it too.
    private @Nullable TreePath lastParent;
    private @Nullable SelectedEntries lastNode;

    private SelectedEntries(boolean directories) {
        this.directories = directories;
    }

    /** Returns an empty selection of directories. */
    public static SelectedEntries ofDirectories() {
        return new SelectedEntries(true);
    }

    /** Returns an empty selection of entries that are not directories. */
    public static SelectedEntries ofNonDirectories() {
        return new SelectedEntries(false);
    }

    /**
     * Adds an entry.
     *
     * @param path path of the entry below the root; each path is added once
     * @param kind the kind that the entry had; for a followed link, the kind of its target (a link that is not followed
     *        is not a directory)
     * @param number identifies the entry to the handler; 0 or more
     * @throws IllegalArgumentException for a directory in a selection of other entries, for another kind in a selection
     *         of directories, or for a negative number, or for a name longer than 65,535 bytes
     */
    public void addEntry(TreePath path, EntryKind kind, int number) {
        if ((kind == EntryKind.DIRECTORY) != directories || number < 0) {
            throw new IllegalArgumentException("not an entry that can be selected alone: " + kind + ", " + number);
        }
        highestNumber = Math.max(highestNumber, number);
        lowestNumber = Math.min(lowestNumber, number);
        if (path.isRoot()) {
            rootNumber = number;
            return;
        }
        TreePath parent = path.parent();
        SelectedEntries node = lastNode;
        if (node == null || lastParent == null || !parent.equals(lastParent)) {
            node = node(parent);
            lastParent = parent;
            lastNode = node;
        }
        node.entries.add(path.nameBytes(), kind, number);
    }

    @Override
    SelectedEntries node(TreePath path) {
        return node(this, path, SelectedEntries::children, () -> new SelectedEntries(directories));
    }

    /** Returns whether the entries are directories. */
    public boolean isOfDirectories() {
        return directories;
    }

    /** Returns the highest number of an entry, or -1 when there is none. */
    public int highestNumber() {
        return highestNumber;
    }

    /** Returns the lowest number of an entry, or 0 when there is none. */
    @Internal
    public int lowestNumber() {
        return isEmpty() ? 0 : lowestNumber;
    }

    /** Returns the number of the root if it is selected, else -1. */
    public int rootNumber() {
        return rootNumber;
    }

    /** Returns whether no entry was added. */
    public boolean isEmpty() {
        return highestNumber < 0;
    }

    @Override
    public boolean isFollowed() {
        return isMarked();
    }

    /** Returns the entries selected in this directory. */
    @Internal
    public PackedEntries entries() {
        return entries;
    }

    @Internal
    @Override
    public Map<ByteString, SelectedEntries> children() {
        return children;
    }

    @Internal
    @Override
    public @Nullable SelectedEntries below(ByteString name) {
        return children.get(name);
    }
}
