// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/**
 * A directory at the destination that entries are copied into.
 *
 * <p>
 * Written once, before any entry is copied into it, but for what the first file made in it teaches; that may be learned
 * by several threads, which learn the same.
 */
final class TargetDirectory {

    private final Directory handle;
    private final FileStatus status;
    private final boolean isNew;
    private final @Nullable ByteString defaultAcl;
    private final boolean mayGiveAcl;
    private final boolean isWidened;

    // Owner and group of files made here: -1 while unknown.
    private volatile long newFileUid = -1;
    private volatile long newFileGid = -1;

    // How names are told apart here, once a name that was taken already has shown it.
    private volatile NameCollisions.@Nullable Matching matching;

    /**
     * Makes one.
     *
     * @param mayGiveAcl whether files made in it may get an ACL though it shows no default ACL
     */
    TargetDirectory(Directory handle, FileStatus status, boolean isNew, @Nullable ByteString defaultAcl,
            boolean mayGiveAcl, boolean isWidened) {
        this.handle = handle;
        this.status = status;
        this.isNew = isNew;
        this.defaultAcl = defaultAcl;
        this.mayGiveAcl = mayGiveAcl || defaultAcl != null;
        this.isWidened = isWidened;
        if (isNew) {
            // A directory made a moment ago got what a file made in it will get, whether by setgid, by a mount option that
            // takes groups from the parent, or by a server that maps users.
            learn(status);
        }
    }

    Directory handle() {
        return handle;
    }

    /** Returns a descriptor of it, until it is released by its handle. */
    int acquire(FileAccess access) throws TargetException {
        try {
            return handle.acquire(access);
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
    }

    /** Returns the status that the directory had when it was opened. */
    FileStatus status() {
        return status;
    }

    /** Returns whether this copy made the directory. */
    boolean isNew() {
        return isNew;
    }

    /** Returns whether its owner was given permissions that it did not have, until it is complete. */
    boolean isWidened() {
        return isWidened;
    }

    /** Returns how names are told apart here, or null while that is not known. */
    NameCollisions.@Nullable Matching matching() {
        return matching;
    }

    void matchesBy(NameCollisions.@Nullable Matching found) {
        matching = found;
    }

    /** Returns its default ACL, null where it has none. */
    @Nullable ByteString defaultAcl() {
        return defaultAcl;
    }

    /** Returns whether what is made in it may get ACLs. */
    boolean mayGiveAcl() {
        return mayGiveAcl;
    }

    boolean knowsNewFileOwner() {
        return newFileGid >= 0;
    }

    void learn(FileStatus ofNewFile) {
        newFileUid = ofNewFile.uid();
        newFileGid = ofNewFile.gid();
    }

    long newFileUid() {
        return newFileUid;
    }

    long newFileGid() {
        return newFileGid;
    }

    /** Returns whether a file made here has another owner or group than the source, as far as is known. */
    boolean givesOtherOwner(FileStatus source) {
        return source.uid() != newFileUid || source.gid() != newFileGid;
    }
}
