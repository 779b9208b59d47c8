// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.FileAccess;

/**
 * One thread of a walk, as its handler sees it. The walk implements it; a handler only calls it.
 *
 * <p>
 * Only that thread may call its methods, except {@link #current()} and {@link #workDone()}.
 *
 * @param <D> the type of the value that the handler attaches to each directory
 */
public interface WalkWorker<D> {

    /** Returns file access for this thread. */
    FileAccess access();

    /** Returns whether the walk is ending: no new entry may begin. */
    boolean isStopped();

    /**
     * Returns the path that this worker is busy with, printable; any thread may call it. Empty while it waits for work.
     */
    Optional<String> current();

    /** Records the path that this worker is busy with, so that a user can see where a call hangs. */
    void busyWith(int rootIndex, TreePath path);

    /** Returns the position of the root that this worker is, or was last, busy with. */
    int currentRoot();

    /** Returns the handler that this worker calls. */
    WalkHandler<D> handler();

    /** Returns how this worker spends its time; empty unless the options ask for it. */
    Optional<WorkerTimes> times();

    /**
     * Pushes a part of an entry's work to the frontier, for any worker. The directory is not left before the part is
     * done.
     *
     * @param directory the directory that contains the entry, or null for a root
     */
    void fork(@Nullable WalkDirectory<D> directory, ForkedTask<D> task);

    /**
     * Gives the entries that this worker would handle next to idle workers, because the current entry will take long.
     */
    void giveAwayRest();

    /**
     * Keeps the walk from ending, and a directory from being left, until {@link #release}; null for a root's entry.
     */
    void hold(@Nullable WalkDirectory<D> directory);

    /** Ends a {@link #hold}, and leaves the directory if this was the last thing it waited for. */
    void release(@Nullable WalkDirectory<D> directory);

    /** Ends a {@link #hold} of another worker, which may belong to another rank in this process. */
    void release(@Nullable WalkDirectory<D> directory, WalkWorker<D> holder);

    /** Reports a failure to the handler. */
    void failed(EntryFailure failure);

    /**
     * Records another file system that the handler works on besides those of the roots. If it is far, the walk uses
     * more threads.
     *
     * @param fileSystemType f_type of fstatfs(2)
     */
    void worksOn(long fileSystemType);

    /** Counts work, by which the walk chooses the number of threads: an entry counts 1, a large file more. */
    void worked(long units);

    /** Returns the work done so far, in entries. Other threads may call it and get a slightly older value. */
    long workDone();
}
