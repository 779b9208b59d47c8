// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.attributes;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.SystemCallException;

/** A change of one attribute of entries. Immutable. */
public sealed interface AttributeChange permits ModeChange, OwnerChange {

    /** Returns the name of the attribute, for messages. */
    String attribute();

    /** Returns whether an entry with this status has to be changed. */
    boolean isNeeded(FileStatus status);

    /** Returns the value of the attribute in a status, as users write it. */
    String before(FileStatus status);

    /** Returns the value that the attribute has after the change, as users write it. */
    String after(FileStatus status);

    /**
     * Returns whether a directory with this status is changed before its content. It is changed afterwards if the owner
     * could not reach the content any more.
     */
    boolean isBeforeContent(FileStatus directory);

    /** Returns whether a second change of the same entry never changes anything. */
    boolean isRepeatable();

    /**
     * Changes an open entry.
     *
     * @param status the status of the entry
     */
    @Internal
    void make(OpenNode node, FileStatus status) throws SystemCallException;
}
