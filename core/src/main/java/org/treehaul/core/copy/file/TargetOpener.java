// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.file;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;
import static org.treehaul.core.fs.LinuxConstants.O_WRONLY;

import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.data.DirectIo;
import org.treehaul.core.copy.failure.ChangedException;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.metadata.MetadataWriter;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.Expectation;
import org.treehaul.core.copy.target.CopyTask;
import org.treehaul.core.copy.target.ExistingTarget;
import org.treehaul.core.copy.target.Placement;
import org.treehaul.core.copy.target.TargetAccess;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;

/** Opens the file to which the data of a regular file are written. Not safe for several threads. */
final class TargetOpener {

    private static final int PRIVATE = 0600;

    private final CopyOptions options;
    private final FileAccess access;
    private final MetadataWriter metadata;
    private final TargetAccess target;

    // The last task that was written through to an existing file. If it failed, the same task comes again.
    private @Nullable CopyTask begun;

    TargetOpener(CopyOptions options, TargetAccess target, MetadataWriter metadata) {
        this.options = options;
        this.access = target.files();
        this.metadata = metadata;
        this.target = target;
    }

    /**
     * Opens a new file under its final name, unless the name exists or the options require a check of the target first.
     */
    Optional<PlacedFile> direct(FileAttempt attempt) throws TargetException {
        if (options.existing() != CopyOptions.Existing.REPLACE || options.removeDestination()
                || options.expectation().isPresent()) {
            return Optional.empty();
        }
        int mode = metadata.creationMode(attempt.status(), attempt.task().target(), attempt.attributes());
        Placement placement = target.placer()
                .direct(attempt.task().target(), attempt.targetDirectory(), attempt.targetName(), mode);
        return placement.descriptor() < 0 ? Optional.empty() : Optional.of(new PlacedFile(placement, null, false));
    }

    /**
     * Examines the existing entry under the final name and opens the file for the data.
     *
     * @param keepsData whether the existing file keeps its data
     * @return empty if the file must be skipped
     * @throws ChangedException if a change of attributes was decided for another file
     */
    Optional<PlacedFile> open(FileAttempt attempt, boolean keepsData) throws TargetException, ChangedException {
        CopyTask task = attempt.task();
        FileStatus there = ExistingTarget.find(access, attempt.targetDirectory(), attempt.targetName());
        Expectation expectation = options.expectation().orElse(null);
        if (expectation != null && (there == null || !expectation.holds(task.path(), attempt.status(), there))) {
            throw new ChangedException();
        }
        if (there != null) {
            target.collisions().check(task.besides(), task.target(), attempt.targetDirectory(), task.targetName());
            ExistingTarget.Decision decision = decide(attempt, there);
            if (decision != ExistingTarget.Decision.SKIP && !target.confirmation().allows(task)) {
                return Optional.empty();
            }
            switch (decision) {
                case SKIP -> {
                    return Optional.empty();
                }
                case THROUGH -> {
                    PlacedFile placed = throughOrUnlinked(attempt, there, keepsData);
                    if (placed != null) {
                        return Optional.of(placed);
                    }
                    there = null;
                }
                case REPLACE -> {
                    if (options.removeDestination()) {
                        TargetException.checkTaken("unlink",
                                access.calls().unlinkat(attempt.targetDirectory(), attempt.targetName(), 0));
                        there = null;
                    } else if (keepsData && !options.backup().isMade()) {
                        return Optional.of(through(attempt, there, true));
                    }
                }
            }
        }
        // A file that replaces another finally gets the permissions of that one, which may be fewer than the source's.
        // One that is opened a second time needs permissions for its owner.
        boolean isDirect = options.direct() && attempt.status().size() >= DirectIo.LEAST_BYTES;
        int mode = there == null && !isDirect
                ? metadata.creationMode(attempt.status(), task.target(), attempt.attributes())
                : PRIVATE;
        Placement placement = target.placer().temporary(task.target(), attempt.targetDirectory(), mode);
        return Optional.of(new PlacedFile(placement, there, false));
    }

    private ExistingTarget.Decision decide(FileAttempt attempt, FileStatus there) throws TargetException {
        CopyTask task = attempt.task();
        int directory = attempt.targetDirectory();
        boolean isRoot = task.path().isRoot();
        return task.equals(begun)
                ? target.existing().decideAgain(attempt.status(), there, isRoot, directory, attempt.targetName())
                : target.existing().decide(attempt.status(), there, isRoot, directory, attempt.targetName());
    }

    // As open_for_write of cp: --force unlinks files that it cannot open. Here it unlinks only links: one to itself, or
    // to a file that this user may not write. A device or socket stays, and so does a link that leads nowhere, as in
    // cp.
    private @Nullable PlacedFile throughOrUnlinked(FileAttempt attempt, FileStatus there, boolean keepsData)
            throws TargetException {
        try {
            return through(attempt, there, keepsData);
        } catch (TargetException e) {
            boolean isUnlinked = options.force() && there.kind() == EntryKind.SYMLINK
                    && e.call().operation().equals("open") && e.call().errno() != Errno.ENOENT;
            if (!isUnlinked) {
                throw e;
            }
            TargetException.checkTaken("unlink",
                    access.calls().unlinkat(attempt.targetDirectory(), attempt.targetName(), 0));
            return null;
        }
    }

    private PlacedFile through(FileAttempt attempt, FileStatus there, boolean keepsData) throws TargetException {
        int flags = O_WRONLY;
        if (there.kind() != EntryKind.SYMLINK) {
            flags |= O_NOFOLLOW;
        }
        if (there.kind() == EntryKind.FIFO || there.kind() == EntryKind.REGULAR) {
            // A FIFO without a reader gives ENXIO, where cp would hang; a FIFO may have taken a file's place by now.
            flags |= O_NONBLOCK;
        }
        int file = access.tryOpen(attempt.targetDirectory(), attempt.targetName(), flags, 0);
        if (file == -Errno.EACCES && options.expectation().isPresent()) {
            // The owner may change the attributes of a file that denies writing.
            file = access.tryOpen(attempt.targetDirectory(), attempt.targetName(), flags & ~O_WRONLY | O_RDONLY, 0);
        }
        TargetException.check("open", file);
        try {
            FileStatus opened = target.status(file);
            if (opened.isSameFile(attempt.status())) {
                throw new TargetException("copy a file onto itself", Errno.EINVAL);
            }
            if (there.kind() != EntryKind.SYMLINK && !opened.isSameFile(there)) {
                throw new TargetException("open", Errno.ESTALE);
            }
            if (opened.kind() == EntryKind.FIFO && there.kind() == EntryKind.FIFO) {
                file = blocking(file);
            }
            // Not with O_TRUNC: the link could lead to the source.
            if (opened.kind() == EntryKind.REGULAR && !keepsData) {
                begun = attempt.task();
                TargetException.check("ftruncate", access.calls().ftruncate(file, 0));
            }
            Placement placement = new Placement(Placement.Way.THROUGH, file, ByteString.empty(), 0);
            return new PlacedFile(placement, opened, there.kind() == EntryKind.SYMLINK);
        } catch (TargetException e) {
            access.closeQuietly(file);
            throw e;
        }
    }

    // Opens the same FIFO again, so that a write waits for a slow reader. It has a reader, so this open does not wait.
    private int blocking(int fifo) throws TargetException {
        int reopened = TargetException.check("open", access.tryOpen(AT_FDCWD, access.procPath(fifo), O_WRONLY, 0));
        access.closeQuietly(fifo);
        return reopened;
    }
}
