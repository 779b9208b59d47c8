// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.summary;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.InodeSet;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.options.WalkOptions;

/**
 * Decides which entries of several walks count, so that each counts once, as du(1) does: a file with several names, an
 * entry that two roots contain, and one that several followed links lead to. Without followed links only files with
 * several names and the roots themselves need memory, because two roots overlap only where one is inside the other.
 * Safe for any number of threads.
 */
final class CountedOnce {

    private final boolean oneFileSystem;
    private final Symlinks symlinks;
    private final boolean countLinks;
    private final InodeSet seen = new InodeSet();
    private volatile long @Nullable [] rootInodes;

    CountedOnce(WalkOptions walk, boolean countLinks) {
        this.oneFileSystem = walk.oneFileSystem();
        this.symlinks = walk.symlinks();
        this.countLinks = countLinks;
    }

    /**
     * Makes the roots known, of which one may be inside another. Only the first call has an effect. A root that cannot
     * be examined is left to the walk.
     */
    synchronized void expect(FileAccess access, List<Root> roots) {
        if (rootInodes == null) {
            rootInodes = roots.size() == 1
                    ? new long[0]
                    : roots.stream().mapToLong(root -> inode(access, root)).sorted().toArray();
        }
    }

    private long inode(FileAccess access, Root root) {
        try {
            return LongPath.status(access, root.path(), symlinks != Symlinks.NEVER).inode();
        } catch (SystemCallException e) {
            // No entry has this number.
            return 0;
        }
    }

    /**
     * Returns whether an entry counts, which records that it was found. Makes no object for a file with one name,
     * unless there are several roots, or all links are followed.
     */
    boolean counts(FoundEntry<?> found) throws SystemCallException {
        if (onlyNamesRepeat() && found.linkCount() == 1 && found.kind() != EntryKind.DIRECTORY) {
            return true;
        }
        FileStatus status = found.status();
        WalkDirectory<?> parent = found.parent();
        if (oneFileSystem && parent != null && parent.status().device() != status.device()) {
            return false;
        }
        // Where a directory is mounted, its parent lists the number of the directory below the mount.
        if (parent != null && status.kind() == EntryKind.DIRECTORY && found.inode() != status.inode()
                && isWithinItself(parent, status)) {
            return false;
        }
        if (countLinks) {
            return true;
        }
        return isFirst(status);
    }

    /** Returns whether a file with one name counts without further examination. */
    boolean onlyNamesRepeat() {
        return !oneFileSystem && symlinks != Symlinks.ALWAYS && Objects.requireNonNull(rootInodes).length == 0;
    }

    private boolean isFirst(FileStatus status) {
        boolean isLinked = status.linkCount() > 1 && status.kind() != EntryKind.DIRECTORY;
        boolean mayRepeat = isLinked || symlinks == Symlinks.ALWAYS
                || Arrays.binarySearch(Objects.requireNonNull(rootInodes), status.inode()) >= 0;
        return !mayRepeat || seen.add(status.device(), status.inode());
    }

    /**
     * Returns whether directories can be left to {@link #countsOpened}: their status is read only once, when they are
     * open.
     */
    boolean canWait() {
        return !oneFileSystem && symlinks != Symlinks.ALWAYS;
    }

    /**
     * Returns whether a directory counts that was opened just now, or could not be opened, which records that it was
     * found.
     *
     * @param access has read its status last
     */
    boolean countsOpened(WalkDirectory<?> parent, FileStatus status, FileAccess access) {
        // Only a mount can lead back to a directory above it.
        if (access.seen().mayBeMountPoint() && isWithinItself(parent, status)) {
            return false;
        }
        return countLinks || isFirst(status);
    }

    // As after mount --bind d d/copy.
    private static boolean isWithinItself(WalkDirectory<?> parent, FileStatus status) {
        for (WalkDirectory<?> above = parent; above != null; above = above.parent()) {
            if (above.status().isSameFile(status)) {
                return true;
            }
        }
        return false;
    }
}
