// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.outcome;

import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;

/**
 * Receives the outcome of each entry of a batch, or of each chunk, exactly once, unless a directory on the way to it
 * failed, or the copy was cancelled or gave up before its turn.
 *
 * <p>
 * Several threads of the copy may call it at the same time, so an implementation must be quick and thread-safe.
 */
public interface OutcomeListener {

    /**
     * Reports the outcome of an entry or chunk.
     *
     * @param root position of the pair
     * @param number number under which the entry or chunk was selected
     * @param path path of the entry below the root
     */
    void ended(int root, int number, TreePath path, EntryOutcome outcome);

    /**
     * Reports how long the copy of a regular file or of a chunk took, before its outcome. It is called again for a file
     * that is copied again.
     *
     * @param root position of the pair
     * @param number number under which the entry or chunk was selected
     * @param nanos time in nanoseconds from before the source was opened, without reading the copy back
     */
    default void took(int root, int number, long nanos) {}

    /**
     * Reports that a directory on the way could not be entered or created; the entries below it are not reported.
     *
     * @param path path of the directory below the root, at source and destination
     */
    void directoryFailed(int root, TreePath path, EntryFailure failure);
}
