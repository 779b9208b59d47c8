// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.connection;

import java.sql.SQLException;

/** A step that changes the store. If it throws an exception other than SQLException, it has changed nothing. */
@FunctionalInterface
public interface Step<R> {
    R run() throws SQLException;
}
