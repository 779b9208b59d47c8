// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

/** What can happen to a tuple, as seen from outside of transactions. */
public enum EventKind {
    /** It was written, and the transaction of the write, if any, committed. */
    WRITTEN,
    /** It was taken, and the transaction of the take, if any, committed. */
    TAKEN,
    /** Its lease ended. */
    EXPIRED,
    /**
     * It can be taken, which it could not just before: written, given back by a transaction, or no longer read by one.
     */
    AVAILABLE
}
