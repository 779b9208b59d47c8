// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import org.treehaul.core.annotation.Api;
import org.treehaul.core.entry.Entry;
import org.treehaul.core.event.EntryFailedException;
import org.treehaul.core.event.EntryFailure;

/**
 * Visits every entry of a walk. One visitor serves one thread, so it may collect data without locks;
 * {@link TreeWalker#walk} returns the visitors, and the caller merges their data.
 */
@FunctionalInterface
@Api
public interface TreeVisitor {

    /** Visits one entry. A directory comes before its content; no other order is guaranteed. */
    Step visit(Entry entry);

    /**
     * Receives the failure of an entry that could not be read; the content below it is unknown, not empty. The walk
     * continues after it returns. By default it throws an exception, which ends the walk and reaches the caller, so
     * that no failure is overlooked.
     *
     * @throws EntryFailedException always, by default
     */
    default void failed(EntryFailure failure) {
        throw new EntryFailedException(failure);
    }
}
