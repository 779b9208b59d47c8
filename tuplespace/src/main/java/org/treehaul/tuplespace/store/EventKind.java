// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.util.List;

/** The events of a tuple, as seen from outside transactions. */
public enum EventKind {
    /** The tuple was written, and the write's transaction, if any, committed. */
    WRITTEN,
    /** The tuple was taken, and the take's transaction, if any, committed. */
    TAKEN,
    /** The tuple's lease ended. */
    EXPIRED,
    /** The tuple became readable: it was written, or a transaction that had taken it gave it back. */
    VISIBLE,
    /** The tuple can now be taken: it was written, a transaction gave it back, or a transaction no longer reads it. */
    AVAILABLE;

    /** Returns all events that this one implies, itself first. */
    public List<EventKind> implied() {
        return switch (this) {
            case WRITTEN -> List.of(WRITTEN, VISIBLE, AVAILABLE);
            case VISIBLE -> List.of(VISIBLE, AVAILABLE);
            case TAKEN, EXPIRED, AVAILABLE -> List.of(this);
        };
    }
}
