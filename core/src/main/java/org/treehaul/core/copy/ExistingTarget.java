// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.lang.foreign.MemorySegment;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/** Decides what happens where something stands under a target name already. */
final class ExistingTarget {

    /** What to do with it. */
    enum Decision {
        /** Leave it and pass the source over. */
        SKIP,
        /** Put the copy in its place. */
        REPLACE,
        /** Write to it. */
        THROUGH
    }

    /** Finds out what a source that is a symbolic link leads to. */
    interface Referent {
        FileStatus look() throws SystemCallException;
    }

    private final CopyOptions options;
    private final FileAccess access;

    ExistingTarget(CopyOptions options, FileAccess access) {
        this.options = options;
        this.access = access;
    }

    /** Returns the status of a name at the destination, or null where there is nothing. */
    static @Nullable FileStatus find(FileAccess access, int directory, MemorySegment name) throws TargetException {
        try {
            return access.status(directory, name);
        } catch (SystemCallException e) {
            if (e.errno() == Errno.ENOENT) {
                return null;
            }
            throw new TargetException(e);
        }
    }

    /**
     * Decides for a source that is a file whose data are copied.
     *
     * @param isRoot whether this is what the user named and not something below it: only there a symbolic link at the
     *        destination is written through, below it could lead anywhere
     * @param directory where the target stands
     * @param name its name there
     */
    Decision decide(FileStatus source, FileStatus target, boolean isRoot, int directory, MemorySegment name)
            throws TargetException {
        return decide(source, target, isRoot, directory, name, () -> source);
    }

    /**
     * Decides for a source that is not a directory.
     *
     * @param referent asked only where a symbolic link would take the place of something else
     * @return {@link Decision#THROUGH} also where only attributes are copied to what is of the same kind, but a file
     */
    Decision decide(FileStatus source, FileStatus target, boolean isRoot, int directory, MemorySegment name,
            Referent referent) throws TargetException {
        return decide(source, target, isRoot, directory, name, referent,
                options.existing() == CopyOptions.Existing.UPDATE);
    }

    /** Decides once more for one that this run has begun to write to: its time is of now, and says nothing. */
    Decision decideAgain(FileStatus source, FileStatus target, boolean isRoot, int directory, MemorySegment name)
            throws TargetException {
        return decide(source, target, isRoot, directory, name, () -> source, false);
    }

    private Decision decide(FileStatus source, FileStatus target, boolean isRoot, int directory, MemorySegment name,
            Referent referent, boolean mustBeNewer) throws TargetException {
        if (options.existing() == CopyOptions.Existing.SKIP) {
            return Decision.SKIP;
        }
        if (target.kind() == EntryKind.DIRECTORY) {
            throw new TargetException("replace a directory", Errno.EISDIR);
        }
        // With another name of the source itself the source keeps its data when that name is removed.
        boolean isBackedUp = options.backup().isMade();
        boolean isUnlinked = options.removeDestination() && target.linkCount() > 1 || isBackedUp;
        boolean isSame = target.isSameFile(source);
        if (isSame && source.kind() == EntryKind.SYMLINK && source.linkCount() > 1 && !isBackedUp) {
            // same_file_ok: two names of one link are what they are to become.
            return Decision.SKIP;
        }
        if (isSame && !isUnlinked) {
            throw new TargetException("copy a file onto itself", Errno.EINVAL);
        }
        boolean isLink = source.kind() == EntryKind.SYMLINK && target.kind() != EntryKind.SYMLINK;
        if (isLink && !isBackedUp && leadsTo(referent, target)) {
            throw new TargetException("copy a symbolic link onto the file it leads to", Errno.EINVAL);
        }
        boolean isData = source.kind() == EntryKind.REGULAR || options.isStream(isRoot, source.kind());
        boolean isReplaced = options.removeDestination() || isBackedUp || options.form() != CopyOptions.Form.COPY;
        boolean isThroughLink = isData && isRoot && target.kind() == EntryKind.SYMLINK && !isReplaced;
        if (mustBeNewer) {
            FileStatus judged = isThroughLink ? followed(directory, name) : target;
            if (judged != null && !isNewer(source, judged)) {
                return Decision.SKIP;
            }
        }
        if (isReplaced) {
            return Decision.REPLACE;
        }
        if (options.attributesOnly() && !isData) {
            if (source.kind() != target.kind()) {
                // As cp says it: the data that are there stay.
                throw new TargetException(source.kind() == EntryKind.SYMLINK ? "symlink" : "mknod", Errno.EEXIST);
            }
            return Decision.THROUGH;
        }
        return switch (target.kind()) {
            case REGULAR -> isData && options.inPlace() && !isShared(target) ? Decision.THROUGH : Decision.REPLACE;
            case SYMLINK -> {
                if (isData && !isRoot) {
                    throw new TargetException("write through a symbolic link", Errno.ELOOP);
                }
                yield isData && !leadsToShared(directory, name) ? Decision.THROUGH : Decision.REPLACE;
            }
            case FIFO, CHARACTER, BLOCK -> isData ? Decision.THROUGH : Decision.REPLACE;
            case SOCKET -> {
                if (isData) {
                    throw new TargetException("open", Errno.ENXIO);
                }
                yield Decision.REPLACE;
            }
            case DIRECTORY -> throw new IllegalStateException("handled above");
        };
    }

    // Without the file that it leads to the link would lead to itself, and the data be lost. A link that leads nowhere, or
    // where this user may not look, leads to no file that is replaced here.
    static boolean leadsTo(Referent referent, FileStatus target) {
        try {
            return referent.look().isSameFile(target);
        } catch (SystemCallException e) {
            return false;
        }
    }

    // copy_internal: where links are kept, a link to a file that has other names is replaced.
    private boolean leadsToShared(int directory, MemorySegment name) throws TargetException {
        if (!options.preserve().contains(Preserve.LINKS)) {
            return false;
        }
        FileStatus file = followed(directory, name);
        return file != null && file.kind() == EntryKind.REGULAR && isShared(file);
    }

    // What would be written to, or null where the link leads nowhere or to itself: what then opens it says so.
    private @Nullable FileStatus followed(int directory, MemorySegment name) throws TargetException {
        try {
            return access.followedStatus(directory, name);
        } catch (SystemCallException e) {
            if (e.errno() == Errno.ENOENT || e.errno() == Errno.ELOOP) {
                return null;
            }
            throw new TargetException(e);
        }
    }

    // As cp does: where links are kept, names that are one file at the destination need not be one in the source.
    private boolean isShared(FileStatus target) {
        return options.preserve().contains(Preserve.LINKS) && target.linkCount() > 1;
    }

    /** Returns whether a copy has the time of its source, as far as its file system keeps it. */
    static boolean hasTimeOf(FileStatus source, FileStatus copy) {
        return source.mtimeSeconds() == copy.mtimeSeconds() && !isNewer(source, copy);
    }

    // The target's file system may keep whole seconds, or less than all nine digits: the source's time is cut alike.
    private static boolean isNewer(FileStatus source, FileStatus target) {
        if (source.mtimeSeconds() != target.mtimeSeconds()) {
            return source.mtimeSeconds() > target.mtimeSeconds();
        }
        long unit = 1;
        while (unit < 1_000_000_000 && target.mtimeNanos() % (unit * 10) == 0) {
            unit *= 10;
        }
        return source.mtimeNanos() / unit * unit > target.mtimeNanos();
    }
}
