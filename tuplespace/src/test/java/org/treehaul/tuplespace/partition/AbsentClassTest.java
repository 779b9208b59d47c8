// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.PostgresServer;
import org.treehaul.tuplespace.SpaceOptions;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.partition.gate.Deaf;
import org.treehaul.tuplespace.store.RecordClasses;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.store.StandInClasses;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.store.StoreProviders;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.tuple.Template;

/** A program without the record classes of a space splits, describes and checks its partitions. */
class AbsentClassTest {
    private static final int TASKS = 200;
    private static final String NAME = "org.treehaul.tuplespace.partition.Gone";

    @TempDir
    Path directory;

    @SuppressWarnings("NullAway") // set by JUnit
    AbsentClassTest() {}

    /** Has a class that no other loader has. */
    private static final class Own extends ClassLoader {
        private final Constructor<?> constructor;

        /** @param like the class of which it is a copy with another name */
        Own(Class<? extends Record> like) throws IOException, ReflectiveOperationException {
            super(AbsentClassTest.class.getClassLoader());
            String name = like.getSimpleName();
            try (InputStream in = Objects.requireNonNull(like.getResourceAsStream(name + ".class"))) {
                // Each byte is one character, and the names are of the same length.
                String made = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1).replace("partition/" + name,
                        "partition/Gone");
                byte[] bytes = made.getBytes(StandardCharsets.ISO_8859_1);
                constructor = defineClass(NAME, bytes, 0, bytes.length).getConstructors()[0];
            }
        }

        /** Returns a tuple of a class that has the first component only. */
        Record brief(int number) {
            try {
                return (Record) constructor.newInstance(number);
            } catch (ReflectiveOperationException e) {
                throw new LinkageError(NAME, e);
            }
        }

        Record task(int number) {
            try {
                return (Record) constructor.newInstance(number, number % 3 == 0, number / 7.0,
                        number % 5 == 0 ? null : (Long) (long) number, number % 4 == 0 ? null : "text " + number,
                        number % 6 == 0 ? null : new UUID(number, 1));
            } catch (ReflectiveOperationException e) {
                throw new LinkageError(NAME, e);
            }
        }

