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
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.transfer.AttemptRecord;
import org.treehaul.core.transfer.BatchStatus;
import org.treehaul.core.transfer.TransferFixture;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.PostgresServer;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.store.SpaceUri;

/** SQL programs read the transfers of a space by views, which join failures with the index. */
class SqlViewsTest {

    private static final List<String> VIEWS = List.of("transfers", "batches", "attempts", "failures");

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

    @Test
    void theSchemaIsTheOneThatTheAddressMeans() throws Exception {
        PostgresServer server = PostgresServer.shared();
        for (String schema : List.of("my \"views\"", "treehaul")) {
            SpaceUri space = schema.equals("treehaul")
                    ? server.in("")
                    : server.in("overridden&schema=" + schema.replace(" ", "%20").replace("\"", "%22"));
            String quoted = "\"" + schema.replace("\"", "\"\"") + "\"";
            try (TupleSpace tuples = TupleSpaces.open(space, TransferPublisher.SPACE);
                    Connection connection = server.connect()) {
                SqlViews.prepare(tuples);
                run(connection, SqlViews.script(space, false));
                assertThat(server.number("SELECT count(*) FROM " + quoted + ".transfers")).isZero();
            }
            server.run("DROP SCHEMA " + quoted + " CASCADE");
        }
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

    /** The columns of the views: view, column, type in PostgreSQL, type of the values in SQLite. */
    private static List<String> listed() throws IOException {
        return Files.readAllLines(Path.of(System.getProperty("basedir"), "src/test/resources/sql-views.txt"));
    }

    private static List<String> typesInPostgres(Connection connection, SpaceUri space) throws SQLException {
        List<String> types = new ArrayList<>();
        for (String view : VIEWS) {
            types.addAll(rows(connection, space,
                    "SELECT concat_ws(' ', table_name, column_name, replace(data_type, 'timestamp with time zone',"
                            + " 'timestamptz')) FROM information_schema.columns WHERE table_schema = current_schema()"
                            + " AND table_name = '" + view + "' ORDER BY ordinal_position"));
        }
        return types;
    }

    // Columns of views have no types there, but their values have.
    private static List<String> typesInSqlite(Connection connection, SpaceUri space) throws SQLException {
        List<String> types = new ArrayList<>();
        for (String view : VIEWS) {
            for (String column : rows(connection, space,
                    "SELECT name FROM pragma_table_info('" + view + "') ORDER BY cid")) {
                types.addAll(rows(connection, space,
                        "SELECT DISTINCT '" + view + " " + column + " ' || typeof(\"" + column + "\") FROM " + view));
            }
        }
        return types;
    }

    private void writeOneOfEachWithAllValues(TupleSpace space) {
        ByteString here = ByteString.of("/data");
        space.writeAll(List.of(
                new TransferTuple("a", "copy", TransferStatus.State.COMPLETE, "ann", "n1", "cp", here, 1, here, 1, 2L,
                        1, true, 1, 1, 1, 1, 1, 1, 0, "b", true, here, 2, "i"),
                new BatchTuple("a", 0, BatchStatus.State.DONE, 1, "n1", "j", 1, 1, 1, 1, 1, 1, 0, 1L, 2L),
                new AttemptTuple("a", 0, 1, 1, AttemptRecord.State.COMPLETE, "n1", "w", 1, 2, 1, 1, 0),
                new FailureTuple("a", 0, 1, 1, "n1", here, ByteString.of("f0"), EntryFailure.Kind.ERROR, "read", 5, "e",
                        here, 1, true),
                new FileTuple(here, ByteString.of("f0"), EntryKind.REGULAR, 1, 8, 1, 1, 1, null, 0644, 0, 0, 1, 7, 8,
                        null, null, false, 1)),
                Lease.FOREVER);
    }

    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgresql"})
    void theColumnsKeepTheirNamesOrderAndTypes(String store) throws Exception {
        SpaceUri space = space(store);
        boolean isSqlite = store.equals("sqlite");
        try (TupleSpace tuples = TupleSpaces.open(space, TransferPublisher.SPACE);
                Connection connection = connect(space)) {
            SqlViews.prepare(tuples);
            writeOneOfEachWithAllValues(tuples);
            run(connection, SqlViews.script(space, true));
            assertThat(isSqlite ? typesInSqlite(connection, space) : typesInPostgres(connection, space))
                    .as("add columns at the end of a view only, also in sql-views.txt and query-transfers.md")
                    .isEqualTo(listed().stream()
                            .map(line -> line.split(" ", -1))
                            .map(words -> String.join(" ", words[0], words[1], words[isSqlite ? 3 : 2]))
                            .toList());
            // Without an index, only the columns of the index are missing.
            run(connection, SqlViews.script(space, false));
            assertThat(rows(connection, space,
                    isSqlite
                            ? "SELECT name FROM pragma_table_info('failures') ORDER BY cid"
                            : "SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema()"
                                    + " AND table_name = 'failures' ORDER BY ordinal_position"))
                    .isEqualTo(listed().stream()
                            .filter(line -> line.startsWith("failures "))
                            .map(line -> line.split(" ", -1)[1])
                            .takeWhile(column -> !column.equals("kind"))
                            .toList());
        }
    }

    @Test
    void theGuideHasTheColumnsAndTypesOfTheViews() throws IOException {
        String guide = Files.readString(Path.of(System.getProperty("basedir"), "../docs/guide/query-transfers.md"));
        for (String view : VIEWS) {
            assertThat(guide).contains(listed().stream()
                    .map(line -> line.split(" ", -1))
                    .filter(words -> words[0].equals(view))
                    .map(words -> "`" + words[1] + "` " + words[2])
                    .collect(Collectors.joining(", ", "| `" + view + "` | ", " |\n")));
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
