// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.store;

import static org.treehaul.core.fs.LinuxConstants.POSIX_FADV_DONTNEED;

import java.lang.foreign.MemorySegment;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.data.CopyControl;
import org.treehaul.core.copy.data.DataHash;
import org.treehaul.core.copy.data.WholeFile;
import org.treehaul.core.copy.failure.ChangedException;
import org.treehaul.core.copy.failure.CorruptException;
import org.treehaul.core.copy.failure.RetryPolicy;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.failure.WithdrawnException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.EntryMetadata;
import org.treehaul.core.storage.NewFile;
import org.treehaul.core.storage.PosixFile;
import org.treehaul.core.storage.SourceFile;
import org.treehaul.core.storage.SourceTree;
import org.treehaul.core.storage.TargetFile;
import org.treehaul.core.storage.TargetTree;
import org.treehaul.core.walk.FoundValues;
import org.treehaul.core.walk.options.Root;

/** One thread of a copy between stores: takes directory after directory and copies the entries of each. */
final class StoreWorker implements CopyControl {

    private final StoreRun run;
    private final int index;
    private final SourceTree source;
    private final TargetTree target;
    private final WholeFile whole;
    private final FoundValues values;

    StoreWorker(StoreRun run, int index, SourceTree source, TargetTree target, MemorySegment buffer) {
        this.run = run;
        this.index = index;
        this.source = source;
        this.target = target;
        this.whole = run.wholeFile(buffer, this);
        this.values = new FoundValues(List.of(Root.of(run.root())));
    }

    @Override
    public boolean isStopped() {
        return run.isStopped();
    }

    @Override
    public void worked(long units) {
        // The number of threads is fixed.
    }

    void loop() throws InterruptedException {
        StoreDirectory next = run.frontier().take(index);
        while (next != null) {
            copyDirectory(next);
            run.frontier().done();
            next = run.frontier().take(index);
        }
    }

    private void copyDirectory(StoreDirectory directory) {
        if (directory.parent() == null && isRootCopied()) {
            return;
        }
        boolean[] hasEntries = {false};
        RetryPolicy.Failure failure = run.retries().run(0, tries -> {
            make(directory);
            source.list(directory.path(), (name, kind) -> {
                hasEntries[0] = true;
                listed(directory, name, kind);
                return !isStopped();
            });
            // A listing that has begun cannot be repeated: its entries would be copied twice.
        }, cause -> !hasEntries[0] && !isStopped());
        if (failure != null) {
            directory.incomplete();
            run.failed(directory.path(), failure.cause());
        }
        partDone(directory);
    }

    // The root may be a file.
    private boolean isRootCopied() {
        EntryKind[] kind = {EntryKind.DIRECTORY};
        RetryPolicy.Failure failure = run.retries().run(0, tries -> kind[0] = source.status(TreePath.root()).kind());
        if (failure != null) {
            run.failed(TreePath.root(), failure.cause());
            return true;
        }
        if (kind[0] == EntryKind.DIRECTORY) {
            return false;
        }
        copyEntry(TreePath.root(), kind[0]);
        return true;
    }

    private void listed(StoreDirectory directory, byte[] name, EntryKind kind) {
        TreePath path;
        try {
            path = directory.path().child(name);
        } catch (IllegalArgumentException e) {
            // Linux treats such a name in a listing as EIO, too. The other entries can still be copied.
            run.failed(directory.path(), new SystemCallException("list", Errno.EIO));
            return;
        }
        if (!run.excludes(path, kind)) {
            if (kind == EntryKind.DIRECTORY) {
                run.frontier().push(index, directory.child(path));
            } else {
                copyEntry(path, kind);
            }
        }
    }

    private void make(StoreDirectory directory) throws SystemCallException, TargetException {
        FileStatus status = source.status(directory.path());
        if (status.kind() != EntryKind.DIRECTORY) {
            throw new SystemCallException("open", Errno.ENOTDIR);
        }
        EntryMetadata metadata = new EntryMetadata(status, source.attributes(directory.path(), status));
        if (!run.isDry()) {
            atTarget(() -> target.makeDirectory(directory.path(), status));
        }
        directory.made(metadata);
    }

    private void partDone(StoreDirectory part) {
        StoreDirectory directory = part;
        while (directory != null && !isStopped() && directory.partDone()) {
            EntryMetadata metadata = directory.metadata();
            if (metadata != null) {
                finish(directory.path(), metadata);
            }
            directory = directory.parent();
        }
    }

    private void finish(TreePath path, EntryMetadata metadata) {
        RetryPolicy.Failure failure = run.isDry()
                ? null
                : run.retries().run(0, tries -> atTarget(() -> target.finishDirectory(path, metadata)));
        if (failure == null) {
            run.directoryDone(path);
        } else {
            run.failed(path, failure.cause());
        }
    }

