// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.walk.options.PathSelection;

/**
 * A directory that a walk has found and not left yet.
 *
 * @param <D> the type of the value that the handler attaches to it
 */
public final class WalkDirectory<D> {

    private final @Nullable WalkDirectory<D> parent;
    private final Directory handle;
    private final int rootIndex;
    private final boolean followed;
    final @Nullable PathSelection selection;

    // Written by the thread that enters the directory, before other threads get anything below it.
    private @Nullable FileStatus status;
    private @Nullable D attachment;
    private boolean entered;
    private boolean imported;

    // Counts one for the directory's own listing, and one for each part of its content that is not done yet.
    private final AtomicInteger pending = new AtomicInteger(1);
    private volatile boolean incomplete;

    WalkDirectory(@Nullable WalkDirectory<D> parent, Directory handle, int rootIndex, boolean followed,
            @Nullable PathSelection selection) {
        this.parent = parent;
        this.handle = handle;
        this.rootIndex = rootIndex;
        this.followed = followed;
        this.selection = selection;
    }

    /** Returns the subdirectory with this name. */
    WalkDirectory<D> child(byte[] name, boolean follow) {
        TreePath path = path().child(name);
        return new WalkDirectory<>(this, follow ? handle.followedChild(path) : handle.child(path), rootIndex, follow,
                selection == null ? null : selection.below(ByteString.of(name)));
    }

    /** Returns whether a directory above this one, at any distance, has this status. */
    boolean isBelow(FileStatus other) {
        for (WalkDirectory<D> d = parent; d != null; d = d.parent) {
            if (d.status().isSameFile(other)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the parent directory, or null for a root. */
    public @Nullable WalkDirectory<D> parent() {
        return parent;
    }

    /** Returns the handle that opens the directory. */
    public Directory handle() {
        return handle;
    }

    /** Returns the path of the directory below its root. */
    public TreePath path() {
        return handle.path();
    }

    /** Returns the position of the root in the list that the walk was given. */
    public int rootIndex() {
        return rootIndex;
    }

    /**
     * Returns the status that the directory had when it was opened.
     *
     * @throws IllegalStateException if it was not opened yet, or the handler does not
     *         {@linkplain WalkHandler#needsDirectoryStatus need} it
     */
    public FileStatus status() {
        if (status == null) {
            throw new IllegalStateException("not opened yet, or opened without its status: " + handle);
        }
        return status;
    }

    /** Returns the handler's attachment. */
    public D attachment() {
        if (attachment == null) {
            throw new IllegalStateException("nothing attached to " + handle);
        }
        return attachment;
    }

    /** Returns whether the handler attached something, that is, whether the content is walked. */
    public boolean isAttached() {
        return attachment != null;
    }

    /**
     * Returns whether the listing could not be read to its end. Entries that were not listed are unknown and must never
     * be treated as absent.
     */
    public boolean isIncomplete() {
        return incomplete;
    }

    /** Returns whether the walk came here through a symbolic link; for a root, whether it would have followed one. */
    public boolean isFollowed() {
        return followed;
    }

    /** Returns whether the walk covers everything in the directory, rather than a selection of paths. */
    public boolean isListed() {
        return selection == null;
    }

    /**
     * Returns whether a rank in another process found this directory: then this process does only parts of it, and
     * never calls {@code leave} for it.
     */
    public boolean isImported() {
        return imported;
    }

    void markImported() {
        imported = true;
    }

    /**
     * Returns whether this name is on the way to a selected path and is followed if it is a symbolic link, as the
     * kernel follows the links on the way to a path; false for names that are known not to have been links.
     */
    boolean follows(ByteString name) {
        PathSelection below = selection == null ? null : selection.below(name);
        return below != null && below.isFollowed();
    }

    void opened(FileStatus openedStatus) {
        status = openedStatus;
    }

    void attach(@Nullable D value) {
        attachment = value;
        entered = true;
    }

    boolean isEntered() {
        return entered;
    }

    void markIncomplete() {
        incomplete = true;
    }

    void addPending(int parts) {
        pending.addAndGet(parts);
    }

    boolean partDone() {
        return pending.decrementAndGet() == 0;
    }
}
