// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

import org.treehaul.core.compare.DifferenceKind;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;

/**
 * A change that a run makes at the destination.
 *
 * @param action the kind of change
 * @param path path of the entry below both roots
 * @param kind the kind of entry: that of the source, or for a removal that of the destination
 * @param differing for an existing entry the attributes in which it differs from the source
 * @param linkTarget the target of a symbolic link that is made or changed
 * @param from the path that a renamed file had
 */
public record Change(Action action, TreePath path, EntryKind kind, Set<DifferenceKind> differing,
        Optional<ByteString> linkTarget, Optional<TreePath> from) {

    /** The kinds of change. */
    public enum Action {
        /** The entry is new. */
        CREATE,
        /** The data of an existing file, or the target of a link, are replaced. */
        UPDATE,
        /** Only attributes change. */
        ATTRIBUTES,
        /** An existing file becomes a hard link to another one, or is separated from it. */
        LINK,
        /** A file that the destination has elsewhere is renamed. */
        RENAME,
        /** The entry is removed. */
        REMOVE
    }

    /** Makes a change of an entry that stays where it is. */
    Change(Action action, TreePath path, EntryKind kind, Set<DifferenceKind> differing,
            Optional<ByteString> linkTarget) {
        this(action, path, kind, differing, linkTarget, Optional.empty());
    }

    /** Copies the set. */
    public Change {
        Set<DifferenceKind> copy = EnumSet.noneOf(DifferenceKind.class);
        copy.addAll(differing);
        differing = Collections.unmodifiableSet(copy);
    }

    /** Returns a removal. */
    static Change removal(TreePath path, EntryKind kind) {
        return new Change(Action.REMOVE, path, kind, Set.of(), Optional.empty());
    }

    /** Returns a rename of a regular file. */
    static Change rename(TreePath from, TreePath to) {
        return new Change(Action.RENAME, to, EntryKind.REGULAR, Set.of(), Optional.empty(), Optional.of(from));
    }

    /**
     * Returns the change in the eleven characters of {@code rsync --itemize-changes}, see rsync(1). A rename, which
     * rsync does not have, is written like a removal.
     *
     * @param isTimeKept whether the time of the source is kept, so that its change is {@code t} and not {@code T}
     */
    public String itemized(boolean isTimeKept) {
        if (action == Action.REMOVE) {
            return "*deleting  ";
        }
        if (action == Action.RENAME) {
            return "*renaming  ";
        }
        String head = head();
        if (action == Action.CREATE) {
            return head + "+++++++++";
        }
        return head + letter('c', DifferenceKind.CONTENT, DifferenceKind.LINK_TARGET, DifferenceKind.DEVICE)
                + letter('s', DifferenceKind.SIZE) + letter(isTimeKept ? 't' : 'T', DifferenceKind.MTIME)
                + letter('p', DifferenceKind.MODE) + letter('o', DifferenceKind.OWNER)
                + letter('g', DifferenceKind.GROUP) + '.' + letter('a', DifferenceKind.ACL)
                + letter('x', DifferenceKind.XATTR);
    }

    private String head() {
        char update = switch (action) {
            case ATTRIBUTES, RENAME, REMOVE -> '.';
            case LINK -> 'h';
            case CREATE, UPDATE -> kind == EntryKind.REGULAR ? '>' : 'c';
        };
        char type = switch (kind) {
            case REGULAR -> 'f';
            case DIRECTORY -> 'd';
            case SYMLINK -> 'L';
            case CHARACTER, BLOCK -> 'D';
            case FIFO, SOCKET -> 'S';
        };
        return String.valueOf(new char[]{update, type});
    }

    private char letter(char letter, DifferenceKind... kinds) {
        for (DifferenceKind one : kinds) {
            if (differing.contains(one)) {
                return letter;
            }
        }
        return '.';
    }
}
