// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.file;

import static org.treehaul.core.fs.LinuxConstants.AT_SYMLINK_NOFOLLOW;

import java.lang.foreign.MemorySegment;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.data.DataHash;
import org.treehaul.core.copy.failure.CorruptException;
import org.treehaul.core.copy.failure.RetryPolicy;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.metadata.MetadataWriter;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.copy.target.CopyTask;
import org.treehaul.core.copy.target.ExistingTarget;
import org.treehaul.core.copy.target.Placement;
import org.treehaul.core.copy.target.TargetAccess;
import org.treehaul.core.copy.target.TargetDirectory;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/**
 * Finishes the copy of a regular file whose data are written: sets metadata, syncs, closes and renames in the order
 * that never leaves an incomplete file under the final name. Not safe for several threads.
 */
public final class FileFinisher {

    private final CopyOptions options;
    private final FileAccess access;
    private final MetadataWriter metadata;
    private final TargetAccess target;
    private final @Nullable Verifier verifier;
    private final CopyEnd end;

    public FileFinisher(CopyOptions options, TargetAccess target, MetadataWriter metadata, @Nullable Verifier verifier,
            CopyEnd end) {
        this.options = options;
        this.access = target.files();
        this.metadata = metadata;
        this.target = target;
        this.verifier = verifier;
        this.end = end;
    }

    /**
     * Copies the metadata, gives the copy its name, and reports the result. Afterwards the descriptor is closed. If
     * this throws, nothing is left of the copy, except data written to an existing file, and a shared temporary file.
     *
     * @param extents the data to verify, if verification is requested
     */
    public void finish(FileAttempt attempt, PlacedFile placed, DataHash.Extents extents)
            throws TargetException, CorruptException {
        Placement placement = placed.placement();
        SystemCallException problem;
        FileStatus made;
        try {
            problem = carryMetadata(attempt, placed);
            // Data read from a FIFO cannot be read again.
            if (problem != null && attempt.status().kind() == EntryKind.REGULAR
                    && RetryPolicy.mayPass(problem, attempt.tries())) {
                throw new TargetException(problem);
            }
            sync(placed);
            made = attempt.group() == null && verifier != null ? null : target.status(placement.descriptor());
        } catch (TargetException e) {
            target.placer().discard(placement, attempt.targetDirectory(), attempt.targetName());
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
            case NAMED, SHARED -> rename(attempt, placed);
        };
        if (!isNamed) {
            end.ended(attempt, new CopyEnd.Skipped());
            return;
        }
        FileStatus there = placed.existing();
        // A symbolic link that was backed up is replaced by a file; only an entry that is written through keeps its
        // kind.
        boolean isFile = placement.way() != Placement.Way.THROUGH || there == null || there.kind() == EntryKind.REGULAR;
        // A copy that has already failed is verified only if other names become links to it.
        boolean isToProve = isFile && (problem == null || attempt.group() != null);
        boolean isProved = !isToProve || verifier == null
                || verifier.add(attempt, placement.way() == Placement.Way.THROUGH, extents);
        FileStatus toLink = isFile && !placed.isThroughLink() ? made : null;
        end.ended(attempt,
                problem == null ? new CopyEnd.Copied(toLink, isProved) : new CopyEnd.Incomplete(toLink, problem));
    }

    private void closeThrough(FileAttempt attempt, PlacedFile placed) throws TargetException {
        try {
            close(placed.placement());
        } catch (TargetException e) {
            unstamp(attempt, placed);
            throw e;
        }
    }

    /**
     * Sets the time of an existing file that did not get all its data so that the file appears to need copying. Errors
     * are ignored: the caller has a more important one to report.
     */
    void unstamp(FileAttempt attempt, PlacedFile placed) {
        FileStatus there = placed.existing();
        boolean isTorn = placed.placement().way() == Placement.Way.THROUGH && there != null
                && there.kind() == EntryKind.REGULAR && showsCopiesByTime(options);
        if (isTorn) {
            int flags = placed.isThroughLink() ? 0 : AT_SYMLINK_NOFOLLOW;
            access.calls()
                    .utimensat(attempt.targetDirectory(), attempt.targetName(),
                            otherTimes(options, access, attempt.status()), flags);
        }
    }

    /** Returns whether an existing file whose data were not written completely could look like a copy by its time. */
    static boolean showsCopiesByTime(CopyOptions options) {
        return !options.attributesOnly()
                && (options.existing() == CopyOptions.Existing.UPDATE || options.preserves(Preserve.TIMESTAMPS));
    }

