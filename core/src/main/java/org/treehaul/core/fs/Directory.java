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
 * A directory that names are resolved against. Its descriptor is opened when it is asked for, shared by all threads,
 * and closed again when the {@link DirectoryPool} needs room; it is then reopened name by name from the nearest
 * ancestor that is still open. No absolute path is ever built and no symbolic link followed, so depth has no limit and
 * nobody can lead it elsewhere.
 *
 * <p>
 * All methods may be called from any thread.
 */
public final class Directory {

    private final DirectoryPool pool;
    private final @Nullable Directory parent;
    private final TreePath path;
    private final ByteString rootDisplay;
    private final boolean followed;

    // All of these are guarded by the pool's lock; who holds a pin may read the descriptor without it.
    volatile int descriptor = DirectoryPool.CLOSED;
    int pins;
    boolean retired;
    private boolean known;
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

    /** Returns a directory that stands in this one. Nothing is opened yet. */
    public Directory child(TreePath childPath) {
        return new Directory(pool, this, childPath, rootDisplay, false);
    }

    /** Returns a directory that a symbolic link in this one leads to, for walks that were told to follow links. */
    public Directory followedChild(TreePath linkPath) {
        return new Directory(pool, this, linkPath, rootDisplay, true);
    }

    /** Returns where this directory stands below its root. */
    public TreePath path() {
        return path;
    }

    /** Returns the directory that this one stands in, unless it is the root. */
    public Optional<Directory> parent() {
        return Optional.ofNullable(parent);
    }

    @Nullable Directory parentOrNull() {
        return parent;
    }

    /** Returns the root of this directory's tree as the user named it. */
    public ByteString rootName() {
        return rootDisplay;
    }

    /**
     * Opens this directory as {@link #acquire} does and tells what it is.
     *
     * @return the status of the directory that {@link #acquire} would give a descriptor of
     * @throws SystemCallException as {@link #acquire}
     */
    public FileStatus open(FileAccess access) throws SystemCallException {
        int held = pool.pinIfOpen(this);
        if (held == DirectoryPool.CLOSED) {
            return pool.reopen(this, access);
        }
        try {
            return access.status(held);
        } catch (SystemCallException e) {
            release();
            throw e;
        }
    }

    /**
     * Returns the descriptor of a directory that the caller holds.
     *
     * @return the number that {@link #acquire} returned to the caller, good until the caller's release
     */
    public int descriptor() {
        return descriptor;
    }

    /**
     * Returns an open descriptor of this directory, which stays open until {@link #release()}. Each call wants its own
     * release.
     *
     * @throws SystemCallException ENOENT when it is gone, ENOTDIR or ELOOP when something else stands in its place,
     *         ESTALE when it is another directory than the one that was opened first
     */
    public int acquire(FileAccess access) throws SystemCallException {
        return pool.acquire(this, access);
    }

    /** Gives back what {@link #acquire} returned. */
    public void release() {
        pool.release(this);
    }

    /** Says that this directory is not needed any more: its descriptor is closed as soon as nobody holds it. */
    public void retire() {
        pool.retire(this);
    }

    /** Returns whether a symbolic link may lead here. */
    public boolean isFollowed() {
        return followed;
    }

    int openFlags() {
        return O_DIRECTORY | O_NONBLOCK | (followed ? 0 : O_NOFOLLOW);
    }

    /** Records which directory this is when it is opened first; returns whether it is the same one later. */
    boolean identify(FileStatus status) {
        if (!known) {
            known = true;
            device = status.device();
            inode = status.inode();
        }
        return device == status.device() && inode == status.inode();
    }

    /** Returns the root as the user named it, with the path below it, printable. */
    @Override
    public String toString() {
        return path.isRoot() ? rootDisplay.toString() : rootDisplay + "/" + path;
    }
}
