// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.SQLException;

import org.junit.jupiter.api.Test;

class ErrorsTest {

    private static final Path FILE = Path.of("space.db");

    /** SQLITE_FULL of sqlite3.h. */
    private static final int FULL = 13;

    @Test
    void aFullDiskIsNamedByEachErrorOfIt() {
        // The text of sqlite-jdbc 3.50 for SQLITE_FULL, also of a removal.
        String ofDriver = "[SQLITE_FULL] Insertion failed because database is full (database or disk is full)";

        assertThat(Errors.of(FILE, new SQLException(ofDriver, null, FULL)))
                .hasMessage("space.db: there is no room on its file system: " + ofDriver);
        assertThat(Errors.of(FILE, Errors.noRoom()))
                .hasMessage("space.db: there is no room for more tuples; existing ones can be taken and removed");
    }
}
