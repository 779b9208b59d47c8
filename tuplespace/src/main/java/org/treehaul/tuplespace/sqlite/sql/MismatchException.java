// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.sql;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.sqlite.connection.Errors;

/** Thrown when a tuple does not match its checksum, or is none of its class. */
public final class MismatchException extends SQLException {
    private static final long serialVersionUID = 1L;

    private final long id;

    MismatchException(String message, long id, @Nullable Throwable cause) {
        super(message, null, Errors.CORRUPT, cause);
        this.id = id;
    }

    /** Returns whether the tuple is as it was written, but none of its class. */
    boolean isOfAnotherType() {
        return getCause() != null;
    }

    /** Returns the number of the tuple. */
    public long id() {
        return id;
    }
}
