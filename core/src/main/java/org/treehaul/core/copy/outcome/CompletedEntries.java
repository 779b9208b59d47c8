// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.outcome;

import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;

/**
 * Receives each entry of a copy of whole trees that is complete: it has its name and its metadata, and was verified if
 * requested. It is durable only after a sync. Entries that failed or were skipped are not reported. Several threads may
 * call it at the same time.
 */
public interface CompletedEntries {

    /**
     * Receives an entry that is not a directory.
     *
     * @param root position of the pair
     * @param source the status of the source that was copied
     */
    void copied(int root, TreePath path, FileStatus source);

    /**
     * Receives a directory, after everything below it.
     *
     * @param root position of the pair
     * @param source the status of the source, read before its content was copied
     */
    void directoryCopied(int root, TreePath path, FileStatus source);
}
