// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.treehaul.core.fs.LinuxConstants.AT_SYMLINK_NOFOLLOW;

import java.lang.foreign.MemorySegment;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/**
 * Ends the copy of a regular file whose data are written: metadata, sync, close and name, in the order that leaves
 * nothing half-done under the final name. Used by one thread.
 */
final class FileFinisher {

    private final CopyRun run;
    private final FileAccess access;
    private final MetadataWriter metadata;
    private final Placer placer;
    private final ExistingTarget existing;
    private final Backups backups;
    private final NameCollisions collisions;
    private final @Nullable Verifier verifier;
    private final CopyEnd end;

    FileFinisher(CopyRun run, FileAccess access, MetadataWriter metadata, Placer placer, ExistingTarget existing,
            NameCollisions collisions, @Nullable Verifier verifier, CopyEnd end) {
        this.run = run;
        this.access = access;
        this.metadata = metadata;
        this.placer = placer;
        this.existing = existing;
        this.backups = new Backups(run, access, placer);
        this.collisions = collisions;
        this.verifier = verifier;
        this.end = end;
    }

    /** Looks whether the source is as it was when its copy began. */
    void checkUnchanged(FileCopier.Attempt attempt) throws SystemCallException, ChangedException {
        boolean tellsSize = attempt.status().size() > 0;
        if (tellsSize && !access.status(attempt.source()).isUnchangedSince(attempt.status())) {
            throw new ChangedException();
        }
    }

    /**
     * Carries the metadata over, gives the copy its name, and tells the end. Afterwards the descriptor is closed; when
     * this throws, nothing is left of the copy, but for what was written to a file that was there.
     *
     * @param extents what to read back, if it is to be
     */
    void finish(FileCopier.Attempt attempt, FileCopier.Placed placed, DataHash.Extents extents)
            throws TargetException, CorruptException {
        Placement placement = placed.placement();
        SystemCallException problem;
        FileStatus made;
        try {
            problem = carryMetadata(attempt, placed);
            sync(placed);
            made = attempt.group() == null && verifier != null ? null : statusOf(placement.descriptor());
        } catch (TargetException e) {
            placer.discard(placement, attempt.targetDirectory(), attempt.targetName());
            unstamp(attempt, placed);
            throw e;
        }
        boolean isNamed = switch (placement.way()) {
            case DIRECT -> {
                closeOrUnlink(placement, attempt.targetDirectory(), attempt.targetName());
                yield true;
            }
            case THROUGH -> {
                closeThrough(attempt, placed);
                yield true;
            }
            case UNNAMED -> nameUnnamed(attempt, placed);
            case NAMED -> rename(attempt, placed);
        };
        if (!isNamed) {
            end.skipped(attempt);
            return;
        }
        FileStatus there = placed.existing();
        boolean isFile = there == null || there.kind() == EntryKind.REGULAR;
        // What failed already is read back only where other names become links to it.
        boolean isToProve = isFile && (problem == null || attempt.group() != null);
        boolean isProved = !isToProve || verifier == null
                || verifier.add(attempt, placement.way() == Placement.Way.THROUGH, extents);
        FileStatus toLink = isFile && !placed.isThroughLink() ? made : null;
        if (problem == null) {
            end.copied(attempt, toLink, isProved);
        } else {
            end.incomplete(attempt, toLink, problem);
        }
    }

