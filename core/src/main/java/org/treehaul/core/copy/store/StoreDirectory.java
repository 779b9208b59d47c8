// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.store;

import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.storage.EntryMetadata;
import org.treehaul.core.walk.frontier.Frontier;

/**
 * A directory that the copy has found and not finished yet: the unit of work. Takes about 150 bytes while it waits.
 */
final class StoreDirectory implements Frontier.Work<StoreDirectory> {

    private final @Nullable StoreDirectory parent;
    private final TreePath path;

    // Counts one for the directory's own listing, and one for each subdirectory that is not finished.
    private final AtomicInteger pending = new AtomicInteger(1);

    // Written by the thread that lists the directory, before it counts its part as done.
    private @Nullable EntryMetadata made;

    StoreDirectory(@Nullable StoreDirectory parent, TreePath path) {
        this.parent = parent;
        this.path = path;
    }

    /** Returns a subdirectory, which this directory waits for. */
    StoreDirectory child(TreePath childPath) {
        pending.incrementAndGet();
        return new StoreDirectory(this, childPath);
    }

    /** Returns the directory that contains this one; null for the root. */
    @Nullable StoreDirectory parent() {
        return parent;
    }

    TreePath path() {
        return path;
    }

    /** Records that the copy exists, with the metadata of the source. */
    void made(EntryMetadata source) {
        made = source;
    }

    /** Returns the metadata of the source, or null if the copy does not exist or is incomplete. */
    @Nullable EntryMetadata metadata() {
        return made;
    }

    /** Records that entries are missing, so that the copy does not get the time that would show it as complete. */
    void incomplete() {
        made = null;
    }

    /** Counts a part as done; returns whether it was the last. */
    boolean partDone() {
        return pending.decrementAndGet() == 0;
    }

    @Override
    public int units() {
        return 1;
    }

    @Override
    public StoreDirectory takeOne() {
        return this;
    }

    @Override
    public StoreDirectory takeHalf() {
        throw new IllegalStateException("not divisible");
    }
}
