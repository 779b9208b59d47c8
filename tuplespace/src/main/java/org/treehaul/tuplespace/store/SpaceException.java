// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.io.Serial;

/** An operation on a space failed; unless it says otherwise, it has changed nothing and the space stays usable. */
public final class SpaceException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    /** Why. */
    public enum Reason {
        /** There is no store. */
        ABSENT,
        /** The file is no store, or is damaged; it is left as it is. */
        DAMAGED,
        /** The store was made by another version, or by records that do not fit these. */
        VERSION,
        /** No room on the file system. */
        FULL,
        /** The file system has no locks that processes could keep each other out with. */
        NO_LOCKS,
        /** Another process kept the store for too long. */
        BUSY,
        /** No permission. */
        DENIED,
        /** Others than this user own the store or its directory, or can write to them. */
        UNSAFE,
        /** Reading or writing failed. */
        IO,
        /** The space was closed. */
        CLOSED,
        /** There is no such lease, or it has ended. */
        UNKNOWN_LEASE,
        /** The transaction has ended. */
        TRANSACTION_ENDED,
        /** There is no driver for durable stores, or it cannot start. */
        DRIVER
    }

    private final Reason reason;

    public SpaceException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public SpaceException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /** Returns why. */
    public Reason reason() {
        return reason;
    }
}
