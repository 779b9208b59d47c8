// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;

import org.postgresql.copy.CopyIn;

/** Copies rows into a table, in the text format of COPY. For one thread at a time. */
public final class TableCopy implements AutoCloseable {
    private final CopyIn copy;

    TableCopy(CopyIn copy) {
        this.copy = copy;
    }

    /** Sends lines, or parts of lines. */
    public void send(CharSequence lines) throws SQLException {
        byte[] bytes = lines.toString().getBytes(StandardCharsets.UTF_8);
        copy.writeToCopy(bytes, 0, bytes.length);
    }

    /** Ends the copy; the rows are in the table. */
    public void finish() throws SQLException {
        copy.endCopy();
    }

    /** Cancels the copy unless it has ended. */
    @Override
    public void close() throws SQLException {
        if (copy.isActive()) {
            copy.cancelCopy();
        }
    }
}
