// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.operation;

import org.treehaul.core.annotation.Api;
import org.treehaul.core.fs.SystemCallException;

/**
 * An operation on single entries. It must be safe for any number of threads; each entry is handled once among the
 * threads of a process, and may be handled again by a later process after a failure or a kill. Directly before each
 * call the engine has examined the entry as {@link Repetition} demands, and made sure that no other worker may be
 * working on it.
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
     * @throws SystemCallException if a call fails, which is recorded as the failure of this entry; the operation goes
     *         on with other entries
     */
    void entry(OperationTarget target) throws SystemCallException;

    /**
     * Performs the operation on a directory, after everything that was planned in it.
     *
     * @throws SystemCallException if a call fails, which is recorded as the failure of this entry; the operation goes
     *         on with other entries
     */
    void directory(OperationTarget target) throws SystemCallException;

    /**
     * Returns whether the operation takes entries away: one that is gone is done then, and a directory in which an
     * entry failed is left alone. Nothing is synced to disk: what a crash brings back is found in its directory, which
     * is reported. Otherwise an entry that is gone has vanished, every directory is handled, and the file systems of
     * the entries are synced before they count as done.
     */
    default boolean removes() {
        return false;
    }
}
