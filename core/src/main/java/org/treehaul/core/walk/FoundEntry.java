// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.Entry;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/**
 * The entry that a worker has in hand: a cursor over the listing, so that the walk of a directory makes no object per
 * entry unless the handler asks for one. Good only during the call it is passed to, on that thread.
 *
 * @param <D> what the handler attaches to each directory
 */
public final class FoundEntry<D> {

    private final WalkWorker<D> worker;
    private @Nullable WalkDirectory<D> parent;
    private int rootIndex;
    private int descriptor;
    private MemorySegment name = MemorySegment.NULL;
    private int nameLength;
    private @Nullable EntryKind kind;
    private long inode;
    private boolean followed;
    private @Nullable FileStatus status;
    private @Nullable TreePath path;

    FoundEntry(WalkWorker<D> worker) {
        this.worker = worker;
    }

    void setRoot(int index, int directory, MemorySegment rootName, int length, FileStatus rootStatus,
            boolean rootFollowed) {
        parent = null;
        nameLength = length;
        followed = rootFollowed;
        rootIndex = index;
        descriptor = directory;
        name = rootName;
        kind = rootStatus.kind();
        inode = rootStatus.inode();
        status = rootStatus;
        path = TreePath.root();
    }

    void set(WalkDirectory<D> directory, int directoryDescriptor, MemorySegment entryName, int length,
            @Nullable EntryKind listedKind, long listedInode) {
        parent = directory;
        rootIndex = directory.rootIndex();
        descriptor = directoryDescriptor;
        name = entryName;
        nameLength = length;
        kind = listedKind;
        inode = listedInode;
        followed = false;
        status = null;
        path = null;
    }

    void follow(FileStatus target) {
        followed = true;
        status = target;
        kind = target.kind();
        inode = target.inode();
    }

    boolean isKindKnown() {
        return kind != null;
    }

    /** Returns the directory that the entry stands in, or null for a root. */
    public @Nullable WalkDirectory<D> parent() {
        return parent;
    }

    /** Returns the position of the entry's root in the list that the walk was given. */
    public int rootIndex() {
        return rootIndex;
    }

    /** Returns the open descriptor that {@link #name()} is to be resolved against. */
    public int parentDescriptor() {
        return descriptor;
    }

    /** Returns the name, NUL-ended, in native memory. */
    public MemorySegment name() {
        return name;
    }

    /** Returns a copy of the name's bytes, without the NUL. For a root that is the path as the user gave it. */
    public byte[] nameBytes() {
        return name.asSlice(0, nameLength).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Returns the number of bytes of the name, without the NUL. */
    public int nameLength() {
        return nameLength;
    }

    /** Returns the kind: of the link's target where the walk follows the link. */
    public EntryKind kind() {
        return Objects.requireNonNull(kind);
    }

    /** Returns the inode number. */
    public long inode() {
        return inode;
    }

    /** Returns whether this is a symbolic link that the walk follows; of a root, whether it may be one. */
    public boolean isFollowed() {
        return followed;
    }

    /** Returns the status, read now unless it was before. */
    public FileStatus status() throws SystemCallException {
        FileStatus known = status;
        if (known == null) {
            known = worker.access().status(descriptor, name);
            status = known;
            kind = known.kind();
        }
        return known;
    }

    /** Returns where the entry stands below its root. */
    public TreePath path() {
        TreePath known = path;
        if (known == null) {
            known = Objects.requireNonNull(parent).path().child(nameBytes());
            path = known;
        }
        return known;
    }

    /** Returns the worker whose thread this is. */
    public WalkWorker<D> worker() {
        return worker;
    }

    /** Returns file access for this thread. */
    public FileAccess access() {
        return worker.access();
    }

    /**
     * Returns the entry as a value that may be kept; with its status, and a link's target, when the walk reads status.
     */
    public Entry toEntry(boolean withStatus) throws SystemCallException {
        if (!withStatus) {
            return Entry.named(path(), kind(), inode);
        }
        FileStatus known = status();
        return known.kind() == EntryKind.SYMLINK
                ? Entry.symlink(path(), known, worker.access().linkTarget(descriptor, name))
                : Entry.of(path(), known);
    }
}