    private void copyEntry(TreePath path, EntryKind kind) {
        for (int tries = 1; !isStopped(); tries++) {
            Exception cause;
            try {
                if (!isWanted(path) || isKept(path)) {
                    return;
                }
                if (kind == EntryKind.REGULAR && run.isDry()) {
                    run.bytesDone(source.status(path).size());
                } else if (kind == EntryKind.REGULAR) {
                    copyFile(path);
                } else {
                    makeNode(path, kind);
                }
                run.done(path, kind);
                return;
            } catch (WithdrawnException e) {
                return;
            } catch (SystemCallException | TargetException | ChangedException | CorruptException e) {
                cause = e;
            }
            if (!run.retries().mayRetry(cause, tries)) {
                run.failed(path, cause);
                return;
            }
        }
    }

    // Directories are copied whether or not they meet the conditions: entries in them may.
    private boolean isWanted(TreePath path) throws SystemCallException {
        return run.where().isAll()
                || run.where().matches(values.of(new StoredEntry(source, run.root(), path, source.status(path))));
    }

    private boolean isKept(TreePath path) throws SystemCallException, TargetException {
        if (run.existing() == CopyOptions.Existing.REPLACE) {
            return false;
        }
        FileStatus there = find(path);
        boolean isKept = there != null && (run.existing() == CopyOptions.Existing.SKIP
                || source.status(path).mtime().compareTo(there.mtime()) <= 0);
        if (isKept) {
            run.skipped();
        }
        return isKept;
    }

    private @Nullable FileStatus find(TreePath path) throws TargetException {
        try {
            return target.find(path);
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
    }

    private void makeNode(TreePath path, EntryKind kind) throws SystemCallException, TargetException, ChangedException {
        FileStatus status = source.status(path);
        if (status.kind() != kind) {
            throw new ChangedException();
        }
        if (run.isDry()) {
            return;
        }
        EntryMetadata metadata = new EntryMetadata(status, source.attributes(path, status));
        if (kind == EntryKind.SYMLINK) {
            ByteString linkTarget = source.linkTarget(path);
            atTarget(() -> target.makeLink(path, linkTarget, metadata));
        } else {
            atTarget(() -> target.makeNode(path, metadata));
        }
    }

    private void copyFile(TreePath path)
            throws SystemCallException, TargetException, ChangedException, CorruptException, WithdrawnException {
        try (SourceFile from = source.open(path)) {
            FileStatus status = from.status();
            if (status.kind() != EntryKind.REGULAR) {
                throw ChangedException.ofKind();
            }
            EntryMetadata metadata = new EntryMetadata(status, source.attributes(from, status));
            MemorySegment small = whole.isSmall(status) ? whole.readSmall(from, status) : null;
            NewFile file = create(path, metadata);
            boolean isWhole = false;
            try {
                DataHash.Extents extents = small == null
                        ? copyLarge(from, status, file.data())
                        : whole.writeSmall(file.data(), small);
                if (small == null) {
                    WholeFile.checkUnchanged(from, status);
                } else {
                    run.bytesDone(small.byteSize());
                }
                prove(file.data(), extents);
                if (run.isDurable()) {
                    atTarget(file.data()::sync);
                }
                isWhole = true;
            } finally {
                if (!isWhole) {
                    file.discard();
                }
            }
            atTarget(file::commit);
        }
    }

    private DataHash.Extents copyLarge(SourceFile from, FileStatus status, TargetFile to)
            throws SystemCallException, TargetException, ChangedException, WithdrawnException {
        DataHash.Extents shared = whole.share(from, status, to, deviceOf(to), false);
        return shared != null ? shared : whole.copy(from, status, to, false, run.isOffloaded());
    }

    private void prove(TargetFile file, DataHash.Extents extents)
            throws TargetException, CorruptException, WithdrawnException {
        try {
            if (whole.mover().hash() != null) {
                dropFromCache(file);
            }
            if (!whole.mover().verifier().readsBack(file, extents)) {
                throw new CorruptException();
            }
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
    }

    // The cache of this machine proves nothing about the disk.
    private static void dropFromCache(TargetFile file) throws SystemCallException {
        if (file instanceof PosixFile written) {
            written.sync();
            written.access().calls().posixFadvise(written.descriptor(), 0, 0, POSIX_FADV_DONTNEED);
        }
    }

    private NewFile create(TreePath path, EntryMetadata metadata) throws TargetException {
        try {
            return target.create(path, metadata);
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
    }

    private static long deviceOf(TargetFile file) throws TargetException {
        try {
            return file.status().device();
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
    }

    private interface Step {
        void run() throws SystemCallException;
    }

    private static void atTarget(Step step) throws TargetException {
        try {
            step.run();
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
    }
}
