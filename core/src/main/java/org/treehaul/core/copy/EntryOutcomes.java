// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;

/**
 * Told what became of each entry of a batch: of every one exactly once, unless a directory on the way to it failed, or
 * the copy was cancelled or gave up before its turn.
 *
 * <p>
 * Called on the threads that copy, several at once, so it must be quick and safe for that.
 */
public interface EntryOutcomes {

    /**
     * The copy stands whole under its name, with its metadata, and was read back where that was asked for. It is on the
     * disk only after a sync.
     *
     * @param root the position of the pair
     * @param number under which the entry was selected
     * @param path where it stands
     * @param source what was copied: its size and time tell whether that is what was planned
     */
    void done(int root, int number, TreePath path, FileStatus source);

    /** What stood under the name at the destination was left, as the options say. */
    void skipped(int root, int number, TreePath path);

    /**
     * The entry is not, or not wholly, copied.
     *
     * @param failure of it; the first where there were several
     * @param tries how often its copy was begun
     */
    void failed(int root, int number, EntryFailure failure, int tries);

    /**
     * A directory on the way could not be entered or made; nothing more is told of the entries below it.
     *
     * @param path where it stands below the root, at the source and at the destination
     */
    void directoryFailed(int root, TreePath path, EntryFailure failure);
}
