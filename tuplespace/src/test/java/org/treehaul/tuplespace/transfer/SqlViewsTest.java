// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.transfer.TransferFixture;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.tuplespace.PostgresServer;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.store.SpaceUri;

/** SQL programs read the transfers of a space by views, which join failures with the index. */
class SqlViewsTest {

    private final TransferFixture fixture = TransferFixture.onTmpfs();

    @AfterEach
    void close() {
        fixture.close();
    }

    private SpaceUri space(String store) {
        return store.equals("sqlite")
                ? SpaceUri.of(fixture.directory().resolve("space"))
                : PostgresServer.shared().fresh();
    }

    private static Connection connect(SpaceUri space) throws SQLException {
        return space.scheme().equals(SpaceUri.SQLITE)
                ? DriverManager.getConnection("jdbc:sqlite:" + space.path().resolve("space.db"))
                : PostgresServer.shared().connect();
    }

    private static void run(Connection connection, String script) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String one : script.split(";\n", -1)) {
                if (!one.isBlank()) {
                    statement.execute(one);
                }
            }
        }
    }

    private static List<String> rows(Connection connection, SpaceUri space, String sql) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement()) {
            if (!space.scheme().equals(SpaceUri.SQLITE)) {
                statement.execute("SET search_path = \"" + space.address().replaceAll(".*schema=", "") + "\"");
            }
            try (ResultSet found = statement.executeQuery(sql)) {
                while (found.next()) {
                    List<String> row = new ArrayList<>();
                    for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
                        row.add(String.valueOf(found.getString(i)));
                    }
                    rows.add(String.join("|", row));
                }
            }
        }
        return rows;
    }

    private TransferDirectory failed() throws IOException {
        fixture.with(writer -> {
            for (int i = 0; i < 4; i++) {
                writer.file(ByteString.of("f" + i), 10, i);
            }
        });
        TransferDirectory transfer = fixture.planned(2);
        Files.delete(fixture.source().resolve("f0"));
        fixture.run(transfer, fixture.transfers().start(transfer), 1);
        return transfer;
    }

    private FileTuple indexed(String name, long size) {
        return new FileTuple(ByteString.of(fixture.source().toString()), ByteString.of(name), EntryKind.REGULAR, size,
                8, 0, 1_500_000_000L, 0, null, 0644, 0, 0, 1, 7, 8, null, null, false, 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgresql"})
    void theQuestionOfTheGuideHasTheSameAnswerInSqlAsInACommand(String store) throws Exception {
        SpaceUri space = space(store);
        String guide = Files.readString(Path.of(System.getProperty("basedir"), "../docs/guide/query-transfers.md"));
        String schema = store.equals("sqlite") ? "" : "treehaul.";
        assertThat(guide)
                .contains("\"SELECT path, size FROM " + schema + "failures WHERE " + LargeFailures.IN_SQL + "\"");
        try (TupleSpace tuples = TupleSpaces.open(space, TransferPublisher.SPACE);
                Connection connection = connect(space)) {
            SqlViews.prepare(tuples);
            LargeFailures.write(tuples);
            run(connection, SqlViews.script(space, true));
            assertThat(rows(connection, space, "SELECT path, size FROM failures WHERE " + LargeFailures.IN_SQL))
                    .containsExactly(LargeFailures.ANSWER + "|5368709120");
            assertThat(rows(connection, space,
                    "SELECT path FROM failures WHERE size > 1 << 30 AND node = 'n07' ORDER BY path"))
                    .containsExactly(LargeFailures.ANSWER, "/data/verified");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgresql"})
    void theViewsHaveTheTransfersAndTheMetadataOfFailedFiles(String store) throws Exception {
        SpaceUri space = space(store);
        TransferDirectory transfer = failed();
        String id = transfer.id().text();
        try (TupleSpace tuples = TupleSpaces.open(space, TransferPublisher.SPACE);
                Connection connection = connect(space)) {
            SqlViews.prepare(tuples);
            new TransferPublisher(tuples, fixture.transfers()).publish(transfer);
            tuples.write(indexed("f0", 5L << 30));
            run(connection, SqlViews.script(space, true));
            // A later version replaces them.
            run(connection, SqlViews.script(space, true));
            assertThat(rows(connection, space,
                    "SELECT transfer, operation, state, failed, entries - entries_done, source FROM transfers"))
                    .containsExactly(id + "|copy|partial|1|1|" + fixture.source());
            assertThat(rows(connection, space, "SELECT state, count(*), max(operation) FROM batches GROUP BY state"))
                    .containsExactlyInAnyOrder("failed|1|copy", "done|1|copy");
            assertThat(rows(connection, space, "SELECT batch, attempt, state FROM attempts ORDER BY batch"))
                    .containsExactly("0|1|complete", "1|1|complete");
            Path file = fixture.source().resolve("f0");
            assertThat(rows(connection, space,
                    "SELECT path, failure, size FROM failures f WHERE size > 1073741824" + " AND "
                            + (store.equals("sqlite") ? "verified = 0" : "NOT verified")))
                    .containsExactly(file + "|vanished|5368709120");
            assertThat(rows(connection, space, "SELECT mtime FROM failures").getFirst()).startsWith("1970-01-01");
            String none = Long.toString(0);
            assertThat(rows(connection, space, "SELECT count(*) FROM failures WHERE size < 0")).containsExactly(none);
        }
    }
}
