// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import static org.treehaul.core.fs.LinuxConstants.AT_EMPTY_PATH;
import static org.treehaul.core.fs.LinuxConstants.AT_SYMLINK_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_CREAT;
import static org.treehaul.core.fs.LinuxConstants.O_EXCL;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_WRONLY;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StagedFile;

/** Writes entries of a stage below a destination, on one thread: under a temporary name until they are complete. */
final class OutFile {

    // More runs than begin in one directory while a file is copied.
    private static final int MOST_SWEPT = 3;
    // Without set-id bits, which only the owner that was recorded may have.
    private static final int PERMISSIONS = 01777;
    private static final int ALL_BITS = 07777;
    private static final int PRIVATE = 0600;

    /**
     * The settings that all threads share.
     *
     * @param restoresOwners whether this process may give files to their owners
     * @param isDurable whether a file is on disk before it gets its name
     * @param saved receives the entries that were copied
     */
    record Settings(Stage stage, StripeCopy stripes, boolean restoresOwners, boolean isDurable, StageReports reports,
            SavedEntries saved) {}

    /**
     * A file or link under a temporary name.
     *
     * @param isWhole whether its data are complete
     * @param unkept the error of metadata that it cannot have; null if it has all
     */
    private record Written(boolean isWhole, @Nullable SystemCallException unkept) {}

    private final Settings settings;
    private final OutDirectories directories;
    private final FileAccess access;
    private final FileSystemCalls calls;

    OutFile(Settings settings, OutDirectories directories) {
        this.settings = settings;
        this.directories = directories;
        this.access = directories.access();
        this.calls = access.calls();
    }

    /** Writes a regular file or a symbolic link; failures of its data are reported. */
    void write(StagedFile entry, TreePath path) throws SystemCallException {
        try {
            writeOnce(entry, path);
        } catch (SystemCallException e) {
            if (e.errno() != Errno.EACCES || !directories.unlock(path.parent())) {
                throw e;
            }
            writeOnce(entry, path);
        }
    }

    private void writeOnce(StagedFile entry, TreePath path) throws SystemCallException {
        int directory = directories.open(path.parent());
        byte[] name = path.nameBytes();
        FileStatus there = access.find(directory, access.name(name), false);
        if (there != null && isSame(there, entry, directory, name)) {
            settings.reports().progress().entrySkipped();
            settings.saved().add(entry);
            return;
        }
        if (there != null && there.kind() == EntryKind.DIRECTORY) {
            throw new SystemCallException("open", Errno.EISDIR);
        }
        if (there != null && there.kind() != EntryKind.REGULAR && there.kind() != EntryKind.SYMLINK) {
            // Such as /dev/null, which other programs need.
            throw new SystemCallException("replace a device, FIFO or socket", Errno.EEXIST);
        }
        place(entry, path, directory, name);
    }

    private void place(StagedFile entry, TreePath path, int directory, byte[] name) throws SystemCallException {
        for (int left = MOST_SWEPT; !placed(entry, path, directory, name, left > 0); left--) {
            // Another run has taken its file for one of a killed run: before it was locked, or when it was closed; or its
            // link, which has no lock.
        }
    }

    // Returns false if the temporary file was removed by another run, which happens once for each run and directory.
    private boolean placed(StagedFile entry, TreePath path, int directory, byte[] name, boolean mayRepeat)
            throws SystemCallException {
        byte[] temporary = (OutSweeper.PREFIX + UUID.randomUUID()).getBytes(StandardCharsets.US_ASCII);
        boolean isPlaced = false;
        try {
            Written written = entry.kind() == EntryKind.SYMLINK
                    ? link(entry, directory, temporary)
                    : file(entry, path, directory, temporary);
            if (written.isWhole()) {
                int renamed = calls.renameat2(directory, access.name(temporary), directory, access.otherName(name), 0);
                if (renamed == -Errno.ENOENT && mayRepeat) {
                    return false;
                }
                FileAccess.check("rename", renamed);
                isPlaced = true;
                ended(entry, path, written.unkept());
            }
            return true;
        } catch (SystemCallException e) {
            if (e.errno() == Errno.ENOENT && entry.kind() == EntryKind.SYMLINK && mayRepeat) {
                return false;
            }
            throw e;
        } finally {
            if (!isPlaced) {
                calls.unlinkat(directory, access.name(temporary), 0);
            }
        }
    }

    private void ended(StagedFile entry, TreePath path, @Nullable SystemCallException unkept) {
        if (unkept == null) {
            settings.reports().progress().entryDone(entry.kind());
            settings.saved().add(entry);
        } else {
            settings.reports()
                    .failed(EntryFailure.Kind.ERROR, path, unkept.operation() + " of the copy, which has the data",
                            unkept.errno());
        }
    }

