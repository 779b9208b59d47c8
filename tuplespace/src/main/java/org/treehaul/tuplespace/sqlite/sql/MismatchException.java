// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.sql;

import java.sql.SQLException;

import org.treehaul.tuplespace.sqlite.connection.Errors;

/** Thrown when a tuple does not match its checksum. */
public final class MismatchException extends SQLException {
    private static final long serialVersionUID = 1L;

    private final long id;

    MismatchException(String message, long id) {
        super(message, null, Errors.CORRUPT);
        this.id = id;
    }

    /** Returns the number of the tuple. */
    public long id() {
        return id;
    }
}
