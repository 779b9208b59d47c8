// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SeenStatuses;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.options.PathSelection;

/**
 * Does the work of a walk that handles files by descriptor; copy and compare are built on it. One handler serves one
 * thread, so it may keep state without locks; the caller merges the data of all threads afterwards.
 *
 * <p>
 * For a directory the order is: {@link #entry} among its siblings, {@link #enter} after it was opened, its content in
 * any order on any threads, {@link #leave} when all of that is done. {@link #entry} is called for a root too.
 *
 * <p>
 * A {@link SystemCallException} from any method is reported as the failure of that entry, and the walk continues. Any
 * other exception ends the walk and is thrown to its caller.
 *
 * @param <D> the type of the value that the handler attaches to each directory
 */
public interface WalkHandler<D> {

    /**
     * Handles an entry: completely, unless it is a directory; then without its content.
     *
     * @param found valid only during the call
     */
    Step entry(FoundEntry<D> found) throws SystemCallException;

    /**
     * Called for a path of a {@link PathSelection} that does not exist. Does nothing by default.
     *
     * @param found only name, path and parent are known; valid only during the call
     * @return true if the handler has handled the missing path; if false, the walk reports it as a failure
     */
    default boolean missing(FoundEntry<D> found) throws SystemCallException {
        return false;
    }

    /**
     * Called after a directory was opened, before its listing is read.
     *
     * @return the value to attach to the directory, or null to skip its content; {@link #leave} is called in either
     *         case
     */
    @Nullable D enter(WalkDirectory<D> directory, WalkWorker<D> worker) throws SystemCallException;

    /**
     * Returns whether the handler, on any thread, asks for {@link WalkDirectory#status()}; true by default. Without it
     * the walk makes one system call less for each directory. Called once, before the first entry.
     */
    default boolean needsDirectoryStatus() {
        return true;
    }

    /**
     * Returns whether the handler, or the conditions of the walk, ask for the status of nearly every entry other than a
     * directory, and the handler may get one that was read while earlier entries of its directory were handled; false
     * by default. Then the walk reads several at once, which takes less time. Called once, before the first entry.
     */
    default boolean readsAhead() {
        return false;
    }

    /**
     * Returns whether the walk reads the statuses that are read ahead; true by default. If not, {@link #readAhead} gets
     * the names alone. Called once, before the first entry.
     */
    default boolean seesAhead() {
        return true;
    }

    /**
     * Called when the statuses of several entries of a directory were {@linkplain #readsAhead read}, unless the walk
     * has conditions. The handler can handle some of them together.
     *
     * @param worker has read them, by {@link FileAccess#seen()} of its access
     * @param count their number, at most {@link SeenStatuses#MOST}
     * @return the entries that are handled, for which the walk does not call {@link #entry}: of each the bit of its
     *         position; none by default
     */
    default int readAhead(WalkDirectory<D> directory, WalkWorker<D> worker, int count) {
        return 0;
    }

    /**
     * Called before the worker makes work available to others: subdirectories of the directory that it lists, a part of
     * the listing, or a task. A handler that must have passed on a directory before any thread passes on its content
     * does so now. Does nothing by default.
     */
    default void beforeSharing() {}

    /**
     * Called after {@link #failed} for a directory below a root that could not be opened, so that it is neither entered
     * nor left. Does nothing by default.
     *
     * @param directory without status and attachment
     */
    default void unopened(WalkDirectory<D> directory, WalkWorker<D> worker) throws SystemCallException {}

    /**
     * Called when everything in an entered directory is done. Not called when {@link #enter} threw, nor for directories
     * that were unfinished when the walk ended early. In a {@linkplain Walker#isPart() part of a walk} the parts that
     * other processes do may not be done yet; those processes do not leave the directory. Does nothing by default.
     */
    default void leave(WalkDirectory<D> directory, WalkWorker<D> worker) throws SystemCallException {}

    /**
     * Called when the worker has found no work, before it waits for some or ends. The handler must now do the work that
     * it postponed.
     */
    default void idle(WalkWorker<D> worker) {}

    /** Called once when the worker ends, for any reason: the handler must release its resources. */
    default void finished(WalkWorker<D> worker) {}

    /**
     * Receives the failure of an entry of a directory, which {@link #entry} may not have seen: its kind, or what the
     * conditions of the walk need, could not be read. Passes it on to {@link #failed} by default.
     *
     * @param found only name, path and parent are known; valid only during the call
     */
    default void childFailed(FoundEntry<D> found, EntryFailure failure) {
        failed(failure);
    }

    /** Receives each failure of the walk itself, and of each exception that the other methods threw. */
    void failed(EntryFailure failure);
}
