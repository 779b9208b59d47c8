// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.PostgresServer;
import org.treehaul.tuplespace.SpaceOptions;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;

/** Partitions in databases of a server, of which one is restored from a dump. */
class PartitionDumpTest {
    private static final List<String> DATABASES = List.of("dumped_zero", "dumped_one");
    private static final String MADE = "dumped_again";

    private final PostgresServer server = PostgresServer.shared();

    @TempDir
    Path directory;

    private SpaceUri space;

    @SuppressWarnings("NullAway") // set by JUnit and before each test
    PartitionDumpTest() {}

    /** A numbered tuple. */
    record Note(int number) {}

    @BeforeEach
    void create() throws SQLException {
        for (String database : DATABASES) {
            server.run("CREATE DATABASE " + database);
        }
        space = Partitions.create(directory.resolve("databases"),
                DATABASES.stream()
                        .map(database -> SpaceUri
                                .parse(server.in("tasks").toString().replace("/postgres?", "/" + database + "?")))
                        .toList(),
                2, 0);
        write(0, 30);
    }

    @AfterEach
    void drop() throws SQLException {
        for (String database : List.of(DATABASES.getFirst(), DATABASES.getLast(), MADE)) {
            server.run("DROP DATABASE IF EXISTS " + database + " WITH (FORCE)");
        }
    }

    private void write(int from, int number) {
        try (TupleSpace open = TupleSpaces.open(space, SpaceOptions.defaults())) {
            open.writeAll(IntStream.range(from, from + number).mapToObj(Note::new).toList(), Lease.FOREVER);
        }
    }

    private long count() {
        try (TupleSpace open = TupleSpaces.openToRead(space, SpaceOptions.defaults())) {
            return open.count(Template.of(Note.class));
        }
    }

    private void isNamed(int partition) {
        String name = "partition " + partition + ", postgresql:";
        for (Runnable use : List.<Runnable>of(this::count, () -> write(300, 1))) {
            assertThatExceptionOfType(SpaceException.class).isThrownBy(use::run)
                    .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.DAMAGED))
                    .withMessageContaining(name)
                    .withMessageContaining("backup")
                    .withMessageContaining("treehaul space check --accept-old");
        }
        assertThat(TupleSpaces.check(space).problems()).singleElement().asString().contains(name);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void anOldDumpThatIsRestoredOverAPartitionIsNamedUntilItIsAccepted(int partition) throws Exception {
        String database = DATABASES.get(partition);
        server.client("pg_dump", database, "-Fc", "-f", "@old.dump");
        write(100, 30);
        server.client("pg_dump", database, "-Fc", "-f", "@new.dump");
        server.client("pg_restore", database, "--clean", "--if-exists", "@old.dump");
        isNamed(partition);
        server.client("pg_restore", database, "--clean", "--if-exists", "@new.dump");
        assertThat(count()).isEqualTo(60);
        write(200, 30);
        assertThat(TupleSpaces.check(space).problems()).isEmpty();
        server.client("pg_restore", database, "--clean", "--if-exists", "@new.dump");
        isNamed(partition);
        Partitions.acceptOld(space);
        assertThat(count()).isBetween(60L, 89L);
        write(300, 30);
        assertThat(TupleSpaces.check(space).problems()).isEmpty();
    }

    @Test
    void anOldDumpInANewDatabaseInThePlaceOfAPartitionIsNamed() throws Exception {
        server.client("pg_dump", DATABASES.getLast(), "-n", "tasks", "-f", "@old.sql");
        write(100, 30);
        server.client("pg_dump", DATABASES.getLast(), "-n", "tasks", "-f", "@new.sql");
        replace("@old.sql");
        isNamed(1);
        replace("@new.sql");
        assertThat(count()).isEqualTo(60);
        write(200, 30);
        assertThat(TupleSpaces.check(space).problems()).isEmpty();
    }

    /** Makes the database of the last partition anew, from a dump. */
    private void replace(String dump) throws Exception {
        server.run("CREATE DATABASE " + MADE);
        server.client("psql", MADE, "-q", "-v", "ON_ERROR_STOP=1", "-f", dump);
        server.run("DROP DATABASE " + DATABASES.getLast() + " WITH (FORCE)");
        server.run("ALTER DATABASE " + MADE + " RENAME TO " + DATABASES.getLast());
    }
}
