// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.operation;

import org.treehaul.core.fs.SystemCallException;

/**
 * An operation on single entries. It must be safe for any number of threads; each entry is handled once among the
 * threads of a process, and may be handled again by a later process after a failure or a kill.
 */
public interface EntryOperation {

    /** The outcome for an entry that did not fail. */
    enum Outcome {
        /** The operation was performed. */
        DONE,
        /** The entry was gone, and the operation does not need it. */
        ABSENT,
        /** The entry is not the planned one, and was left alone. */
        CHANGED
    }

    /**
     * Performs the operation on an entry that was not a directory when it was found.
     *
     * @throws SystemCallException if a call fails; the operation goes on with other entries
     */
    Outcome entry(OperationTarget target) throws SystemCallException;

    /**
     * Performs the operation on a directory after everything in it. Not called for a directory in which an entry
     * failed.
     *
     * @throws SystemCallException if a call fails; the operation goes on with other entries
     */
    Outcome directory(OperationTarget target) throws SystemCallException;
}
