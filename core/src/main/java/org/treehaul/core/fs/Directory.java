// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;

import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;

/**
 * A directory against which names are resolved. Its descriptor is opened on first use, shared by all threads, and
 * closed again when the {@link DirectoryPool} needs room; it is then reopened name by name from the nearest ancestor
 * that is still open. Absolute paths are never built and symbolic links never followed (except by
 * {@link #followedChild}), so depth has no limit and no other user can redirect the directory.
 *
 * <p>
 * Safe for any number of threads.
 */
public final class Directory {

    private final DirectoryPool pool;
    private final @Nullable Directory parent;
    private final TreePath path;
    private final ByteString rootDisplay;
    private final boolean followed;

    // The pool's lock guards all of these; the holder of a pin may read the descriptor without the lock.
    volatile int descriptor = DirectoryPool.CLOSED;
    int pins;
    boolean retired;
    private volatile boolean known;
    private boolean lost;
    private long device;
    private long inode;
    @Nullable Directory newer;
    @Nullable Directory older;

    Directory(DirectoryPool pool, @Nullable Directory parent, TreePath path, ByteString rootDisplay, boolean followed) {
        this.pool = pool;
        this.parent = parent;
        this.path = path;
        this.rootDisplay = rootDisplay;
        this.followed = followed;
    }

    /** Returns a directory in this one, without opening it. */
    public Directory child(TreePath childPath) {
        return new Directory(pool, this, childPath, rootDisplay, false);
    }

    /** Returns the directory to which a symbolic link in this one leads, for walks that follow links. */
    public Directory followedChild(TreePath linkPath) {
        return new Directory(pool, this, linkPath, rootDisplay, true);
    }

    /** Returns the path of this directory below its root. */
    public TreePath path() {
        return path;
    }

    /** Returns the parent directory; empty for the root. */
    public Optional<Directory> parent() {
        return Optional.ofNullable(parent);
    }

    @Nullable Directory parentOrNull() {
        return parent;
    }

    /**
     * Opens this directory like {@link #acquire} and returns its status.
     *
     * @return the status of the directory whose descriptor {@link #acquire} would return
     * @throws SystemCallException as {@link #acquire}
     */
    public FileStatus open(FileAccess access) throws SystemCallException {
        FileStatus status = pool.open(this, access, true);
        if (status != null) {
            return status;
        }
        try {
            return access.status(descriptor);
        } catch (SystemCallException e) {
            release();
            throw e;
        }
    }

    /**
     * Returns the descriptor of a directory that the caller holds.
     *
     * @return the number that {@link #acquire} returned to the caller, valid until the caller's release
     */
    public int descriptor() {
        return descriptor;
    }

    /**
     * Returns an open descriptor of this directory, which stays open until {@link #release()}. Each call needs its own
     * release.
     *
     * @throws SystemCallException ENOENT if the directory is gone, ENOTDIR or ELOOP if something else has taken its
     *         place, ESTALE if it is not the directory that was opened first
     */
    public int acquire(FileAccess access) throws SystemCallException {
        return pool.acquire(this, access);
    }

    /**
     * Returns an open descriptor of this directory like {@link #acquire}, but with one system call less: the identity
     * of the directory is not read when it is opened, but when the pool closes it for lack of descriptors. After it was
     * retired it cannot be opened again.
     *
     * @throws SystemCallException as {@link #acquire}
     */
    public int hold(FileAccess access) throws SystemCallException {
        return pool.hold(this, access);
    }

    /**
     * Opens a directory again whose descriptor a server no longer knows; the name may still lead to the directory.
     *
     * @return whether {@link #descriptor()} is a new one; false for a root and while others hold the directory
     * @throws SystemCallException as {@link #acquire}; the caller still holds the directory
     */
    public boolean renew(FileAccess access) throws SystemCallException {
        return pool.renew(this, access);
    }

    /** Releases the descriptor that {@link #acquire} or {@link #hold} returned. */
    public void release() {
        pool.release(this);
    }

    /**
     * Syncs an open directory. The clients of AFS and OrangeFS cannot: they answer EINVAL, and keep no changes of names
     * in this machine.
     */
    public static void sync(FileAccess access, int descriptor) throws SystemCallException {
        int synced = access.calls().fsync(descriptor);
        if (synced != -Errno.EINVAL) {
            FileAccess.check("fsync", synced);
        }
    }

    /** Marks this directory as no longer needed: its descriptor is closed once all holders have released it. */
    public void retire() {
        pool.retire(this);
    }

    /** Returns whether this directory may be reached through a symbolic link. */
    public boolean isFollowed() {
        return followed;
    }

    int openFlags() {
        return O_DIRECTORY | O_NONBLOCK | (followed ? 0 : O_NOFOLLOW);
    }

    /**
     * Records the identity of the directory when it is opened first; later returns whether it is still the same one.
     */
    boolean identify(FileStatus status) {
        if (!known) {
            device = status.device();
            inode = status.inode();
            known = true;
        }
        return !lost && device == status.device() && inode == status.inode();
    }

    /** Records that no other directory can be shown to be this one. */
    void lose() {
        lost = true;
        known = true;
    }

    /** Returns whether the identity was recorded; any thread may call it without the lock. */
    boolean isKnown() {
        return known;
    }

    /** Returns the root as the user gave it, and the path below it, in printable form. */
    @Override
    public String toString() {
        return path.isRoot() ? rootDisplay.toString() : rootDisplay + "/" + path;
    }
}
