// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.operation;

import org.treehaul.core.annotation.Api;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.SystemCallException;

/**
 * An operation on single entries. It must be safe for any number of threads; each entry is handled once among the
 * threads of a process, and may be handled again by a later process after a failure or a kill. Directly before each
 * call, the engine examines the entry as {@link Repetition} requires, and checks that no other worker may be working on
 * it.
 *
 * <p>
 * An exception other than {@link SystemCallException} is a fault of the operation: it is recorded as the failure of the
 * entry, and the log of the job has the stack trace of the first one.
 */
@Api
public interface EntryOperation {

    /**
     * Performs the operation on an entry that is not a directory.
     *
     * @throws SystemCallException if a call fails, which is recorded as the failure of this entry; the operation
     *         continues with other entries
     */
    void entry(OperationTarget target) throws SystemCallException;

    /**
     * Performs the operation on a directory, after everything that was planned in it.
     *
     * @throws SystemCallException if a call fails, which is recorded as the failure of this entry; the operation
     *         continues with other entries
     */
    void directory(OperationTarget target) throws SystemCallException;

    /**
     * Returns whether an entry already is as the operation leaves it. With {@link Repetition#COMPARED_WITH_PLAN} such
     * an entry counts as done, although its ctime is not the planned one: an earlier attempt has changed it.
     *
     * @param status the status of the planned entry, read directly before
     */
    default boolean isDone(FileStatus status) {
        return false;
    }

    /**
     * Returns whether the operation removes entries. If it does, an entry that no longer exists counts as done, a
     * directory in which an entry failed is skipped, and nothing is synced to disk: an entry that reappears after a
     * crash is found when its directory cannot be removed, and that directory is reported. If it does not, an entry
     * that no longer exists counts as vanished, every directory is processed, and the file systems of the entries are
     * synced before the entries count as done.
     */
    default boolean removes() {
        return false;
    }
}
