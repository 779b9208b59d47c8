// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.manifest;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.data.DataHash;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.options.Root;

/** Hashes the files that one thread of a walk finds. */
final class HashHandler implements WalkHandler<Boolean> {

    private static final int FLAGS = LinuxConstants.O_RDONLY | LinuxConstants.O_NOFOLLOW | LinuxConstants.O_NONBLOCK;

    private final TreeHashes hashes;
    private final Consumer<EntryFailure> failed;
    private final Root root;
    private final Progress progress;
    private final Cancellation cancellation;
    private final DataHash hash;

    HashHandler(TreeHashes hashes, Consumer<EntryFailure> failed, Root root, Progress progress,
            Cancellation cancellation) {
        this.hashes = hashes;
        this.failed = failed;
        this.root = root;
        this.progress = progress;
        this.cancellation = cancellation;
        this.hash = hashes.kind().begin();
    }

    @Override
    public Step entry(FoundEntry<Boolean> found) throws SystemCallException {
        EntryKind kind = found.kind();
        if (kind == EntryKind.DIRECTORY) {
            hashes.addDirectory(found);
            progress.directoryDone();
        } else if (found.parent() == null) {
            throw new SystemCallException("open", Errno.ENOTDIR);
        } else if (kind == EntryKind.REGULAR) {
            hash(found);
            progress.fileDone();
        } else {
            hashes.add(found.path(), TreeHashes.OTHER);
        }
        progress.entryDone();
        return Step.CONTINUE;
    }

    private void hash(FoundEntry<Boolean> found) throws SystemCallException {
        FileAccess access = found.access();
        // Reading should not update the access time; O_NOATIME is permitted only to the owner.
        int descriptor = access.tryOpen(found.parentDescriptor(), found.name(), FLAGS | LinuxConstants.O_NOATIME, 0);
        if (descriptor == -Errno.EPERM) {
            descriptor = access.tryOpen(found.parentDescriptor(), found.name(), FLAGS, 0);
        }
        FileAccess.check("open", descriptor);
        try {
            FileStatus before = access.status(descriptor);
            if (hashes.isExcepted(before)) {
                return;
            }
            if (before.kind() != EntryKind.REGULAR) {
                changed(found);
                return;
            }
            LinkedHashes.Names names = hashes.links().of(before);
            if (names == null) {
                byte[] value = read(found, descriptor, before);
                if (value != null) {
                    hashes.hashed(found.path(), value, before.size());
                }
                return;
            }
            synchronized (names) {
                byte[] known = names.hash(before);
                byte[] value = known == null ? read(found, descriptor, before) : known;
                if (value != null) {
                    names.keep(before, value);
                    hashes.hashed(found.path(), value, known == null ? before.size() : 0);
                }
                names.nameDone();
            }
        } finally {
            access.closeQuietly(descriptor);
        }
    }

    // Returns null if the file has changed, or if the work is cancelled.
    private byte @Nullable [] read(FoundEntry<Boolean> found, int descriptor, FileStatus before)
            throws SystemCallException {
        FileAccess access = found.access();
        // The data should come from the disk, not from memory; dirty pages stay there.
        access.calls().posixFadvise(descriptor, 0, 0, LinuxConstants.POSIX_FADV_DONTNEED);
        long size = read(access, descriptor);
        byte[] value = hash.finishAsPrinted();
        if (cancellation.isCancelled()) {
            return null;
        }
        if (size != before.size() || !access.status(descriptor).isUnchangedSince(before)) {
            changed(found);
            return null;
        }
        return value;
    }

    private long read(FileAccess access, int descriptor) throws SystemCallException {
        MemorySegment buffer = access.buffer();
        long size = 0;
        try {
            long count = access.readFully(descriptor, buffer);
            while (count > 0 && !cancellation.isCancelled()) {
                hash.update(buffer.asSlice(0, count));
                size += count;
                progress.bytesDone(count);
                count = access.readFully(descriptor, buffer);
            }
            return size;
        } catch (SystemCallException e) {
            // Discards the data of this file, so that the next one starts with an empty hash.
            hash.finishAsPrinted();
            throw e;
        }
    }

    private void changed(FoundEntry<Boolean> found) {
        failed(new EntryFailure(EntryFailure.Kind.CHANGED, root.path(), found.path(), "while it was read", 0));
    }

    @Override
    public Boolean enter(WalkDirectory<Boolean> directory, WalkWorker<Boolean> worker) {
        hashes.enter(directory);
        return Boolean.TRUE;
    }

    @Override
    public void failed(EntryFailure failure) {
        failed.accept(failure);
    }
}
