// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.tuplespace.PostgresServer;
import org.treehaul.tuplespace.SpaceOptions;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.memory.MemoryStore;
import org.treehaul.tuplespace.partition.Control.Moved;
import org.treehaul.tuplespace.partition.Control.Receiving;
import org.treehaul.tuplespace.partition.Control.State;
import org.treehaul.tuplespace.partition.gate.Deaf;
import org.treehaul.tuplespace.sqlite.SqliteProvider;
import org.treehaul.tuplespace.store.BulkLoad;
import org.treehaul.tuplespace.store.Inspection;
import org.treehaul.tuplespace.store.Owned;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Group;
import org.treehaul.tuplespace.tuple.Template;

/** Partitions that split when they are full, the places of what has moved, and how a space is made and described. */
class PartitionsTest {
    private static final Template<Moved> MOVED = Template.of(Moved.class);

    @TempDir
    Path directory;

    private long now = 1_000_000;
    private final StoreOptions options = StoreOptions.defaults().clock(() -> Instant.ofEpochMilli(now));

    @SuppressWarnings("NullAway") // set by JUnit
    PartitionsTest() {}

    /** A numbered tuple. */
    record Note(int number) {}

    private PartitionedStore inMemory(List<Store> stores, PartitionOptions partitions, int number) {
        return PartitionedStore
                .open(IntStream.range(0, number).<Function<StoreListener, Store>>mapToObj(i -> listener -> {
                    Store store = new MemoryStore(options, listener);
                    stores.add(store);
                    return store;
                }).toList(), partitions, options, new Deaf());
    }

    private static List<Note> notes(int from, int number) {
        return IntStream.range(from, from + number).mapToObj(Note::new).toList();
    }

    /** Returns the number of tuples whose former places in a store are known. */
    private static int moved(Store store) {
        try (Stream<Stored<Moved>> all = store.contents(MOVED, Optional.empty(), Long.MAX_VALUE, Store.NONE)) {
            return all.mapToInt(one -> one.tuple().ids().length() / 16).sum();
        }
    }

    @Test
    void theFormerPlacesOfTuplesEndWithTheirLeasesOrAreRemovedByTheNextSplit() {
        List<Store> stores = new ArrayList<>();
        try (PartitionedStore all = inMemory(stores, PartitionOptions.ofFirst(1), 4)) {
            long[] leased = all.write(notes(0, 100), now + 1000, Store.NONE);
            long[] lasting = all.write(notes(100, 1500), Store.NEVER, Store.NONE);
            all.split(0);
            int before = moved(stores.getFirst());
            assertThat(before).isBetween(600, 1000);
            // A lease that is renewed keeps its place, and with it those that were noted together.
            long kept = Arrays.stream(leased).filter(id -> isMoved(stores, id)).findFirst().orElseThrow();
            assertThat(all.renew(kept, now + 5000)).isTrue();
            now += 2000;
            all.sweep();
            assertThat(all.renew(kept, now + 1000)).isTrue();
            assertThat(moved(stores.getFirst())).isEqualTo(before);
            now += 4000;
            all.sweep();
            assertThat(moved(stores.getFirst())).isBetween(500, before - 20);
            assertThat(all.renew(kept, now + 1000)).isFalse();
            // Most of the tuples without an end are taken, and one is moved again.
            assertThat(all.takeAll(Template.of(Note.class).atLeast("number", 200), 9999, Store.NONE)).hasSize(1400);
            all.split(1);
            all.split(0);
            int there = (int) IntStream.range(1, 4).mapToLong(all::count).sum();
            assertThat(moved(stores.getFirst())).isEqualTo(there);
            for (int i = 0; i < 100; i++) {
                assertThat(all.cancel(lasting[i])).as("tuple %s", i).isTrue();
            }
            assertThat(all.active().stream().mapToLong(all::count).sum()).isZero();
        }
    }

    private static boolean isMoved(List<Store> stores, long id) {
        return stores.getFirst().existing(new long[]{Ids.own(id)}).length == 0;
    }

