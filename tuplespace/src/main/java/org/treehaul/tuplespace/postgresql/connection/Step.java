// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import java.sql.SQLException;

/** Work within a transaction of the server; after a failure the transaction is rolled back. */
@FunctionalInterface
public interface Step<R> {
    R run(Statements connection) throws SQLException;
}
