// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.util.List;

/** What a store tells the space above it. The last three are called within {@link Store#exclusively}. */
public interface StoreListener {

    /** Tells whether anybody wants to know of changes; where nobody does the store need not collect them. */
    boolean isInterested();

    /** Tells whether anybody wants events, also of what other processes do, and not only tuples. */
    boolean wantsEvents();

    /** Tells whether events would find room now. */
    boolean hasRoom();

    /** Tells what was committed, in the order of the commits. The listener may call the store. */
    void changed(List<Change> changes);

    /** Tells that anything may have changed, by another process. The listener may call the store. */
    void changedElsewhere();

    /** Tells that changes by other processes were lost before they could be told. */
    void lost();
}
