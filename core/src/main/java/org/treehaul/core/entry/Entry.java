// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.entry;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * One file, directory or other object in a tree, as a walk found it. Immutable.
 *
 * <p>
 * The status is present if the walk was asked for it, and the link target if in addition the entry is a symbolic link.
 * A walk for names alone makes no call per entry and knows only path, kind and inode.
 */
public final class Entry {

    private final TreePath path;
    private final EntryKind kind;
    private final long inode;
    private final @Nullable FileStatus status;
    private final @Nullable ByteString linkTarget;

    private Entry(TreePath path, EntryKind kind, long inode, @Nullable FileStatus status,
            @Nullable ByteString linkTarget) {
        this.path = path;
        this.kind = kind;
        this.inode = inode;
        this.status = status;
        this.linkTarget = linkTarget;
    }

    /** Returns an entry that is known only from the listing of its directory. */
    public static Entry named(TreePath path, EntryKind kind, long inode) {
        return new Entry(path, kind, inode, null, null);
    }

    /** Returns an entry with its status. */
    public static Entry of(TreePath path, FileStatus status) {
        return new Entry(path, status.kind(), status.inode(), status, null);
    }

    /**
     * Returns a symbolic link with its status and target.
     *
     * @throws IllegalArgumentException if the status is not that of a symbolic link
     */
    public static Entry symlink(TreePath path, FileStatus status, ByteString linkTarget) {
        if (status.kind() != EntryKind.SYMLINK) {
            throw new IllegalArgumentException("a link target for a " + status.kind().label() + ": " + path);
        }
        return new Entry(path, EntryKind.SYMLINK, status.inode(), status, linkTarget);
    }

    /** Returns the path of the entry below its root. */
    public TreePath path() {
        return path;
    }

    /** Returns its kind. */
    public EntryKind kind() {
        return kind;
    }

    /** Returns its inode number, unsigned 64 bits. */
    public long inode() {
        return inode;
    }

    /** Returns its status, if the walk asked for it. */
    public Optional<FileStatus> status() {
        return Optional.ofNullable(status);
    }

    /** Returns the target of a symbolic link, if the walk asked for it. */
    public Optional<ByteString> linkTarget() {
        return Optional.ofNullable(linkTarget);
    }

    @Override
    public String toString() {
        return kind.label() + " " + path;
    }
}
