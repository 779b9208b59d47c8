// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.threads.ParallelLoop;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.StagedPath;

/**
 * Copies a tree of a stage into a directory. Each stripe is compared with its checksum; a file with a stripe that
 * differs does not get its name. Files whose size and time of change are those in the stage are left out.
 */
public final class StageOut {

    private static final int CAP_CHOWN = 0; // linux/capability.h

    private final FileSystemCalls calls;
    private final Stage stage;
    private final int threads;
    private final boolean isDurable;

    /**
     * Creates the copy.
     *
     * @param threads the number of threads, 1 or more
     * @param isDurable whether a file is on disk before it gets its name
     */
    public StageOut(FileSystemCalls calls, Stage stage, int threads, boolean isDurable) {
        this.calls = calls;
        this.stage = stage;
        this.threads = threads;
        this.isDurable = isDurable;
    }

    /**
     * Copies the entry at a path of the stage, and all below it: the entry itself becomes the destination.
     *
     * @param from the path; empty for the whole stage
     * @return whether the run came to its end; each failure was reported
     * @throws StageException ENOENT if there is no such entry
     * @throws SystemCallException if the destination cannot be made
     */
    public boolean run(ByteString from, ByteString destination, StageReports reports)
            throws StageException, SystemCallException {
        ByteString path = StagedPath.of(from);
        try (SavedEntries saved = new SavedEntries(stage.catalogue())) {
            return run(path, destination,
                    new OutFile.Settings(stage, new StripeCopy(calls, threads), isRoot(), isDurable, reports, saved));
        }
    }

    private boolean run(ByteString path, ByteString destination, OutFile.Settings settings)
            throws StageException, SystemCallException {
        StageReports reports = settings.reports();
        Optional<StagedFile> itself = path.length() == 0 ? Optional.empty() : stage.catalogue().find(path);
        if (itself.isPresent() && itself.get().kind() != EntryKind.DIRECTORY) {
            alone(itself.get(), destination, settings);
            return !reports.isCancelled();
        }
        try (Stream<StagedFile> all = stage.catalogue().below(path, false)) {
            Iterator<StagedFile> entries = all.iterator();
            if (!entries.hasNext()) {
                throw new StageException(stage.catalogue().display(path), "open", Errno.ENOENT);
            }
            files(entries, path, destination, settings);
        }
        if (!reports.isCancelled()) {
            directories(path, destination, settings);
        }
        return !reports.isCancelled();
    }

    private static boolean isRoot() throws SystemCallException {
        try {
            ProcessStatus process = ProcessStatus.read();
            return process.effectiveUid() == 0 && process.hasCapability(CAP_CHOWN);
        } catch (IOException e) {
            throw new SystemCallException("read /proc/self/status", Errno.EIO);
        }
    }

    // The directory of the destination exists, and is the user's.
    private void alone(StagedFile file, ByteString destination, OutFile.Settings settings) throws SystemCallException {
        byte[] bytes = destination.toBytes();
        int slash = bytes.length - 1;
        while (slash >= 0 && bytes[slash] != '/') {
            slash--;
        }
        ByteString directory = slash < 0 ? ByteString.of(".") : ByteString.of(bytes, 0, slash + 1);
        ByteString name = ByteString.of(bytes, slash + 1, bytes.length);
        if (name.length() == 0) {
            throw new SystemCallException("a file cannot get a name that ends with a slash", 0);
        }
        try (FileAccess access = FileAccess.open(calls);
                OutDirectories directories = OutDirectories.existing(access, directory)) {
            new OutSweeper(access).sweep(directories.open(TreePath.root()));
            new OutFile(settings, directories).write(file, TreePath.root().child(name.toBytes()));
        }
    }

    private void files(Iterator<StagedFile> entries, ByteString path, ByteString destination, OutFile.Settings settings)
            throws SystemCallException {
        StageReports reports = settings.reports();
        try {
            ParallelLoop.<StagedFile>each(() -> next(entries, reports), threads,
                    () -> OutWorker.open(calls, destination, path, settings));
        } catch (SystemCallException e) {
            throw e;
        } catch (UncheckedIOException e) {
            throw e.getCause() instanceof SystemCallException call ? call : new SystemCallException(e.toString(), 0);
        } catch (IOException e) {
            throw new SystemCallException(e.toString(), 0);
        }
    }

    private static Predicate<TreePath> getsMode(ByteString path, OutFile.Settings settings) {
        return directory -> settings.stage()
                .catalogue()
                .find(StagedFile.join(path, ByteString.of(directory.toBytes())))
                .filter(found -> found.kind() == EntryKind.DIRECTORY)
                .isPresent();
    }

    // Each thread makes the directories that it needs; those without files are made at the end.
    private static @Nullable StagedFile next(Iterator<StagedFile> entries, StageReports reports) {
        while (entries.hasNext() && !reports.isCancelled()) {
            StagedFile entry = entries.next();
            if (entry.kind() != EntryKind.DIRECTORY) {
                return entry;
            }
        }
        return null;
    }

    /** Returns the path of an entry below the one that is copied. */
    static TreePath below(ByteString entry, ByteString path) {
        int from = path.length() == 0 ? 0 : Math.min(entry.length(), path.length() + 1);
        return TreePath.of(ByteString.of(entry.toBytes(), from, entry.length()).toBytes());
    }

    // Their times and modes come last, because files are made in them.
    private void directories(ByteString path, ByteString destination, OutFile.Settings settings)
            throws SystemCallException {
        try (FileAccess access = FileAccess.open(calls);
                OutDirectories directories = OutDirectories.make(access, destination, getsMode(path, settings));
                Stream<StagedFile> all = stage.catalogue().directories(path)) {
            OutFile out = new OutFile(settings, directories);
            OutSweeper sweeper = new OutSweeper(access);
            sweeper.sweep(directories.open(TreePath.root()));
            all.forEach(entry -> {
                TreePath below = below(entry.path(), path);
                try {
                    int directory = directories.open(below);
                    sweeper.sweep(directory);
                    SystemCallException unkept = out.finish(directory, entry);
                    if (unkept != null) {
                        throw unkept;
                    }
                    settings.reports().progress().entryDone(EntryKind.DIRECTORY);
                    settings.saved().add(entry);
                } catch (SystemCallException e) {
                    settings.reports().failed(below, e);
                }
            });
        }
    }

    /** Copies entries on one thread. */
    private record OutWorker(FileAccess access, OutDirectories directories, OutFile out, ByteString path,
            StageReports reports) implements ParallelLoop.Worker<StagedFile> {

        static OutWorker open(FileSystemCalls calls, ByteString destination, ByteString path,
                OutFile.Settings settings) {
            FileAccess access = FileAccess.open(calls);
            try {
                OutDirectories directories = OutDirectories.make(access, destination, getsMode(path, settings));
                return new OutWorker(access, directories, new OutFile(settings, directories), path, settings.reports());
            } catch (SystemCallException e) {
                access.close();
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void process(StagedFile entry) {
            TreePath below = below(entry.path(), path);
            try {
                out.write(entry, below);
            } catch (SystemCallException e) {
                reports.failed(below, e);
            }
        }

        @Override
        public void close() {
            directories.close();
            access.close();
        }
    }
}