        <R> R in(Supplier<R> work) {
            Thread thread = Thread.currentThread();
            ClassLoader before = thread.getContextClassLoader();
            thread.setContextClassLoader(this);
            try {
                return work.get();
            } finally {
                thread.setContextClassLoader(before);
            }
        }
    }

    private void splitsAndChecks(List<SpaceUri> stores) throws Exception {
        SpaceUri space = Partitions.create(directory.resolve("list"), stores, 1, 0);
        Own own = new Own(Task.class);
        List<Record> tasks = IntStream.range(0, TASKS).mapToObj(own::task).toList();
        own.in(() -> {
            try (TupleSpace open = TupleSpaces.open(space, SpaceOptions.defaults())) {
                open.writeAll(tasks.subList(0, TASKS / 2), Lease.FOREVER);
                return open.writeAll(tasks.subList(TASKS / 2, TASKS), Duration.ofDays(1));
            }
        });
        try (TupleSpace open = TupleSpaces.openToRead(space, SpaceOptions.defaults())) {
            assertThatExceptionOfType(SpaceException.class).isThrownBy(() -> open.count(Template.of(Record.class)))
                    .satisfies(e -> assertThat(e.reason()).isEqualTo(SpaceException.Reason.VERSION));
        }
        assertThat(Partitions.split(space, 0)).isEqualTo(1);
        assertThat(Partitions.split(space, 1)).isEqualTo(3);
        List<Long> counts = Partitions.status(space).stream().map(one -> one.tuples().orElseThrow()).toList();
        assertThat(counts.stream().mapToLong(Long::longValue).sum()).isEqualTo(TASKS);
        assertThat(counts.get(1)).isPositive();
        assertThat(counts.get(3)).isPositive();
        assertThat(TupleSpaces.check(space).problems()).isEmpty();
        assertThat(TupleSpaces.check(space).tuples()).isEqualTo(TASKS);
        List<Object> found = own.in(() -> {
            try (TupleSpace open = TupleSpaces.open(space, SpaceOptions.defaults());
                    Stream<Record> all = open.contents(Template.of(Record.class))) {
                return new ArrayList<>(all.toList());
            }
        });
        assertThat(found).containsExactlyInAnyOrderElementsOf(tasks);
    }

    @Test
    void tuplesInFilesMoveAsTheyAreStored() throws Exception {
        List<Path> places = Stream.of("a", "b", "c", "d").map(directory::resolve).toList();
        splitsAndChecks(places.stream().map(SpaceUri::of).toList());
        // The tables are those that the class itself would have made.
        assertThat(table(places.get(1))).isEqualTo(table(places.get(0)))
                .contains("\"number\" INTEGER NOT NULL DEFAULT 0");
        assertThat(table(places.get(3))).isEqualTo(table(places.get(0)));
    }

    private static String table(Path space) throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + space.resolve("space.db"));
                ResultSet row = connection.createStatement()
                        .executeQuery("SELECT sql FROM sqlite_master WHERE name = '" + NAME + "'")) {
            return row.getString(1);
        }
    }

    @Test
    void tuplesInPostgresMoveAsTheyAreStored() throws Exception {
        PostgresServer server = PostgresServer.shared();
        List<SpaceUri> stores = IntStream.range(0, 4).mapToObj(number -> server.fresh()).toList();
        splitsAndChecks(stores);
        List<String> required = stores.stream()
                .map(store -> store.address().replaceFirst(".*schema=", ""))
                .map(schema -> "SELECT count(*) FROM pg_attribute WHERE attrelid = '" + schema + ".\"" + NAME
                        + "\"'::regclass AND attnotnull AND attnum > 1")
                .toList();
        for (int number : Arrays.asList(0, 1, 3)) {
            assertThat(server.number(required.get(number))).isEqualTo(3);
        }
    }

    private static List<Function<StoreListener, Store>> openers(List<SpaceUri> stores) {
        return stores.stream()
                .<Function<StoreListener, Store>>map(
                        uri -> listener -> StoreProviders.of(uri).open(uri, StoreOptions.defaults(), listener))
                .toList();
    }

    private static PartitionedStore open(List<Function<StoreListener, Store>> openers) {
        return PartitionedStore.open(openers, PartitionOptions.ofFirst(1), StoreOptions.defaults(), new Deaf());
    }

    private void addsComponentsDuringASplit(List<SpaceUri> stores) throws Exception {
        Own former = new Own(Less.class);
        Own present = new Own(Task.class);
        try (PartitionedStore other = open(openers(stores))) {
            other.write(IntStream.range(0, 20).mapToObj(former::brief).toList(), Store.NEVER, Store.NONE);
            AtomicInteger copied = new AtomicInteger();
            List<Function<StoreListener, Store>> intruded = new ArrayList<>(openers(stores));
            Function<StoreListener, Store> second = intruded.get(1);
            intruded.set(1, listener -> before("writeWhile", second.apply(listener), () -> {
                if (copied.getAndIncrement() == 0) {
                    other.write(IntStream.range(20, TASKS).mapToObj(present::task).toList(), Store.NEVER, Store.NONE);
                }
            }));
            try (PartitionedStore splitting = open(intruded)) {
                assertThatExceptionOfType(SpaceException.class).isThrownBy(() -> splitting.split(0))
                        .satisfies(e -> assertThat(e.reason()).isEqualTo(SpaceException.Reason.BUSY))
                        .withMessageContaining("has added a record class, or components of one");
                assertThat(splitting.split(0)).isEqualTo(1);
            }
        }
        List<Record> found = present.in(() -> {
            try (PartitionedStore all = open(openers(stores));
                    Stream<Stored<Record>> some = all.contents(Template.of(Record.class), Optional.empty(),
                            Long.MAX_VALUE, Store.NONE)) {
                assertThat(all.count(1)).isPositive();
                return some.map(Stored::tuple).toList();
            }
        });
        assertThat(found).hasSize(TASKS).containsAll(IntStream.range(20, TASKS).mapToObj(present::task).toList());
    }

    /** Returns a store that does something before a method. */
    private static Store before(String name, Store store, Runnable work) {
        return (Store) Proxy.newProxyInstance(Store.class.getClassLoader(), new Class<?>[]{Store.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals(name)) {
                        work.run();
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void noComponentIsLostThatAnotherProgramAddsDuringASplit() throws Exception {
        addsComponentsDuringASplit(List.of(SpaceUri.of(directory.resolve("a")), SpaceUri.of(directory.resolve("b"))));
        PostgresServer server = PostgresServer.shared();
        addsComponentsDuringASplit(List.of(server.fresh(), server.fresh()));
    }

    @Test
    void theStandInClassesOfRepeatedSplitsAreTheSameUntilAComponentIsAdded() throws Exception {
        SpaceUri place = SpaceUri.of(directory.resolve("a"));
        Own former = new Own(Less.class);
        try (Store store = StoreProviders.of(place).open(place, StoreOptions.defaults(), new Deaf())) {
            store.write(List.of(former.brief(1)), Store.NEVER, Store.NONE);
            Supplier<Class<?>> find = () -> StandInClasses.of(List.of(store),
                    () -> RecordClasses.find(NAME).recordClass());
            Class<?> found = find.get();
            assertThat(found.getRecordComponents()).hasSize(1);
            assertThat(find.get()).isSameAs(found);
            store.write(List.of(new Own(Task.class).task(1)), Store.NEVER, Store.NONE);
            assertThat(find.get().getRecordComponents()).hasSize(6);
        }
    }

    @Test
    void theTableOfANewPartitionHasTheIndexesOfTheProgram() throws Exception {
        List<Path> places = Stream.of("a", "b").map(directory::resolve).toList();
        StoreOptions options = StoreOptions.defaults().index(Task.class, "number");
        List<Function<StoreListener, Store>> openers = places.stream()
                .map(SpaceUri::of)
                .<Function<StoreListener, Store>>map(
                        uri -> listener -> StoreProviders.of(uri).open(uri, options, listener))
                .toList();
        try (PartitionedStore store = PartitionedStore.open(openers, PartitionOptions.ofFirst(1), options,
                new Deaf())) {
            store.write(
                    IntStream.range(0, TASKS).mapToObj(number -> new Task(number, false, 0, null, null, null)).toList(),
                    Store.NEVER, Store.NONE);
            store.split(0);
            assertThat(store.count(1)).isPositive();
        }
        for (Path place : places) {
            try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + place.resolve("space.db"));
                    ResultSet row = connection.createStatement()
                            .executeQuery("SELECT count(*) FROM sqlite_master WHERE type = 'index' AND name = '"
                                    + Task.class.getName() + " by number'")) {
                assertThat(row.getInt(1)).as(place.toString()).isEqualTo(1);
            }
        }
    }
}