    @Test
    void aPartitionWithMoreTuplesThanTheLimitSplitsWhileThereAreStores() {
        List<Store> stores = new ArrayList<>();
        try (PartitionedStore all = inMemory(stores, PartitionOptions.ofFirst(1).limit(50), 4)) {
            all.write(notes(0, 40), Store.NEVER, Store.NONE);
            for (Note note : notes(40, 400)) {
                all.write(List.of(note), Store.NEVER, Store.NONE);
            }
            Awaitility.await().until(() -> {
                // A split gives way to transactions and is repeated later, after some more writes.
                all.write(notes(1000, 4), Store.NEVER, Store.NONE);
                return all.active().size() == 4;
            });
            assertThat(all.active()).containsExactly(0, 1, 2, 3);
            all.remove(Template.of(Note.class).atLeast("number", 1000), Store.NONE);
            try (Stream<Stored<Note>> found = all.contents(Template.of(Note.class), Optional.empty(), Long.MAX_VALUE,
                    Store.NONE)) {
                assertThat(found.map(one -> one.tuple().number()))
                        .containsExactlyInAnyOrderElementsOf(IntStream.range(0, 440).boxed().toList());
            }
        }
    }

    /** Returns a store in memory of which some methods do something else. */
    private Store changed(StoreListener listener, Map<String, UnaryOperator<Object>> results) {
        Store store = new MemoryStore(options, listener);
        return (Store) Proxy.newProxyInstance(Store.class.getClassLoader(), new Class<?>[]{Store.class},
                (proxy, method, arguments) -> {
                    try {
                        Object result = method.invoke(store, arguments);
                        return results.getOrDefault(method.getName(), own -> own).apply(result);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private PartitionedStore over(int first, int number, Map<String, UnaryOperator<Object>> results) {
        return PartitionedStore.open(Collections.nCopies(number, listener -> changed(listener, results)),
                PartitionOptions.ofFirst(first), options, new Deaf());
    }

    private static UnaryOperator<Object> each(UnaryOperator<Stored<?>> change) {
        return all -> ((Stream<?>) all).map(one -> change.apply((Stored<?>) one));
    }

    @Test
    void contentsAreReadOnDemand() {
        AtomicInteger read = new AtomicInteger();
        try (PartitionedStore all = over(2, 2, Map.of("contents", each(one -> {
            read.incrementAndGet();
            return one;
        })))) {
            all.write(notes(0, 100), Store.NEVER, Store.NONE);
            read.set(0);
            try (Stream<Stored<Note>> some = all.contents(Template.of(Note.class), Optional.empty(), Long.MAX_VALUE,
                    Store.NONE)) {
                Iterator<Stored<Note>> next = some.iterator();
                for (int i = 1; i <= 100; i++) {
                    next.next();
                    assertThat(read.get()).isLessThanOrEqualTo(i + 2);
                }
                assertThat(next.hasNext()).isFalse();
            }
        }
    }

    @Test
    void aTransactionLocksAllContentsThatItReadsAlsoIfOneIsWrittenInTheMeantime() {
        AtomicReference<@Nullable PartitionedStore> writing = new AtomicReference<>();
        Template<Note> notes = Template.of(Note.class);
        try (PartitionedStore all = over(1, 1, Map.of("attempt", result -> {
            PartitionedStore store = writing.getAndSet(null);
            if (store != null) {
                store.write(notes(1, 1), Store.NEVER, Store.NONE);
            }
            return result;
        }))) {
            long transaction = all.begin(now + 1000);
            writing.set(all);
            try (Stream<Stored<Note>> read = all.contents(notes, Optional.empty(), Long.MAX_VALUE, transaction)) {
                assertThat(read).isEmpty();
            }
            assertThat(writing).hasNullValue();
            try (Stream<Stored<Note>> read = all.contents(notes, Optional.empty(), Long.MAX_VALUE, transaction)) {
                assertThat(read).hasSize(1);
            }
            assertThat(all.takeAll(notes, 1, Store.NONE)).isEmpty();
            all.abort(transaction);
            assertThat(all.takeAll(notes, 1, Store.NONE)).hasSize(1);
        }
    }

    @Test
    void tuplesOfUsersKeepTheirOwnersAndSoAreNotSplit() {
        AtomicBoolean isShared = new AtomicBoolean();
        Map<String, UnaryOperator<Object>> users = Map.of("contents",
                each(one -> new Stored<>(one.id(), one.tuple(), one.expiresAt(), isShared.get() ? "ann" : null)),
                "takeOwned",
                all -> ((List<?>) all).stream()
                        .map(one -> new Owned<>(((Owned<?>) one).tuple(), Optional.of("ann")))
                        .toList());
        try (PartitionedStore all = over(1, 2, users)) {
            all.write(notes(0, 20), Store.NEVER, Store.NONE);
            isShared.set(true);
            fails(Reason.DENIED, "partition 1 is a space that users share", () -> all.split(0));
        }
        isShared.set(false);
        try (PartitionedStore all = PartitionedStore.open(
                List.of(listener -> changed(listener, users), listener -> new MemoryStore(options, listener)),
                PartitionOptions.ofFirst(1), options, new Deaf())) {
            all.write(notes(0, 20), Store.NEVER, Store.NONE);
            isShared.set(true);
            fails(Reason.DENIED, "would then belong to the user who splits it", () -> all.split(0));
            assertThat(all.takeOwned(Template.of(Note.class), 99, Store.NONE)).hasSize(20)
                    .allMatch(one -> one.owner().equals(Optional.of("ann")));
        }
    }

    @Test
    void aSplitKeepsLeasesIfTheClocksOfServersAreAnHourAway() {
        for (long hour : new long[]{3_600_000, -3_600_000}) {
            Map<String, UnaryOperator<Object>> server = Map.of("ahead", own -> hour, "contents",
                    each(one -> new Stored<>(one.id(), one.tuple(), one.expiresAt() + hour)));
            try (PartitionedStore all = over(1, 2, server)) {
                long[] ids = all.write(notes(0, 40), now + 10_000, Store.NONE);
                all.split(0);
                assertThat(all.active().stream().mapToLong(all::count).sum()).isEqualTo(40);
                assertThat(all.renew(ids[0], now + 20_000) && all.renew(ids[39], now + 20_000)).isTrue();
                now += 15_000;
                assertThat(all.active().stream().mapToLong(all::count).sum()).isEqualTo(2);
                for (long id : ids) {
                    all.renew(id, now + 30_000);
                }
                now += 8_000;
                all.sweep();
                assertThat(all.renew(ids[0], now + 20_000) && all.renew(ids[39], now + 20_000)).isTrue();
            }
        }
    }

    @Test
    void theLeaseOfASplitLastsForTheStepThatReadsALargePartition() {
        AtomicBoolean isSplitting = new AtomicBoolean();
        Map<String, UnaryOperator<Object>> slow = Map.of("contents", all -> {
            now += isSplitting.get() ? 25_000 : 0;
            return all;
        }, "aggregate", groups -> {
            now += isSplitting.get() ? 40_000 : 0;
            return isSplitting.get() ? List.of(new Group(List.of(), List.of(1_000_000L))) : groups;
        });
        try (PartitionedStore all = over(1, 2, slow)) {
            all.write(notes(0, 40), Store.NEVER, Store.NONE);
            isSplitting.set(true);
            assertThat(all.split(0)).isEqualTo(1);
            isSplitting.set(false);
            assertThat(all.count(0) + all.count(1)).isEqualTo(40);
        }
    }

    @Test
    void groupsMayTakeLongerThanALease() {
        try (PartitionedStore all = over(2, 2, Map.of())) {
            all.write(notes(0, 10), Store.NEVER, Store.NONE);
            AtomicInteger groups = new AtomicInteger();
            all.aggregateInParts(Template.of(Note.class), List.of("number"), List.of(Aggregate.count()), Store.NONE,
                    1 << 20, group -> {
                        groups.incrementAndGet();
                        now += 40_000;
                    });
            assertThat(groups).hasValue(10);
        }
    }

    private SpaceUri create(int first, long limit, String... names) {
        return Partitions.create(directory.resolve("list"),
                Stream.of(names).map(name -> SpaceUri.of(directory.resolve(name))).toList(), first, limit);
    }

    private static void write(SpaceUri space, int from, int number) {
        try (TupleSpace open = TupleSpaces.open(space, SpaceOptions.defaults())) {
            open.writeAll(notes(from, number), Duration.ofDays(1));
        }
    }

    private static int count(SpaceUri space) {
        try (TupleSpace open = TupleSpaces.openToRead(space, SpaceOptions.defaults())) {
            return (int) open.count(Template.of(Note.class));
        }
    }

    @Test
    void aSpaceIsMadeDescribedAndSplit() throws Exception {
        SpaceUri space = create(1, 20, "a", "b", "c");
        assertThat(Files.readString(directory.resolve("list")))
                .contains("first=1\nlimit=20\nsqlite:" + directory + "/a\n");
        write(space, 0, 10);
        assertThat(Partitions.splitFull(space)).isEmpty();
        assertThat(Partitions.split(space, 0)).isEqualTo(1);
        write(space, 10, 80);
        Partitions.splitFull(space);
        List<Partitions.Status> status = Partitions.status(space);
        assertThat(status).extracting(Partitions.Status::isActive).containsExactly(true, true, true);
        assertThat(status.stream().mapToLong(one -> one.tuples().orElseThrow()).sum()).isEqualTo(90);
        assertThat(status.getFirst().bytes().orElseThrow()).isPositive();
        assertThat(Partitions.problem(space)).isEmpty();
        assertThat(TupleSpaces.check(space)).isEqualTo(new Inspection(90, 0, List.of()));
        fails(Reason.PROVIDER, "exists already", () -> create(1, 0, "d"));
        Files.move(directory.resolve("list"), directory.resolve("other"));
        fails(Reason.PROVIDER, "is a tuple space already", () -> create(1, 0, "a"));
        assertThat(directory.resolve("list")).doesNotExist();
    }

    @Test
    void aPartitionWhoseSplitDidNotEndIsNotActive() throws Exception {
        SpaceUri space = create(1, 0, "a", "b");
        write(space, 0, 10);
        try (Store store = new SqliteProvider().open(SpaceUri.of(directory.resolve("b")), options, new Deaf())) {
            store.write(List.of(new Receiving(1, 1), new State(UUID.randomUUID(), 1, 3), new Note(1)), Store.NEVER,
                    Store.NONE);
        }
        assertThat(Partitions.status(space)).extracting(Partitions.Status::isActive).containsExactly(true, false);
        assertThat(Partitions.status(space)).extracting(one -> one.tuples().orElseThrow()).containsExactly(10L, 0L);
        fails(Reason.DAMAGED, "contains partition 1 of another space", () -> Partitions.split(space, 0));
    }

    @Test
    void aSpaceIsFilledInBulk() throws Exception {
        SpaceUri space = SpaceUri.parse("partitions:" + directory.resolve("list"));
        Files.write(directory.resolve("list"), List.of("first=2", "a", "b", "c"));
        try (BulkLoad load = TupleSpaces.bulkLoad(space, SpaceOptions.defaults())) {
            load.addAll(notes(0, 50));
            load.add(new Note(50));
            assertThat(TupleSpaces.exists(space)).isFalse();
            assertThat(load.finish()).isEqualTo(51);
        }
        assertThat(count(space)).isEqualTo(51);
        assertThat(Partitions.status(space)).extracting(Partitions.Status::isActive).containsExactly(true, true, false);
        assertThat(Partitions.split(space, 0)).isEqualTo(2);
        write(space, 51, 10);
        assertThat(TupleSpaces.check(space)).isEqualTo(new Inspection(61, 0, List.of()));
    }

    @Test
    void aMissingStoreIsNamedAndNotMade() throws Exception {
        SpaceUri space = create(2, 0, "a", "b", "c");
        write(space, 0, 30);
        Files.move(directory.resolve("b"), directory.resolve("elsewhere"));
        fails(Reason.ABSENT, "the store of partition 1, sqlite:" + directory + "/b, is missing", () -> count(space));
        fails(Reason.ABSENT, "is its disk mounted", () -> write(space, 30, 1));
        assertThat(directory.resolve("b")).doesNotExist();
        List<Partitions.Status> status = Partitions.status(space);
        assertThat(status).extracting(Partitions.Status::isActive).containsExactly(true, true, false);
        assertThat(status.get(1).problem()).hasValue("the store is missing");
        assertThat(status.get(2).problem()).isEmpty();
        assertThat(Partitions.problem(space).orElseThrow()).contains("partition 1");
        assertThat(TupleSpaces.check(space).problems()).singleElement().asString().contains("partition 1");
        Files.move(directory.resolve("elsewhere"), directory.resolve("b"));
        assertThat(count(space)).isEqualTo(30);
    }

    @Test
    void theMissingStoreOfTheFirstPartitionIsNamedToo() throws Exception {
        SpaceUri space = create(2, 0, "a", "b");
        write(space, 0, 30);
        Files.move(directory.resolve("a"), directory.resolve("elsewhere"));
        String missing = "the store of partition 0, sqlite:" + directory + "/a, is missing";
        assertThat(TupleSpaces.check(space).problems()).singleElement().asString().contains(missing);
        assertThat(Partitions.problem(space).orElseThrow()).contains(missing);
        fails(Reason.ABSENT, missing, () -> Partitions.split(space, 0));
        fails(Reason.ABSENT, missing, () -> Partitions.splitFull(space));
        assertThat(directory.resolve("a")).doesNotExist();
        Files.move(directory.resolve("elsewhere"), directory.resolve("a"));
        assertThat(count(space)).isEqualTo(30);
        Files.write(directory.resolve("list"), List.of("c", "d"));
        fails(Reason.ABSENT, "there is no tuple space at " + space, () -> TupleSpaces.check(space));
    }

    @Test
    void aListThatCannotBeWrittenIsNotLeftBehind() throws Exception {
        SpaceUri unwritable = SpaceUri.parse("postgresql://localhost/x?schema=\ud800");
        fails(Reason.IO, "cannot be written",
                () -> Partitions.create(directory.resolve("list"), List.of(unwritable), 1, 0));
        assertThat(directory.resolve("list")).doesNotExist();
        create(1, 0, "a");
        fails(Reason.PROVIDER, "exists already", () -> create(1, 0, "b"));
        assertThat(directory.resolve("list")).exists();
    }

    @Test
    void aListWithFewerStoresThanFirstPartitionsIsRefused() throws Exception {
        SpaceUri space = SpaceUri.parse("partitions:" + directory.resolve("list"));
        Files.write(directory.resolve("list"), List.of("first=3", "a", "b"));
        fails(Reason.PROVIDER, "3 first partitions need as many stores, not 2",
                () -> TupleSpaces.bulkLoad(space, SpaceOptions.defaults()));
        assertThat(directory.resolve("a")).doesNotExist();
        fails(Reason.PROVIDER, "3 first partitions need as many stores, not 2",
                () -> TupleSpaces.open(space, SpaceOptions.defaults()));
    }

    @Test
    void thereIsNoPartitionBeyondTheLast() {
        SpaceUri space = create(1, 0, "a", "b");
        for (int number : new int[]{-1, 1, 64, 99}) {
            fails(Reason.ABSENT, "there is no partition " + number + "; the partitions are [0]",
                    () -> Partitions.split(space, number));
        }
    }

    @Test
    void aSpaceIsRefusedAStoreInWhichAnotherHasMadeAPartitionSinceTheCheck() {
        SpaceUri shared = SpaceUri.of(directory.resolve("shared"));
        SpaceUri own = SpaceUri.of(directory.resolve("own"));
        SpaceUri other = SpaceUri.of(directory.resolve("other"));
        AtomicBoolean isBegun = new AtomicBoolean();
        Function<StoreListener, Store> late = listener -> {
            Store store = new SqliteProvider().open(shared, options, listener);
            return (Store) Proxy.newProxyInstance(Store.class.getClassLoader(), new Class<?>[]{Store.class},
                    (proxy, method, arguments) -> {
                        // The check that it is empty has been made.
                        if (method.getName().equals("beginAlone") && !isBegun.getAndSet(true)) {
                            overStores(other, shared).close();
                        }
                        try {
                            return method.invoke(store, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        };
        fails(Reason.DAMAGED, "partition 1 belongs to another space",
                () -> PartitionedStore
                        .open(List.of(listener -> new SqliteProvider().open(own, options, listener), late),
                                PartitionOptions.ofFirst(2), options, new Deaf())
                        .close());
        assertThat(isBegun).isTrue();
        try (PartitionedStore all = overStores(other, shared)) {
            all.write(notes(0, 20), Store.NEVER, Store.NONE);
            assertThat(all.count(0) + all.count(1)).isEqualTo(20);
        }
    }

    private PartitionedStore overStores(SpaceUri... stores) {
        return PartitionedStore.open(Stream.of(stores)
                .<Function<StoreListener, Store>>map(
                        uri -> listener -> new SqliteProvider().open(uri, options, listener))
                .toList(), PartitionOptions.ofFirst(stores.length), options, new Deaf());
    }

    @Test
    void aStoreThatWasRestoredFromAnOldBackupIsNamedUntilItIsAccepted() throws Exception {
        SpaceUri space = create(3, 0, "a", "b", "c");
        write(space, 0, 30);
        for (String old : List.of("b", "a")) {
            Path file = directory.resolve(old).resolve("space.db");
            Files.copy(file, directory.resolve("backup-" + old));
            write(space, old.equals("b") ? 100 : 200, 30);
            Files.copy(file, directory.resolve("newest"));
            Files.delete(file);
            Files.copy(directory.resolve("backup-" + old), file);
            String message = old.equals("b") ? "partition 1, sqlite:" : "partition 0, sqlite:";
            fails(Reason.DAMAGED, message, () -> count(space));
            fails(Reason.DAMAGED, "--accept-old", () -> write(space, 300, 1));
            assertThat(TupleSpaces.check(space).problems()).singleElement().asString().contains("backup", message);
            Files.delete(file);
            Files.move(directory.resolve("newest"), file);
            assertThat(count(space)).isEqualTo(old.equals("b") ? 60 : 90);
        }
        Path file = directory.resolve("b").resolve("space.db");
        Files.delete(file);
        Files.copy(directory.resolve("backup-b"), file);
        Partitions.acceptOld(space);
        assertThat(count(space)).isBetween(60, 89);
        write(space, 300, 10);
        assertThat(TupleSpaces.check(space).problems()).isEmpty();
    }

    @Test
    void aPartitionOfAServerThatWasRestoredFromAnOldBackupIsNamed() throws Exception {
        PostgresServer server = PostgresServer.shared();
        server.run("CREATE DATABASE partition_one");
        try {
            String second = server.fresh().toString().replace("/postgres?", "/partition_one?");
            SpaceUri space = Partitions.create(directory.resolve("servers"),
                    List.of(server.fresh(), SpaceUri.parse(second)), 2, 0);
            write(space, 0, 30);
            server.run("CREATE DATABASE backup TEMPLATE partition_one");
            write(space, 100, 30);
            server.run("ALTER DATABASE partition_one RENAME TO newest");
            server.run("ALTER DATABASE backup RENAME TO partition_one");
            fails(Reason.DAMAGED, "partition 1, postgresql:", () -> count(space));
            fails(Reason.DAMAGED, "backup", () -> write(space, 300, 1));
            assertThat(TupleSpaces.check(space).problems()).singleElement()
                    .asString()
                    .contains("backup", "partition 1, postgresql:");
            server.run("ALTER DATABASE partition_one RENAME TO backup");
            server.run("ALTER DATABASE newest RENAME TO partition_one");
            assertThat(count(space)).isEqualTo(60);
        } finally {
            for (String database : List.of("backup", "partition_one", "newest")) {
                server.run("DROP DATABASE IF EXISTS " + database + " WITH (FORCE)");
            }
        }
    }

    private static void fails(Reason reason, String message, Runnable call) {
        assertThatExceptionOfType(SpaceException.class).isThrownBy(call::run)
                .satisfies(e -> assertThat(e.reason()).isEqualTo(reason))
                .withMessageContaining(message);
    }
}