    private boolean isSame(FileStatus there, StagedFile entry, int directory, byte[] name) throws SystemCallException {
        if (there.kind() != entry.kind()) {
            return false;
        }
        return entry.kind() == EntryKind.SYMLINK
                ? access.linkTarget(directory, access.name(name)).equals(Objects.requireNonNull(entry.target()))
                : there.size() == entry.size() && there.mtime().equals(entry.mtime());
    }

    private Written link(StagedFile entry, int directory, byte[] temporary) throws SystemCallException {
        FileAccess.check("symlink", calls.symlinkat(access.otherName(Objects.requireNonNull(entry.target()).toBytes()),
                directory, access.name(temporary)));
        SystemCallException unkept = settings.restoresOwners()
                ? problem("chown",
                        calls.fchownat(directory, access.name(temporary), (int) entry.owner(), (int) entry.group(),
                                AT_SYMLINK_NOFOLLOW))
                : null;
        if (unkept != null && unkept.errno() == Errno.ENOENT) {
            throw unkept;
        }
        FileAccess.check("utimensat",
                calls.utimensat(directory, access.name(temporary), access.times(entry.mtime()), AT_SYMLINK_NOFOLLOW));
        return new Written(true, unkept);
    }

    private static @Nullable SystemCallException problem(String call, int result) {
        return result < 0 ? new SystemCallException(call, -result) : null;
    }

    // If its data are not complete, this was reported.
    private Written file(StagedFile entry, TreePath path, int directory, byte[] temporary) throws SystemCallException {
        int descriptor = access.open(directory, access.name(temporary), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW,
                PRIVATE);
        // Where there are no locks, a file of this run is not distinguished from one of a killed run, and none is swept.
        int _ = calls.ofdLock(descriptor, LinuxConstants.F_WRLCK);
        boolean isDone = false;
        try (ParallelFile file = settings.stage().open(entry, false)) {
            data(file, entry, path, descriptor);
            isDone = !settings.reports().isCancelled();
        } catch (StripeRead.DamagedException e) {
            settings.reports().failed(EntryFailure.Kind.CORRUPT, path, e.problem(), 0);
        } catch (StageException e) {
            settings.reports().failed(path, e);
        } catch (SystemCallException e) {
            access.closeQuietly(descriptor);
            throw e;
        } catch (IOException e) {
            settings.reports().failed(EntryFailure.Kind.ERROR, path, e.toString(), 0);
        }
        if (!isDone) {
            access.closeQuietly(descriptor);
            return new Written(false, null);
        }
        SystemCallException unkept = finish(descriptor, entry);
        try {
            if (settings.isDurable()) {
                FileAccess.check("fsync", calls.fsync(descriptor));
            }
        } catch (SystemCallException e) {
            access.closeQuietly(descriptor);
            throw e;
        }
        access.close(descriptor);
        return new Written(true, unkept);
    }

    private void data(ParallelFile file, StagedFile entry, TreePath path, int descriptor) throws IOException {
        // Bytes that are 0 are not written: a hole of the source is one again.
        FileAccess.check("ftruncate", calls.ftruncate(descriptor, entry.size()));
        StageReports reports = settings.reports();
        StripeRead reading = new StripeRead(settings.stage(), file.staged());
        AtomicBoolean isTold = new AtomicBoolean();
        settings.stripes().each(entry.size(), entry.stripe(), at -> !reports.isCancelled(), (tools, at) -> {
            long checked = reading.read(at, entry.size(), tools.buffer(), (bytes, offset, isAgain) -> {
                if (isAgain || !isZero(bytes)) {
                    tools.access().writeFully(descriptor, bytes, offset);
                }
                reports.progress().bytesDone(isAgain ? 0 : bytes.byteSize());
            }, failure -> {
                if (!isTold.getAndSet(true)) {
                    reports.otherCopy(path, failure);
                }
            });
            reports.progress().bytesVerified(checked);
        });
    }

    static boolean isZero(MemorySegment bytes) {
        // Equal to itself by one byte: all bytes are the first one.
        return bytes.get(ValueLayout.JAVA_BYTE, 0) == 0
                && (bytes.byteSize() == 1 || bytes.asSlice(1).mismatch(bytes.asSlice(0, bytes.byteSize() - 1)) == -1);
    }

    /**
     * Gives an open file or directory its owner, mode and time.
     *
     * @return the error of what it cannot have; then it has no set-id bits and not the time, so that a later run copies
     *         it again
     */
    @Nullable SystemCallException finish(int descriptor, StagedFile entry) {
        SystemCallException owner = settings.restoresOwners()
                ? problem("chown",
                        calls.fchownat(descriptor, FileAccess.emptyName(), (int) entry.owner(), (int) entry.group(),
                                AT_EMPTY_PATH))
                : null;
        int bits = settings.restoresOwners() && owner == null ? ALL_BITS : PERMISSIONS;
        SystemCallException mode = problem("chmod", calls.fchmod(descriptor, entry.mode() & bits));
        if (owner != null || mode != null) {
            return owner == null ? mode : owner;
        }
        return problem("futimens", calls.futimens(descriptor, access.times(entry.mtime())));
    }
}
