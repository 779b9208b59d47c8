// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.remove;

import org.treehaul.core.entry.ByteString;

/** Asks before each step of a removal. Several threads may ask. */
public interface RemovalQuestion {

    /** A step of a removal. */
    enum Step {
        /** A directory is entered, to remove its content. */
        ENTER,
        /** A directory, which is empty by now, is removed. */
        REMOVE_DIRECTORY,
        /** Another entry is removed. */
        REMOVE_ENTRY
    }

    /**
     * Returns whether a step is allowed. If it is not, the entry stays without a report, as do the directories above
     * it.
     *
     * @param path the operand, with the path of the entry below it
     */
    boolean allows(Step step, ByteString path);
}
