// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.target;

import java.lang.foreign.MemorySegment;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.time.StoredTimes;

/** Decides how to handle an existing entry under a target name. */
public final class ExistingTarget {

    /** The decision. */
    public enum Decision {
        /** Keep it and skip the source. */
        SKIP,
        /** Replace it by the copy. */
        REPLACE,
        /** Write to it. */
        THROUGH
    }

    private static final Set<Integer> LEADS_NOWHERE = Set.of(Errno.ENOENT, Errno.ENOTDIR, Errno.EACCES, Errno.ELOOP,
            Errno.ENAMETOOLONG);

    /** Reads the status of the target of a source that is a symbolic link. */
    public interface Referent {
        FileStatus look() throws SystemCallException;
    }

    private final CopyOptions options;
    private final FileAccess access;
    private final StoredTimes times;

    public ExistingTarget(CopyOptions options, FileAccess access) {
        this.options = options;
        this.access = access;
        this.times = new StoredTimes(access);
    }

    /** Returns the status of a name at the destination, or null if it does not exist. */
    public static @Nullable FileStatus find(FileAccess access, int directory, MemorySegment name)
            throws TargetException {
        try {
            return access.find(directory, name, false);
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
    }

    /**
     * Decides for a source whose data are copied.
     *
     * @param isRoot whether the user named this entry itself: only then is a symbolic link at the destination written
     *        through; one below a root could lead anywhere
     * @param directory the directory that contains the target
     * @param name its name there
     */
    public Decision decide(FileStatus source, FileStatus target, boolean isRoot, int directory, MemorySegment name)
            throws TargetException {
        return decide(source, target, isRoot, directory, name, () -> source);
    }

    /**
     * Decides for a source that is not a directory.
     *
     * @param referent called only if a symbolic link would replace something else
     * @return {@link Decision#THROUGH} also if only attributes are copied to an entry of the same kind that is not a
     *         file
     */
    public Decision decide(FileStatus source, FileStatus target, boolean isRoot, int directory, MemorySegment name,
            Referent referent) throws TargetException {
        return decide(source, target, isRoot, directory, name, referent,
                options.existing() == CopyOptions.Existing.UPDATE);
    }

    /**
     * Decides for a further name of a source that is already copied. As with GNU cp (copy_internal), {@code -u} applies
     * only to the first name of a file; the others become links to it, whatever their times.
     *
     * @param referent called only if a symbolic link would replace something else
     */
    public Decision decideLink(FileStatus source, FileStatus target, boolean isRoot, int directory, MemorySegment name,
            Referent referent) throws TargetException {
        return decide(source, target, isRoot, directory, name, referent, false);
    }

    /**
     * Returns the status of a target that {@code -u} kept, if further names of the source become links to it, else
     * null.
     */
    @Nullable public FileStatus leader(FileStatus source, int directory, MemorySegment name) {
        if (options.existing() != CopyOptions.Existing.UPDATE || options.confirmation().isPresent()) {
            return null;
        }
        try {
            FileStatus there = access.status(directory, name);
            return there.kind() == source.kind() ? there : null;
        } catch (SystemCallException e) {
            // It is gone: the next name decides for itself.
            return null;
        }
    }

    /**
     * Decides again for a target to which this run has begun to write: its time is the current time and means nothing.
     */
    public Decision decideAgain(FileStatus source, FileStatus target, boolean isRoot, int directory, MemorySegment name)
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
        // If the target is another name of the source, the source keeps its data when that name is removed.
        boolean isBackedUp = options.backup().isMade();
        boolean isUnlinked = options.removeDestination() && target.linkCount() > 1 || isBackedUp;
        boolean isSame = target.isSameFile(source);
        if (isSame && source.kind() == EntryKind.SYMLINK && source.linkCount() > 1 && !isBackedUp) {
            // As in same_file_ok of cp: two names of one link already are the desired result.
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
        boolean isReplaced = options.removeDestination() || isBackedUp || options.takesNames()
                || options.form() != CopyOptions.Form.COPY;
        boolean isThroughLink = isData && isRoot && target.kind() == EntryKind.SYMLINK && !isReplaced;
        if (mustBeNewer) {
            FileStatus judged = isThroughLink ? followed(directory, name) : target;
            if (judged != null && !times.isNewer(source, judged, directory, name)) {
                return Decision.SKIP;
            }
        }
        if (isReplaced) {
            return Decision.REPLACE;
        }
        if (options.attributesOnly() && !isData) {
            if (source.kind() != target.kind()) {
                // Fails as in cp: the existing data stay.
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

    /**
     * Returns whether a link leads to a file. Without that file the link would lead to itself and the data would be
     * lost. A link that leads nowhere, or to a place this user may not access, does not lead to a file that is replaced
     * here.
     *
     * @throws TargetException if that is unknown
     */
    public static boolean leadsTo(Referent referent, FileStatus target) throws TargetException {
        try {
            return referent.look().isSameFile(target);
        } catch (SystemCallException e) {
            if (LEADS_NOWHERE.contains(e.errno())) {
                return false;
            }
            throw new TargetException("examine what the link leads to", e.errno());
        }
    }

    // As in copy_internal of cp: if links are preserved, a link to a file with other names is replaced.
    private boolean leadsToShared(int directory, MemorySegment name) throws TargetException {
        if (!options.preserve().contains(Preserve.LINKS)) {
            return false;
        }
        FileStatus file = followed(directory, name);
        return file != null && file.kind() == EntryKind.REGULAR && isShared(file);
    }

    // Returns the file to which the data would be written, or null if the link leads nowhere or to itself: opening it
    // then reports the error.
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

    // As in cp: if links are preserved, names of one file at the destination need not be one file in the source.
    private boolean isShared(FileStatus target) {
        return options.preserve().contains(Preserve.LINKS) && target.linkCount() > 1;
    }

    /**
     * Returns whether an existing entry may be a copy of a regular file, as far as size and, if preserved, time show.
     *
     * @param directory the directory that contains it, or a descriptor of its own and an empty name
     */
    public boolean mayBeCopy(FileStatus source, FileStatus there, int directory, MemorySegment name) {
        return source.kind() == EntryKind.REGULAR && there.kind() == EntryKind.REGULAR && there.size() == source.size()
                && (!options.preserves(Preserve.TIMESTAMPS) || times.hasTime(there, directory, name, source.mtime()));
    }
}