    /** Returns times, as for utimensat(2), by which an existing file does not look like a copy of a source. */
    static MemorySegment otherTimes(CopyOptions options, FileAccess access, FileStatus source) {
        // NULL sets the current time, which differs from the source's; but -u would keep a file newer than the source,
        // so it gets an older time.
        return options.existing() == CopyOptions.Existing.UPDATE
                ? access.times(new Timestamp(Math.min(0, source.mtimeSeconds() - 1), 0))
                : MemorySegment.NULL;
    }

    private @Nullable SystemCallException carryMetadata(FileAttempt attempt, PlacedFile placed) throws TargetException {
        TargetDirectory directory = attempt.task().target();
        Placement placement = placed.placement();
        FileStatus there = placed.existing();
        if (placement.way() == Placement.Way.THROUGH && there != null) {
            // A device or FIFO is not a copy of the source: it keeps its own metadata.
            return there.kind() == EntryKind.REGULAR
                    ? metadata.toExisting(placement.descriptor(), attempt.status(), attempt.attributes(), there)
                    : null;
        }
        if (options.preserves(Preserve.OWNERSHIP) && !directory.knowsNewFileOwner()) {
            directory.learn(target.status(placement.descriptor()));
        }
        // The backed-up file keeps its metadata; the copy beside it is a new file. So is one in place of a link, which has
        // all permissions, or of another kind of entry.
        return there == null || there.kind() != EntryKind.REGULAR || options.backup().isMade()
                ? metadata.toNewFile(placement.descriptor(), attempt.status(), directory, attempt.attributes(),
                        placement.creationMode())
                : metadata.toReplacement(placement.descriptor(), attempt.status(), directory, attempt.attributes(),
                        there, attempt.targetDirectory(), attempt.targetName());
    }

    // The rename destroys the replaced file, so the new one must be on disk before.
    private void sync(PlacedFile placed) throws TargetException {
        boolean isThrough = placed.placement().way() == Placement.Way.THROUGH;
        boolean replaces = placed.existing() != null && !isThrough;
        if (options.fsync() || replaces) {
            int synced = access.calls().fsync(placed.placement().descriptor());
            // A FIFO or a terminal returns EINVAL.
            if (!(synced == -Errno.EINVAL && isThrough)) {
                TargetException.check("fsync", synced);
            }
        }
    }

    private boolean nameUnnamed(FileAttempt attempt, PlacedFile placed) throws TargetException {
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
            // Synced before it replaced the old file, which is now lost: it is complete, whatever close returns.
            close(placement);
        }
        return true;
    }

    // Closed first, so that an error that only close reports is known before the file has its name.
    private boolean rename(FileAttempt attempt, PlacedFile placed) throws TargetException {
        boolean isNamed = false;
        try {
            close(placed.placement());
            isNamed = place(attempt, placed);
            return isNamed;
        } finally {
            if (!isNamed && placed.placement().way() == Placement.Way.NAMED) {
                target.placer().unlinkTemporary(placed.placement(), attempt.targetDirectory());
            }
        }
    }

    // Returns false if another file has taken the name in between and the options keep existing files.
    private boolean place(FileAttempt attempt, PlacedFile placed) throws TargetException {
        Placement placement = placed.placement();
        int directory = attempt.targetDirectory();
        MemorySegment name = attempt.targetName();
        if (placed.existing() == null) {
            if (target.placer().place(placement, attempt.task().target(), directory, name)) {
                return true;
            }
            FileStatus now = ExistingTarget.find(access, directory, name);
            boolean isRoot = attempt.task().path().isRoot();
            if (now != null) {
                CopyTask task = attempt.task();
                target.collisions().check(task.besides(), task.target(), directory, task.targetName());
                ExistingTarget.Decision decision = target.existing()
                        .decide(attempt.status(), now, isRoot, directory, name);
                if (decision != ExistingTarget.Decision.SKIP && !target.confirmation().allows(task)) {
                    return false;
                }
                switch (decision) {
                    case SKIP -> {
                        return false;
                    }
                    // The entry appeared after this copy had checked, and must not be replaced.
                    case THROUGH -> throw new TargetException("link", Errno.EEXIST);
                    case REPLACE -> {
                    }
                }
                if (placement.way() == Placement.Way.UNNAMED) {
                    TargetException.check("fsync", access.calls().fsync(placement.descriptor()));
                }
            }
        }
        target.backups()
                .replace(attempt.task(), attempt.status(), directory, name,
                        () -> target.placer().replace(placement, directory, name));
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
