// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.io.Serial;

/** Failure of an operation on a space. Unless stated otherwise, nothing has changed and the space stays usable. */
public final class SpaceException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    /** The reasons for a failure. */
    public enum Reason {
        /** The store does not exist. */
        ABSENT,
        /** The file is not a store, or is damaged; it is left unchanged. */
        DAMAGED,
        /** Another version made the store, or the record classes do not match its tuples; it is left unchanged. */
        VERSION,
        /** The file system is full. */
        FULL,
        /** The file system lacks the locks that keep processes apart. */
        NO_LOCKS,
        /** Another process used the store for too long. */
        BUSY,
        /** Permission was denied. */
        DENIED,
        /** Another user owns the store or its directory, or can write to them. */
        UNSAFE,
        /** Reading or writing failed. */
        IO,
        /** The space was closed. */
        CLOSED,
        /** The lease does not exist or has ended. */
        UNKNOWN_LEASE,
        /** The transaction has ended. */
        TRANSACTION_ENDED,
        /** The driver for durable stores is missing or cannot start. */
        DRIVER,
        /** No provider, or more than one, accepts the address of the space. */
        PROVIDER,
        /** This kind of store does not have the operation. */
        UNSUPPORTED
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

    /** Returns the reason for the failure. */
    public Reason reason() {
        return reason;
    }
}
