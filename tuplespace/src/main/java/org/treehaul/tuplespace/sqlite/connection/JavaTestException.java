// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.connection;

import java.sql.SQLException;

/** Carries the exception that a predicate threw while a statement ran. */
final class JavaTestException extends SQLException {
    private static final long serialVersionUID = 1L;
    private final RuntimeException failure;

    JavaTestException(RuntimeException failure) {
        super(failure);
        this.failure = failure;
    }

    /** Returns the exception of the predicate. */
    RuntimeException failure() {
        return failure;
    }
}
