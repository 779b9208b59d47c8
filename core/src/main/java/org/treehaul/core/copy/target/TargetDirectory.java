// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.target;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.ExtendedAttributes;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/**
 * A directory at the destination into which entries are copied.
 *
 * <p>
 * Initialized before any entry is copied into it. Facts learned from the first file created in it may be set later, by
 * several threads with the same values.
 */
public final class TargetDirectory {

    private final Directory handle;
    private final FileStatus status;
    private final boolean isNew;
    private final @Nullable ByteString defaultAcl;
    private final boolean mayGiveAcl;
    private final boolean isWidened;

    // Owner and group of files created here; -1 while unknown.
    private volatile long newFileUid = -1;
    private volatile long newFileGid = -1;

    // The last mode with which a file was created here that got it; -1 while there is none.
    private volatile int givenMode = -1;

    // How names are compared here; null until an existing name has shown it.
    private volatile @Nullable NameMatching matching;

    /**
     * Creates a directory.
     *
     * @param mayGiveAcl whether files created in it may get an ACL although it shows no default ACL
     */
    public TargetDirectory(Directory handle, FileStatus status, boolean isNew, @Nullable ByteString defaultAcl,
            boolean mayGiveAcl, boolean isWidened) {
        this.handle = handle;
        this.status = status;
        this.isNew = isNew;
        this.defaultAcl = defaultAcl;
        this.mayGiveAcl = mayGiveAcl || defaultAcl != null;
        this.isWidened = isWidened;
        if (isNew) {
            // A new directory has the owner and group that files created in it will get, whether from setgid, from a
            // mount option that takes groups from the parent, or from a server that maps users.
            learn(status);
        }
    }

    /** Reads the default ACL of an open directory; null if it has none. */
    public static @Nullable ByteString defaultAcl(FileAccess access, int descriptor) throws SystemCallException {
        return ExtendedAttributes.get(access, descriptor, ExtendedAttributes.ACL_DEFAULT).orElse(null);
    }

    public Directory handle() {
        return handle;
    }

    /** Returns a descriptor of it, valid until it is released through its handle. */
    public int acquire(FileAccess access) throws TargetException {
        try {
            return handle.acquire(access);
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
    }

    /** Returns the status that the directory had when it was opened. */
    public FileStatus status() {
        return status;
    }

    /** Returns whether this copy created the directory. */
    public boolean isNew() {
        return isNew;
    }

    /** Returns whether its owner was temporarily given permissions that it did not have, until it is complete. */
    public boolean isWidened() {
        return isWidened;
    }

    /** Returns how names are compared here, or null if that is not known yet. */
    @Nullable NameMatching matching() {
        return matching;
    }

    void matchesBy(@Nullable NameMatching found) {
        matching = found;
    }

    /** Returns its default ACL, or null if it has none. */
    @Nullable public ByteString defaultAcl() {
        return defaultAcl;
    }

    /** Returns whether entries created in it may get ACLs. */
    public boolean mayGiveAcl() {
        return mayGiveAcl;
    }

    /** Returns whether the owner and group that new files get here are known. */
    public boolean knowsNewFileOwner() {
        return newFileGid >= 0;
    }

    /** Records the owner and group of a file that was created here. */
    public void learn(FileStatus ofNewFile) {
        newFileUid = ofNewFile.uid();
        newFileGid = ofNewFile.gid();
    }

    /** Returns whether files that are created here with this mode are known to get it, less what a umask denies. */
    public boolean givesMode(int creationMode) {
        return givenMode == creationMode;
    }

    /** Records that a file that was created here with this mode has got it. */
    public void learnMode(int creationMode) {
        givenMode = creationMode;
    }

    /** Returns the owner that new files get, if it is known. */
    public long newFileUid() {
        return newFileUid;
    }

    /** Returns the group that new files get, if it is known. */
    public long newFileGid() {
        return newFileGid;
    }

    /** Returns whether a file created here gets another owner or group than the source, as far as is known. */
    public boolean givesOtherOwner(FileStatus source) {
        return source.uid() != newFileUid || source.gid() != newFileGid;
    }
}
