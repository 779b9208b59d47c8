// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_WRONLY;

import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/** Opens the file to which the data of a regular file are written. Not safe for several threads. */
final class TargetOpener {

    private static final int PRIVATE = 0600;

    private final CopyRun run;
    private final FileAccess access;
    private final MetadataWriter metadata;
    private final Placer placer;
    private final ExistingTarget existing;
    private final NameCollisions collisions;

    // The last task that was written through to an existing file. If it failed, the same task comes again.
    private @Nullable CopyTask begun;

    TargetOpener(CopyRun run, FileAccess access, MetadataWriter metadata, Placer placer, ExistingTarget existing,
            NameCollisions collisions) {
        this.run = run;
        this.access = access;
        this.metadata = metadata;
        this.placer = placer;
        this.existing = existing;
        this.collisions = collisions;
    }

    /**
     * Opens a new file under its final name, unless the name exists or the options require a check of the target first.
     */
    Optional<FileCopier.Placed> direct(FileCopier.Attempt attempt) throws TargetException {
        if (run.options().existing() != CopyOptions.Existing.REPLACE || run.options().removeDestination()) {
            return Optional.empty();
        }
        int mode = metadata.creationMode(attempt.status(), attempt.task().target(), attempt.attributes());
        Placement placement = placer.direct(attempt.targetDirectory(), attempt.targetName(), mode);
        return placement.descriptor() < 0
                ? Optional.empty()
                : Optional.of(new FileCopier.Placed(placement, null, false));
    }

    /**
     * Examines the existing entry under the final name and opens the file for the data.
     *
     * @param keepsData whether the existing file keeps its data
     * @return empty if the file must be skipped
     */
    Optional<FileCopier.Placed> open(FileCopier.Attempt attempt, boolean keepsData) throws TargetException {
        CopyTask task = attempt.task();
        FileStatus there = ExistingTarget.find(access, attempt.targetDirectory(), attempt.targetName());
        if (there != null) {
            collisions.check(task.besides(), task.target(), attempt.targetDirectory(), task.targetName());
            ExistingTarget.Decision decision = decide(attempt, there);
            if (decision != ExistingTarget.Decision.SKIP && !run.mayReplace(task)) {
                return Optional.empty();
            }
            switch (decision) {
                case SKIP -> {
                    return Optional.empty();
                }
                case THROUGH -> {
                    FileCopier.Placed placed = throughOrUnlinked(attempt, there, keepsData);
                    if (placed != null) {
                        return Optional.of(placed);
                    }
                    there = null;
                }
                case REPLACE -> {
                    if (run.options().removeDestination()) {
                        TargetException.checkTaken("unlink",
                                access.calls().unlinkat(attempt.targetDirectory(), attempt.targetName(), 0));
                        there = null;
                    } else if (keepsData && !run.options().backup().isMade()) {
                        return Optional.of(through(attempt, there, true));
                    }
                }
            }
        }
        // A file that replaces another finally gets the permissions of that one, which may be fewer than the source's.
        int mode = there == null
                ? metadata.creationMode(attempt.status(), task.target(), attempt.attributes())
                : PRIVATE;
        Placement placement = placer.temporary(task.target(), attempt.targetDirectory(), mode);
        return Optional.of(new FileCopier.Placed(placement, there, false));
    }

    private ExistingTarget.Decision decide(FileCopier.Attempt attempt, FileStatus there) throws TargetException {
        CopyTask task = attempt.task();
        int directory = attempt.targetDirectory();
        boolean isRoot = task.path().isRoot();
        return task.equals(begun)
                ? existing.decideAgain(attempt.status(), there, isRoot, directory, attempt.targetName())
                : existing.decide(attempt.status(), there, isRoot, directory, attempt.targetName());
    }

    // As open_for_write of cp: --force unlinks files that it cannot open. Here it unlinks only links: one to itself, or
    // to a file that this user may not write. A device or socket stays, and so does a link that leads nowhere, as in
    // cp.
    private FileCopier.@Nullable Placed throughOrUnlinked(FileCopier.Attempt attempt, FileStatus there,
            boolean keepsData) throws TargetException {
        try {
            return through(attempt, there, keepsData);
        } catch (TargetException e) {
            boolean isUnlinked = run.options().force() && there.kind() == EntryKind.SYMLINK
                    && e.call().operation().equals("open") && e.call().errno() != Errno.ENOENT;
            if (!isUnlinked) {
                throw e;
            }
            TargetException.checkTaken("unlink",
                    access.calls().unlinkat(attempt.targetDirectory(), attempt.targetName(), 0));
            return null;
        }
    }

    private FileCopier.Placed through(FileCopier.Attempt attempt, FileStatus there, boolean keepsData)
            throws TargetException {
        int flags = O_WRONLY;
        if (there.kind() != EntryKind.SYMLINK) {
            flags |= O_NOFOLLOW;
        }
        if (there.kind() == EntryKind.FIFO || there.kind() == EntryKind.REGULAR) {
            // A FIFO without a reader gives ENXIO, where cp would hang; a FIFO may have taken a file's place by now.
            flags |= O_NONBLOCK;
        }
        int target = access.tryOpen(attempt.targetDirectory(), attempt.targetName(), flags, 0);
        TargetException.check("open", target);
        try {
            FileStatus opened = status(target);
            if (opened.isSameFile(attempt.status())) {
                throw new TargetException("copy a file onto itself", Errno.EINVAL);
            }
            if (there.kind() != EntryKind.SYMLINK && !opened.isSameFile(there)) {
                throw new TargetException("open", Errno.ESTALE);
            }
            if (opened.kind() == EntryKind.FIFO && there.kind() == EntryKind.FIFO) {
                target = blocking(target);
            }
            // Not with O_TRUNC: the link could lead to the source.
            if (opened.kind() == EntryKind.REGULAR && !keepsData) {
                begun = attempt.task();
                TargetException.check("ftruncate", access.calls().ftruncate(target, 0));
            }
            Placement placement = new Placement(Placement.Way.THROUGH, target, ByteString.empty(), 0);
            return new FileCopier.Placed(placement, opened, there.kind() == EntryKind.SYMLINK);
        } catch (TargetException e) {
            access.closeQuietly(target);
            throw e;
        }
    }

    // Opens the same FIFO again, so that a write waits for a slow reader. It has a reader, so this open does not wait.
    private int blocking(int fifo) throws TargetException {
        int reopened = TargetException.check("open", access.tryOpen(AT_FDCWD, access.procPath(fifo), O_WRONLY, 0));
        access.closeQuietly(fifo);
        return reopened;
    }

    private FileStatus status(int descriptor) throws TargetException {
        try {
            return access.status(descriptor);
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
    }
}
