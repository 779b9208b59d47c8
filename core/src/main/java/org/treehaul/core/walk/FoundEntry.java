// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.condition.TextCondition;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Entry;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SeenStatuses;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.listing.DirectoryRecords;
import org.treehaul.core.walk.listing.PackedEntries;

/**
 * The entry that a worker is handling: a cursor over the listing, so that the walk of a directory makes no object per
 * entry unless the handler asks for one. Valid only during the call to which it is passed, on that thread.
 *
 * @param <D> the type of the value that the handler attaches to each directory
 */
public final class FoundEntry<D> implements FoundValues.Subject {

    private static final int NOT_AHEAD = -1;

    private final WalkWorker<D> worker;
    private final FileAccess access;
    private final SeenStatuses statuses;
    private @Nullable WalkDirectory<D> parent;
    private int rootIndex;
    private int descriptor;
    private MemorySegment nativeMemory = MemorySegment.NULL;
    private int nativeStart;
    private byte[] heap = {};
    private int heapStart;
    private int nameLength;
    private @Nullable EntryKind kind;
    // Read from the listing when it is asked for, if it is listed.
    private long inode;
    private boolean isInodeListed;
    private int number = -1;
    private boolean followed;
    private @Nullable FileStatus status;
    // By which the statuses know that of this entry if it was read, but no object was made of it; else 0.
    private long seen;
    // Its position among the statuses that were read ahead, or NOT_AHEAD.
    private int ahead;
    private @Nullable TreePath path;

    FoundEntry(WalkWorker<D> worker) {
        this.worker = worker;
        this.access = worker.access();
        this.statuses = access.seen();
    }

    void setRoot(int index, int directory, MemorySegment nativeName, byte[] name, FileStatus rootStatus,
            boolean rootFollowed) {
        parent = null;
        rootIndex = index;
        setName(directory, nativeName, 0, name, 0, name.length);
        followed = rootFollowed;
        kind = rootStatus.kind();
        inode = rootStatus.inode();
        isInodeListed = false;
        number = -1;
        status = rootStatus;
        seen = 0;
        ahead = NOT_AHEAD;
        path = TreePath.root();
    }

    /**
     * Moves the cursor to the record at an offset of a listing; {@code records} is a copy of the listing on the heap.
     */
    void setListed(WalkDirectory<D> directory, int directoryDescriptor, MemorySegment listing, byte[] records, int at) {
        int start = at + DirectoryRecords.NAME;
        setName(directoryDescriptor, listing, start, records, start, DirectoryRecords.nameLength(records, at));
        set(directory, DirectoryRecords.kind(records[at + DirectoryRecords.TYPE]), true, -1);
    }

    /**
     * Moves the cursor to an entry selected alone, which lies at an offset of {@link PackedEntries}; {@code names} has
     * the same bytes from an offset of its own on.
     */
    void setAlone(WalkDirectory<D> directory, int directoryDescriptor, MemorySegment names, int nativeAt, byte[] packed,
            int at) {
        setName(directoryDescriptor, names, nativeAt + PackedEntries.NAME, packed, at + PackedEntries.NAME,
                PackedEntries.nameLength(packed, at));
        set(directory, PackedEntries.kind(packed, at), false, PackedEntries.number(packed, at));
    }

    /** Moves the cursor to a name about which nothing else is known yet. */
    void setSelected(WalkDirectory<D> directory, int directoryDescriptor, MemorySegment nativeName, byte[] name) {
        setName(directoryDescriptor, nativeName, 0, name, 0, name.length);
        set(directory, null, false, -1);
    }

    private void set(WalkDirectory<D> directory, @Nullable EntryKind knownKind, boolean isListed, int itsNumber) {
        parent = directory;
        rootIndex = directory.rootIndex();
        followed = false;
        kind = knownKind;
        inode = 0;
        isInodeListed = isListed;
        number = itsNumber;
        status = null;
        seen = 0;
        ahead = NOT_AHEAD;
        path = null;
    }

    /** Sets the number of a root that was selected alone; -1 for one that was not. */
    void setNumber(int ofRoot) {
        number = ofRoot;
    }

    /** Sets the position of the entry's status among those that were read ahead. */
    void setAhead(int index) {
        ahead = index;
    }

    /** Marks an entry selected alone as a symbolic link that the walk follows if it is one. */
    void setFollowed() {
        followed = true;
    }

    private void setName(int directory, MemorySegment nativeBytes, int nativeAt, byte[] bytes, int at, int length) {
        descriptor = directory;
        nativeMemory = nativeBytes;
        nativeStart = nativeAt;
        heap = bytes;
        heapStart = at;
        nameLength = length;
    }

    /** Returns the bytes that hold the name, from {@link #heapStart()}. */
    byte[] heap() {
        return heap;
    }

    int heapStart() {
        return heapStart;
    }

    void follow(FileStatus target) {
        followed = true;
        status = target;
        kind = target.kind();
        inode = target.inode();
        isInodeListed = false;
    }

    boolean isKindKnown() {
        return kind != null;
    }

    /** Returns the directory that contains the entry, or null for a root. */
    public @Nullable WalkDirectory<D> parent() {
        return parent;
    }