    private FileStatus statusOf(int descriptor) throws TargetException {
        try {
            return access.status(descriptor);
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
    }

    private void closeThrough(FileCopier.Attempt attempt, FileCopier.Placed placed) throws TargetException {
        try {
            close(placed.placement());
        } catch (TargetException e) {
            unstamp(attempt, placed);
            throw e;
        }
    }

    /**
     * Sees to it that a file which was written to and did not get all its data looks by its time as if it had to be
     * copied. Errors are left: the caller has a better one to tell.
     */
    void unstamp(FileCopier.Attempt attempt, FileCopier.Placed placed) {
        FileStatus there = placed.existing();
        boolean isUpdate = run.options().existing() == CopyOptions.Existing.UPDATE;
        boolean isTorn = placed.placement().way() == Placement.Way.THROUGH && there != null
                && there.kind() == EntryKind.REGULAR && !run.options().attributesOnly()
                && (isUpdate || run.preserves(Preserve.TIMESTAMPS));
        if (isTorn) {
            int flags = placed.isThroughLink() ? 0 : AT_SYMLINK_NOFOLLOW;
            // Without times: now, which is not the source's; but what is newer than the source stays as it is with -u.
            MemorySegment times = isUpdate ? access.times(before(attempt.status())) : MemorySegment.NULL;
            access.calls().utimensat(attempt.targetDirectory(), attempt.targetName(), times, flags);
        }
    }

    private static Timestamp before(FileStatus source) {
        return new Timestamp(Math.min(0, source.mtimeSeconds() - 1), 0);
    }

    private @Nullable SystemCallException carryMetadata(FileCopier.Attempt attempt, FileCopier.Placed placed)
            throws TargetException {
        TargetDirectory directory = attempt.task().target();
        Placement placement = placed.placement();
        FileStatus there = placed.existing();
        if (placement.way() == Placement.Way.THROUGH && there != null) {
            // What is written to a device or FIFO is no copy of the source: that keeps its own metadata.
            return there.kind() == EntryKind.REGULAR
                    ? metadata.toExisting(placement.descriptor(), attempt.status(), attempt.attributes(), there)
                    : null;
        }
        if (run.preserves(Preserve.OWNERSHIP) && !directory.knowsNewFileOwner()) {
            directory.learn(statusOf(placement.descriptor()));
        }
        // What is backed up keeps its metadata; the copy beside it is a new file.
        return there == null || run.options().backup().isMade()
                ? metadata.toNewFile(placement.descriptor(), attempt.status(), directory, attempt.attributes(),
                        placement.creationMode())
                : metadata.toReplacement(placement.descriptor(), attempt, there);
    }

    // What is replaced is lost with the rename, so the new file must be on disk before.
    private void sync(FileCopier.Placed placed) throws TargetException {
        boolean isThrough = placed.placement().way() == Placement.Way.THROUGH;
        boolean replaces = placed.existing() != null && !isThrough;
        if (run.options().fsync() || replaces) {
            int synced = access.calls().fsync(placed.placement().descriptor());
            // EINVAL is what a FIFO or a terminal answers.
            if (!(synced == -Errno.EINVAL && isThrough)) {
                TargetException.check("fsync", synced);
            }
        }
    }

    private boolean nameUnnamed(FileCopier.Attempt attempt, FileCopier.Placed placed) throws TargetException {
        Placement placement = placed.placement();
        try {
            if (!place(attempt, placed)) {
                access.closeQuietly(placement.descriptor());
                return false;
            }
        } catch (TargetException e) {
            access.closeQuietly(placement.descriptor());
            throw e;
        }
        if (placed.existing() == null) {
            closeOrUnlink(placement, attempt.targetDirectory(), attempt.targetName());
        } else {
            // Synced before it took the place of what is lost now: whole, whatever close says.
            close(placement);
        }
        return true;
    }

    // Closed first, so that an error which appears only there is known before the file has its name.
    private boolean rename(FileCopier.Attempt attempt, FileCopier.Placed placed) throws TargetException {
        boolean isNamed = false;
        try {
            close(placed.placement());
            isNamed = place(attempt, placed);
            return isNamed;
        } finally {
            if (!isNamed) {
                placer.unlinkTemporary(placed.placement(), attempt.targetDirectory());
            }
        }
    }

    // Returns false when another file got the name meanwhile and the options say to leave it.
    private boolean place(FileCopier.Attempt attempt, FileCopier.Placed placed) throws TargetException {
        Placement placement = placed.placement();
        int directory = attempt.targetDirectory();
        MemorySegment name = attempt.targetName();
        if (placed.existing() == null) {
            if (placer.place(placement, attempt.task().target(), directory, name)) {
                return true;
            }
            FileStatus now = ExistingTarget.find(access, directory, name);
            boolean isRoot = attempt.task().path().isRoot();
            if (now != null) {
                CopyTask task = attempt.task();
                collisions.check(task.besides(), task.target(), directory, task.targetName());
                ExistingTarget.Decision decision = existing.decide(attempt.status(), now, isRoot, directory, name);
                if (decision != ExistingTarget.Decision.SKIP && !run.mayReplace(task)) {
                    return false;
                }
                switch (decision) {
                    case SKIP -> {
                        return false;
                    }
                    // It came after this copy had looked, and is nothing to be replaced.
                    case THROUGH -> throw new TargetException("link", Errno.EEXIST);
                    case REPLACE -> {
                    }
                }
                if (placement.way() == Placement.Way.UNNAMED) {
                    TargetException.check("fsync", access.calls().fsync(placement.descriptor()));
                }
            }
        }
        backups.replace(attempt.task(), attempt.status(), directory, name,
                () -> placer.replace(placement, directory, name));
        return true;
    }

    private void close(Placement placement) throws TargetException {
        try {
            access.close(placement.descriptor());
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
    }

    private void closeOrUnlink(Placement placement, int directory, MemorySegment name) throws TargetException {
        try {
            close(placement);
        } catch (TargetException e) {
            access.calls().unlinkat(directory, name, 0);
            throw e;
        }
    }
}
