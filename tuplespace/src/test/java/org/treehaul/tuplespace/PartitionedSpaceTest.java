// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.testing.InMemory;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.memory.MemoryStore;
import org.treehaul.tuplespace.partition.PartitionOptions;
import org.treehaul.tuplespace.partition.PartitionedStore;
import org.treehaul.tuplespace.postgresql.PostgresProvider;
import org.treehaul.tuplespace.sqlite.SqliteProvider;
import org.treehaul.tuplespace.store.Member;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceMembers;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreListener;

/** The contracts over four partitions in memory, over four in files, and over four in PostgreSQL. */
class PartitionedSpaceTest {
    private static final int PARTITIONS = 4;

    @TempDir(factory = InMemory.class)
    Path spaces;

    private int opened;

    @SuppressWarnings("NullAway") // set by JUnit
    PartitionedSpaceTest() {}

    private static TupleSpace over(List<Function<StoreListener, Store>> stores, SpaceOptions options) {
        return Space.over(listener -> PartitionedStore.open(stores, PartitionOptions.ofFirst(PARTITIONS),
                options.store(), listener), options);
    }

    private static TupleSpace inMemory(SpaceOptions options) {
        return over(Collections.nCopies(PARTITIONS, listener -> new MemoryStore(options.store(), listener)), options);
    }

    private TupleSpace inFiles(SpaceOptions given) {
        SpaceOptions options = SpaceFixture.sharing(given);
        Path directory = spaces.resolve("space" + opened++);
        return over(IntStream.range(0, PARTITIONS)
                .<Function<StoreListener, Store>>mapToObj(number -> listener -> new SqliteProvider()
                        .open(SpaceUri.of(directory.resolve("p" + number)), options.store(), listener))
                .toList(), options);
    }

    private static TupleSpace inPostgres(SpaceOptions options) {
        PostgresServer server = PostgresServer.shared();
        return over(IntStream.range(0, PARTITIONS)
                .mapToObj(number -> server.fresh())
                .<Function<StoreListener, Store>>map(
                        uri -> listener -> new PostgresProvider().open(uri, options.store(), listener))
                .toList(), options);
    }

