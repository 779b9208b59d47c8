// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A connection after one of its statements has failed. */
class SqliteConnectionTest {
    @TempDir
    Path directory;

    @SuppressWarnings("NullAway") // set by JUnit
    SqliteConnectionTest() {}

    private SqliteConnection open() throws Exception {
        return Connections.open(Files.createFile(directory.resolve("file.db")));
    }

    @Test
    void aStatementThatFailedOnceWorksWhenItsReasonIsGone() throws Exception {
        try (SqliteConnection connection = open()) {
            connection.run("CREATE TABLE t AS SELECT 42 AS n");
            assertThat(connection.number("SELECT n FROM t")).isEqualTo(42);
            assertThat(connection.update("UPDATE t SET n = ?", 43L)).isEqualTo(1);
            connection.run("ALTER TABLE t RENAME TO away");
            assertThatExceptionOfType(SQLException.class).isThrownBy(() -> connection.number("SELECT n FROM t"));
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> connection.update("UPDATE t SET n = ?", 44L));
            connection.run("ALTER TABLE away RENAME TO t");
            assertThat(connection.number("SELECT n FROM t")).isEqualTo(43);
            assertThat(connection.update("UPDATE t SET n = ?", 44L)).isEqualTo(1);
        }
    }
}
