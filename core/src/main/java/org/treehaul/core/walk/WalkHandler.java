// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.SystemCallException;

/**
 * Does the work of a walk that handles files by descriptor: copy and compare are built on it. One handler serves one
 * thread, so it may keep state without locks; what the threads gathered is merged afterwards.
 *
 * <p>
 * For a directory the order is: {@link #entry} among its siblings, {@link #enter} when it was opened, its content in
 * any order on any threads, {@link #leave} when all of that is done. For a root there is an entry too.
 *
 * <p>
 * A {@link SystemCallException} from any method is reported as the failure of that entry, and the walk goes on. Any
 * other exception ends the walk and is thrown to its caller.
 *
 * @param <D> what the handler attaches to each directory
 */
public interface WalkHandler<D> {

    /**
     * Handles an entry: regular files, links and the rest wholly, of a directory only its being there.
     *
     * @param found good only during the call
     */
    Step entry(FoundEntry<D> found) throws SystemCallException;

    /**
     * Called for a path of a {@link PathSelection} that is not there. Does nothing by default.
     *
     * @param found of which only name, path and parent are known; good only during the call
     * @return whether the handler has dealt with it; if not, it is reported as a failure
     */
    default boolean missing(FoundEntry<D> found) throws SystemCallException {
        return false;
    }

    /**
     * Called when a directory was opened, before its listing is read.
     *
     * @return what to attach to the directory, or null to leave its content out; {@link #leave} is called all the same
     */
    @Nullable D enter(WalkDirectory<D> directory, WalkWorker<D> worker) throws SystemCallException;

    /**
     * Called when everything in an entered directory is done. Not called when {@link #enter} threw, nor for directories
     * that a walk which was ended early had not finished. In a {@linkplain Walking#isPart() part of a walk} what other
     * processes do in it may not be done yet, and they are not told to leave it.
     */
    void leave(WalkDirectory<D> directory, WalkWorker<D> worker) throws SystemCallException;

    /**
     * Called when the worker has found no work, before it waits for some or ends. What the handler put off must be done
     * now.
     */
    default void idle(WalkWorker<D> worker) {}

    /** Called once, when the worker ends, however it ends: what the handler holds must be given back. */
    default void finished(WalkWorker<D> worker) {}

    /** Told of each failure of the walk itself and of what the other methods threw. */
    void failed(EntryFailure failure);
}
