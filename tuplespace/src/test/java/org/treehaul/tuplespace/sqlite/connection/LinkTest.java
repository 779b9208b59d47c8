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
class LinkTest {
    @TempDir
    Path directory;

    @SuppressWarnings("NullAway") // set by JUnit
    LinkTest() {}

    private Link open() throws Exception {
        return Connections.open(Files.createFile(directory.resolve("file.db")));
    }

    @Test
    void aStatementThatFailedOnceWorksWhenItsReasonIsGone() throws Exception {
        try (Link link = open()) {
            link.run("CREATE TABLE t AS SELECT 42 AS n");
            assertThat(link.number("SELECT n FROM t")).isEqualTo(42);
            assertThat(link.update("UPDATE t SET n = ?", 43L)).isEqualTo(1);
            link.run("ALTER TABLE t RENAME TO away");
            assertThatExceptionOfType(SQLException.class).isThrownBy(() -> link.number("SELECT n FROM t"));
            assertThatExceptionOfType(SQLException.class).isThrownBy(() -> link.update("UPDATE t SET n = ?", 44L));
            link.run("ALTER TABLE away RENAME TO t");
            assertThat(link.number("SELECT n FROM t")).isEqualTo(43);
            assertThat(link.update("UPDATE t SET n = ?", 44L)).isEqualTo(1);
        }
    }
}
