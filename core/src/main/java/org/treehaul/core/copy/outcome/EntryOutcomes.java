// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.outcome;

import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;

/**
 * Receives the outcome of each entry of a batch, exactly once, unless a directory on the way to it failed, or the copy
 * was cancelled or gave up before its turn.
 *
 * <p>
 * Called on the threads that copy, several at once, so it must be quick and thread-safe.
 */
public interface EntryOutcomes {

    /**
     * The complete copy exists under its name, with its metadata, and was verified if requested. It is durable only
     * after a sync.
     *
     * @param root position of the pair
     * @param number number under which the entry was selected
     * @param path path of the entry below the root
     * @param source status of the file that was copied; size and time show whether it is the planned version
     */
    void done(int root, int number, TreePath path, FileStatus source);

    /** The existing entry under the target name was kept, according to the options. */
    void skipped(int root, int number, TreePath path);

    /**
     * The entry was not, or not completely, copied.
     *
     * @param failure its failure; the first if there were several
     * @param tries the number of attempts
     */
    void failed(int root, int number, EntryFailure failure, int tries);

    /**
     * A directory on the way could not be entered or created; the entries below it are not reported.
     *
     * @param path path of the directory below the root, at source and destination
     */
    void directoryFailed(int root, TreePath path, EntryFailure failure);
}