    /** Returns the times until the first and the last lease end on the clock of the server. */
    private static List<Duration> left(PostgresServer server, List<SpaceUri> stores) throws Exception {
        String ends = stores.stream()
                .map(uri -> "SELECT \"$expires\" AS at FROM " + uri.address().replaceFirst(".*=", "") + ".\""
                        + Job.class.getName() + '"')
                .collect(Collectors.joining(" UNION ALL "));
        List<Duration> left = new ArrayList<>();
        for (String which : List.of("min", "max")) {
            left.add(Duration.ofMillis(server.number("SELECT " + which
                    + "(at) - (extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM (" + ends + ") ends")));
        }
        return left;
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    void aSplitInPostgresKeepsLeasesByTheClockOfTheServerAlsoWhereThatOfTheNodeIsAnHourWrong(int hours)
            throws Exception {
        PostgresServer server = PostgresServer.shared();
        SpaceOptions options = SpaceOptions.defaults().clock(new WrongClock(Duration.ofHours(hours)));
        List<SpaceUri> schemas = List.of(server.fresh(), server.fresh());
        List<Function<StoreListener, Store>> stores = schemas.stream()
                .<Function<StoreListener, Store>>map(
                        uri -> listener -> new PostgresProvider().open(uri, options.store(), listener))
                .toList();
        PartitionedStore[] opened = new PartitionedStore[1];
        try (TupleSpace space = Space.over(listener -> {
            opened[0] = PartitionedStore.open(stores, PartitionOptions.ofFirst(1), options.store(), listener);
            return opened[0];
        }, options)) {
            List<Lease> leases = space.writeAll(IntStream.range(0, 30).mapToObj(i -> new Job(i, "new", null)).toList(),
                    Duration.ofMinutes(10));
            assertThat(opened[0].split(0)).isEqualTo(1);
            assertThat(left(server, schemas)).allMatch(left -> left.toMinutes() == 9);
            for (Lease lease : leases) {
                lease.renew(Duration.ofMinutes(20));
            }
            assertThat(left(server, schemas)).allMatch(left -> left.toMinutes() == 19);
            space.sweep();
            assertThat(space.count(SpaceFixture.JOBS)).isEqualTo(30);
            space.writeAll(IntStream.range(30, 40).mapToObj(i -> new Job(i, "new", null)).toList(),
                    Duration.ofMinutes(10));
            assertThat(left(server, schemas)).allMatch(left -> left.toMinutes() == 9 || left.toMinutes() == 19);
            assertThat(space.takeAll(SpaceFixture.JOBS, 99)).hasSize(40);
        }
    }

    @Test
    void aSpaceThatUsersShareIsNoPartition() throws Exception {
        PostgresServer server = PostgresServer.shared();
        server.role("partitioner", "LOGIN");
        SpaceUri schema = server.fresh();
        SpaceMembers members = TupleSpaces.members(schema);
        members.create(SpaceMembers.Visibility.ALL);
        members.grant(new Member("partitioner", Member.Right.WRITE, false, OptionalLong.empty()));
        String member = schema.toString().replace("owner@", "partitioner@");
        for (List<String> stores : List.of(List.of(member, "a"), List.of("b", member))) {
            assertThatExceptionOfType(SpaceException.class).isThrownBy(() -> shared(stores))
                    .withMessageContaining("is a space that users share, which cannot be a partition")
                    .satisfies(e -> assertThat(e.reason()).isEqualTo(SpaceException.Reason.DENIED));
        }
        SpaceUri list = new SpaceUri(SpaceUri.PARTITIONS, spaces.resolve("list").toString());
        assertThatExceptionOfType(SpaceException.class).isThrownBy(() -> TupleSpaces.members(list))
                .withMessageContaining("create the shared space in one database");
    }

    private TupleSpace shared(List<String> stores) {
        Path list = spaces.resolve("list");
        try {
            Files.write(list, stores);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return TupleSpaces.open(new SpaceUri(SpaceUri.PARTITIONS, list.toString()), SpaceOptions.defaults());
    }

    @Nested
    class MemoryOperations extends SpaceContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return inMemory(options);
        }
    }

    @Nested
    class MemoryTransactions extends TransactionsContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return inMemory(options);
        }

        @Override
        boolean isOneStore() {
            return false;
        }
    }

    @Nested
    class MemoryValues extends ValuesContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return inMemory(options);
        }

        @Override
        boolean isOneStore() {
            return false;
        }
    }

    @Nested
    class MemoryEvents extends EventsContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return inMemory(options);
        }

        @Override
        boolean isOneStore() {
            return false;
        }
    }

    @Nested
    @Tag("campaign")
    class FileOperations extends SpaceContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return inFiles(options);
        }
    }

    @Nested
    @Tag("rig")
    class FileTransactions extends TransactionsContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return inFiles(options);
        }

        @Override
        boolean isOneStore() {
            return false;
        }
    }

    @Nested
    @Tag("campaign")
    class FileValues extends ValuesContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return inFiles(options);
        }

        @Override
        boolean isOneStore() {
            return false;
        }
    }

    @Nested
    @Tag("campaign")
    class FileEvents extends EventsContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return inFiles(options);
        }

        @Override
        boolean isOneStore() {
            return false;
        }
    }

    @Nested
    @Tag("campaign")
    class PostgresOperations extends SpaceContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return inPostgres(options);
        }
    }

    @Nested
    @Tag("rig")
    class PostgresTransactions extends TransactionsContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return inPostgres(options);
        }

        @Override
        boolean isOneStore() {
            return false;
        }
    }

    @Nested
    @Tag("campaign")
    class PostgresValues extends ValuesContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return inPostgres(options);
        }

        @Override
        boolean isOneStore() {
            return false;
        }
    }

    @Nested
    @Tag("campaign")
    class PostgresEvents extends EventsContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return inPostgres(options);
        }

        @Override
        boolean isOneStore() {
            return false;
        }
    }
}