    /** Returns the position of the entry's root in the list that the walk was given. */
    @Override
    public int rootIndex() {
        return rootIndex;
    }

    /** Returns the open descriptor against which {@link #name()} must be resolved. */
    @Override
    public int parentDescriptor() {
        return descriptor;
    }

    /** Returns the name, NUL-ended, in native memory. */
    @Override
    public MemorySegment name() {
        return nativeMemory.asSlice(nativeStart, nameLength + 1L);
    }

    /** Returns a copy of the name's bytes, without the NUL. For a root, this is the path as the user gave it. */
    @Override
    public byte[] nameBytes() {
        return Arrays.copyOfRange(heap, heapStart, heapStart + nameLength);
    }

    @Override
    public ByteString nameString() {
        return ByteString.of(heap, heapStart, heapStart + nameLength);
    }

    @Override
    public boolean isNameLike(List<TextCondition> conditions) {
        return FoundValues.isLike(heap, heapStart, heapStart + nameLength, conditions);
    }

    /** Copies the bytes of the name, without the NUL, to an array from an index on. */
    public void copyName(byte[] into, int at) {
        System.arraycopy(heap, heapStart, into, at, nameLength);
    }

    /** Returns the number of bytes of the name, without the NUL. */
    public int nameLength() {
        return nameLength;
    }

    /** Returns the kind; for a link that the walk follows, the kind of its target. */
    @Override
    public EntryKind kind() {
        return Objects.requireNonNull(kind);
    }

    /** Returns the inode number. */
    @Override
    public long inode() {
        return isInodeListed ? DirectoryRecords.inode(heap, heapStart - DirectoryRecords.NAME) : inode;
    }

    /**
     * Returns the number under which the entry was selected alone, or -1. For such an entry, the kind is the one it had
     * when it was selected, and the inode is unknown.
     */
    public int number() {
        return number;
    }

    /** Returns whether this is a symbolic link that the walk follows; for a root, whether it may be one. */
    @Override
    public boolean isFollowed() {
        return followed;
    }

    /** Returns the status; reads it now unless it was read before. */
    @Override
    public FileStatus status() throws SystemCallException {
        FileStatus known = status;
        if (known == null) {
            see();
            known = statuses.status();
            status = known;
        }
        return known;
    }

    @Override
    public long size() throws SystemCallException {
        if (status != null) {
            return status.size();
        }
        see();
        return statuses.size();
    }

    @Override
    public long mtime() throws SystemCallException {
        if (status != null) {
            return FoundValues.Subject.super.mtime();
        }
        see();
        return statuses.mtime();
    }

    /** Returns the number of names in the status. */
    public long linkCount() throws SystemCallException {
        if (status != null) {
            return status.linkCount();
        }
        see();
        return statuses.linkCount();
    }

    /** Returns the number of blocks of 512 bytes in the status. */
    public long blocks() throws SystemCallException {
        if (status != null) {
            return status.blocks();
        }
        see();
        return statuses.blocks();
    }

    /** Forgets a status that was read ahead, so that it is read when it is asked for. */
    public void forgetAhead() {
        ahead = NOT_AHEAD;
    }

    /** Keeps the status, if it was read, while the status of other entries is read. */
    void keepStatus() {
        if (seen != 0 && status == null && statuses.isCurrent(seen)) {
            status = statuses.status();
        }
    }

    // Makes the status of this entry the last one that was read.
    private void see() throws SystemCallException {
        if (seen != 0 && statuses.isCurrent(seen)) {
            return;
        }
        seen = ahead == NOT_AHEAD ? 0 : statuses.select(ahead);
        // Later it is read again.
        ahead = NOT_AHEAD;
        if (seen == 0) {
            if (kind == EntryKind.DIRECTORY && parent != null) {
                seeDirectory(parent);
            } else {
                seen = statuses.see(descriptor, name());
            }
        }
        kind = statuses.kind();
    }

    // It may be a mount whose server does not answer.
    private void seeDirectory(WalkDirectory<D> above) throws SystemCallException {
        worker.busyWith(rootIndex, path());
        seen = statuses.see(descriptor, name());
        worker.busyWith(rootIndex, above.path());
    }

    /** Returns the path of the entry below its root. */
    @Override
    public TreePath path() {
        TreePath known = path;
        if (known == null) {
            known = Objects.requireNonNull(parent).path().child(nameBytes());
            path = known;
        }
        return known;
    }

    @Override
    public int depth() {
        return parent == null ? 0 : parent.path().depth() + 1;
    }

    /** Returns the worker that handles this entry on its thread. */
    public WalkWorker<D> worker() {
        return worker;
    }

    /** Returns file access for this thread. */
    @Override
    public FileAccess access() {
        return access;
    }

    /** Returns the entry as a value that the caller may keep; with its status, and a link's target, if asked for. */
    public Entry toEntry(boolean withStatus) throws SystemCallException {
        if (!withStatus) {
            return Entry.named(path(), kind(), inode());
        }
        FileStatus known = status();
        return known.kind() == EntryKind.SYMLINK
                ? Entry.symlink(path(), known, access.linkTarget(descriptor, name()))
                : Entry.of(path(), known);
    }
}
