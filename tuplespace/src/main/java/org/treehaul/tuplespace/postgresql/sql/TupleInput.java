// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.sql;

import java.sql.SQLException;

/** A way to put many tuples of one class into its table. For one thread at a time. */
public interface TupleInput extends AutoCloseable {

    /** Adds a tuple. */
    void add(long id, long expiresAt, long transaction, Record tuple) throws SQLException;

    /** Returns when all tuples are in the table. */
    void finish() throws SQLException;

    /** Drops what was not finished. */
    @Override
    void close() throws SQLException;
}
