// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.util.List;

/** The callbacks of a store to the space above it. The last three are called within {@link Store#exclusively}. */
public interface StoreListener {

    /** Returns whether changes are wanted at all; otherwise the store need not collect them. */
    boolean isInterested();

    /** Returns whether events inside a transaction are wanted before its commit. */
    boolean isInterestedIn(long transaction);

    /** Returns whether events are wanted, including those of other processes, and not only tuples. */
    boolean wantsEvents();

    /** Returns whether the queues have room for events now. */
    boolean hasRoom();

    /**
     * Receives committed changes, in the order of the commits, and the changes inside transactions of interest. The
     * listener may call the store.
     */
    void changed(List<Change> changes);

    /** Reports that another process may have changed anything. The listener may call the store. */
    void changedElsewhere();

    /** Reports that changes by other processes were lost before they could be delivered. */
    void lost();
}
