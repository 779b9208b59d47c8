// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.memory.MemoryStore;
import org.treehaul.tuplespace.partition.PartitionOptions;
import org.treehaul.tuplespace.partition.PartitionedStore;
import org.treehaul.tuplespace.partition.Placement;
import org.treehaul.tuplespace.partition.gate.Deaf;
import org.treehaul.tuplespace.postgresql.PostgresProvider;
import org.treehaul.tuplespace.sqlite.SqliteProvider;
import org.treehaul.tuplespace.store.Attempt;
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

/** Several processes with the same partitions, of which one splits them. */
class PartitionOpenersTest {
    private static final int MOST = 64;
    private static final StoreOptions OPTIONS = StoreOptions.defaults();

    @TempDir
    Path directory;

    @SuppressWarnings("NullAway") // set by JUnit
    PartitionOpenersTest() {}

    private static List<Job> jobs(int number) {
        return IntStream.range(0, number).mapToObj(i -> new Job(i, "state" + i % 3, null)).toList();
    }

    private static PartitionedStore open(List<Function<StoreListener, Store>> stores) {
        return PartitionedStore.open(stores, PartitionOptions.ofFirst(1), OPTIONS, new Deaf());
    }

    /** The calls of one process that concern jobs or the list of partitions, as method, class and partition. */
    private static final class Calls {
        private final List<String> made = new ArrayList<>();

        private static boolean concerns(Object[] arguments, String type) {
            for (Object argument : arguments) {
                if (argument instanceof Template<?> template && template.type().getSimpleName().equals(type)
                        || argument instanceof List<?> tuples && !tuples.isEmpty()
                                && tuples.getFirst().getClass().getSimpleName().equals(type)) {
                    return true;
                }
            }
            return false;
        }

        /** Returns a store of which the process is one user. */
        Store around(Store store, int number) {
            return (Store) Proxy.newProxyInstance(Store.class.getClassLoader(), new Class<?>[]{Store.class},
                    (proxy, method, arguments) -> {
                        if (method.getName().equals("close")) {
                            return null;
                        }
                        for (String type : List.of("Job", "Layout")) {
                            if (arguments != null && concerns(arguments, type)) {
                                made.add(type + " " + number);
                            }
                        }
                        try {
                            return method.invoke(store, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }

        /** Returns the calls of some work. */
        List<String> of(Runnable work) {
            made.clear();
            work.run();
            return List.copyOf(made);
        }
    }

    /** A process that uses stores in the memory of this one. */
    private record User(PartitionedStore store, Calls calls) {

        static User of(List<Store> stores) {
            Calls calls = new Calls();
            return new User(PartitionOpenersTest.open(IntStream.range(0, stores.size())
                    .<Function<StoreListener, Store>>mapToObj(i -> listener -> calls.around(stores.get(i), i))
                    .toList()), calls);
        }

        List<String> finds(int job, boolean isTake, boolean isThere) {
            return calls.of(() -> assertThat(
                    store.attempt(SpaceFixture.numbered(job), isTake, Store.NONE) instanceof Attempt.Hit)
                    .isEqualTo(isThere));
        }

        List<String> writes(int job) {
            return calls.of(() -> store.write(List.of(new Job(job, "late", null)), Store.NEVER, Store.NONE));
        }
    }

    private static List<Store> memory(int number) {
        return IntStream.range(0, number).<Store>mapToObj(i -> new MemoryStore(OPTIONS, new Deaf())).toList();
    }

    @Test
    void aProcessWithAnOldMapAsksOnePartitionMoreOnceHoweverManySplitsItMissed() {
        List<Store> stores = memory(16);
        User one = User.of(stores);
        int number = 60;
        one.store().write(jobs(number), Store.NEVER, Store.NONE);
        List<List<User>> old = IntStream.range(0, number)
                .mapToObj(job -> IntStream.range(0, 4).mapToObj(i -> User.of(stores)).toList())
                .toList();
        old.forEach(users -> users.forEach(user -> user.finds(1, false, true)));
        for (int depth = 0; depth < 4; depth++) {
            for (int partition : one.store().active()) {
                one.store().split(partition);
            }
        }
        assertThat(one.store().active()).hasSize(16);
        int moved = 0;
        for (int job = 0; job < number; job++) {
            List<String> direct = one.finds(job, false, true);
            assertThat(direct).hasSize(1);
            boolean isMoved = !direct.getFirst().equals("Job 0");
            moved += isMoved ? 1 : 0;
            List<String> detour = isMoved ? List.of("Job 0", "Layout 0", direct.getFirst()) : direct;
            for (int i = 0; i < 2; i++) {
                User user = old.get(job).get(i);
                assertThat(user.finds(job, i == 1, true)).isEqualTo(detour);
                if (isMoved) {
                    assertThat(user.finds(job, false, i == 0)).isEqualTo(direct);
                }
            }
            User writer = old.get(job).get(2);
            // It asks the same partition again if that has split, but is still the right one.
            assertThat(writer.writes(job)).containsExactly("Job 0", "Layout 0", direct.getFirst());
            assertThat(writer.writes(job)).isEqualTo(direct);
            assertThat(one.finds(job, true, true)).isEqualTo(direct);
            assertThat(one.finds(job, true, true)).isEqualTo(direct);
            // A tuple that does not exist is looked for in the same places.
            assertThat(old.get(job).get(3).finds(job, false, false))
                    .isEqualTo(isMoved ? detour : List.of("Job 0", "Layout 0"));
        }
        assertThat(moved).isGreaterThan(number / 2);
    }

    @Test
    void splitsGoOnUntilThereAre64PartitionsWhichAnswerAsOneDoes() {
        SpaceOptions options = SpaceOptions.defaults();
        List<Function<StoreListener, Store>> stores = Collections.nCopies(MOST,
                listener -> new MemoryStore(options.store(), listener));
        PartitionedStore[] opened = new PartitionedStore[1];
        try (TupleSpace space = Space.over(listener -> {
            opened[0] = PartitionedStore.open(stores, PartitionOptions.ofFirst(1), options.store(), listener);
            return opened[0];
        }, options)) {
            List<Job> all = jobs(1000);
            space.writeAll(all, Lease.FOREVER);
            for (int depth = 0; depth < 6; depth++) {
                for (int partition : opened[0].active()) {
                    assertThat(opened[0].split(partition)).isEqualTo(partition + (1 << depth));
                }
            }
            assertThat(opened[0].active()).hasSize(MOST).endsWith(MOST - 1);
            assertThatExceptionOfType(SpaceException.class).isThrownBy(() -> opened[0].split(31))
                    .withMessageContaining("a space has at most 64");
            try (Stream<Job> found = space.contents(SpaceFixture.JOBS)) {
                assertThat(found).containsExactlyInAnyOrderElementsOf(all);
            }
            assertThat(space.count(SpaceFixture.JOBS.equal("state", "state1"))).isEqualTo(333);
            for (Job job : all) {
                assertThat(space.read(SpaceFixture.numbered(job.number()), SpaceFixture.NOW).isFound()).isTrue();
            }
            for (int partition : opened[0].active()) {
                assertThat(Stream.iterate(1000, number -> number + 1)
                        .filter(number -> Placement.of(new Job(number, null, null), "number", MOST) == partition)
                        .limit(1)
                        .peek(number -> space.write(new Job(number, "of its own", null)))
                        .map(number -> space.takeAll(SpaceFixture.numbered(number), 2).size())).containsExactly(1);
            }
            assertThat(space.takeAll(SpaceFixture.JOBS, 2000)).containsExactlyInAnyOrderElementsOf(all);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        assertThatIllegalArgumentException().isThrownBy(() -> open(Collections.nCopies(MOST + 1, stores.getFirst())))
                .withMessage("65 stores; from 1 to 64");
    }

    @Test
    void theSecondOfTwoSplitsOfAPartitionAtOnceIsRefused() {
        List<Store> stores = memory(4);
        User other = User.of(stores);
        List<String> refused = new ArrayList<>();
        Intruder second = Intruder.of("writeWhile", 1, false,
                () -> assertThatExceptionOfType(SpaceException.class).isThrownBy(() -> other.store().split(0))
                        .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.BUSY))
                        .satisfies(e -> refused.add(String.valueOf(e.getMessage()))));
        PartitionedStore first = open(IntStream.range(0, 4)
                .<Function<StoreListener, Store>>mapToObj(
                        i -> listener -> i == 1 ? second.around(stores.get(i)) : stores.get(i))
                .toList());
        first.write(jobs(40), Store.NEVER, Store.NONE);
        assertThat(first.split(0)).isEqualTo(1);
        assertThat(refused).containsExactly(
                "partition 0 was not split: another process splits it, or transactions use it; try again later");
        assertThat(first.active()).containsExactly(0, 1);
        assertThat(other.store().split(0)).isEqualTo(2);
        first.close();
    }

    /** Reads everything in all ways; each tuple has to be there once. */
    private static void readsAll(Store store, List<Job> all) {
        try (Stream<Stored<Job>> contents = store.contents(SpaceFixture.JOBS, Optional.empty(), Long.MAX_VALUE,
                Store.NONE)) {
            assertThat(contents.map(Stored::tuple)).containsExactlyInAnyOrderElementsOf(all);
        }
        List<Group> groups = store.aggregate(SpaceFixture.JOBS, List.of("state"),
                List.of(Aggregate.count(), Aggregate.sum("number")), Store.NONE);
        assertThat(groups).hasSize(3);
        for (Group group : groups) {
            List<Job> own = all.stream().filter(job -> group.key().contains(job.state())).toList();
            assertThat(group.values()).isEqualTo(List.of((long) own.size(), own.stream().mapToLong(Job::number).sum()));
        }
        assertThat(store.aggregate(SpaceFixture.JOBS, List.of(), List.of(Aggregate.count()), Store.NONE)
                .getFirst()
                .values()).isEqualTo(List.of((long) all.size()));
    }

    /** Reads at each step of a split; streams that are opened at one go on after the split. */
    private static void readersSeeEachTupleOnce(IntFunction<Function<StoreListener, Store>> stores) {
        List<Job> all = jobs(150);
        List<PartitionedStore> readers = new ArrayList<>();
        List<Stream<Stored<Job>>> streams = new ArrayList<>();
        List<Iterator<Stored<Job>>> begun = new ArrayList<>();
        List<List<Job>> read = new ArrayList<>();
        int[] steps = {0, 0};
        Runnable reading = () -> {
            // One that has not learned of the split.
            Optional<PartitionedStore> old = readers.stream().filter(one -> one.active().size() == 1).findFirst();
            if (readers.isEmpty()) {
                return;
            }
            PartitionedStore reader = old.orElseThrow();
            steps[0]++;
            Stream<Stored<Job>> stream = reader.contents(SpaceFixture.JOBS, Optional.empty(), Long.MAX_VALUE,
                    Store.NONE);
            streams.add(stream);
            Iterator<Stored<Job>> iterator = stream.iterator();
            begun.add(iterator);
            read.add(new ArrayList<>(List.of(iterator.next().tuple())));
            readsAll(reader, all);
            steps[1] += reader.active().size() - 1;
        };
        Intruder each = Intruder.always(reading);
        List<Function<StoreListener, Store>> plain = IntStream.range(0, 2).mapToObj(stores).toList();
        PartitionedStore splitting = open(plain.stream()
                .<Function<StoreListener, Store>>map(opener -> listener -> each.around(opener.apply(listener)))
                .toList());
        splitting.write(all, Store.NEVER, Store.NONE);
        for (int i = 0; i < 12; i++) {
            readers.add(open(plain));
        }
        assertThat(splitting.split(0)).isEqualTo(1);
        reading.run();
        for (int i = 0; i < begun.size(); i++) {
            List<Job> whole = read.get(i);
            begun.get(i).forEachRemaining(stored -> whole.add(stored.tuple()));
            assertThat(whole).as("stream %s", i).containsExactlyInAnyOrderElementsOf(all);
        }
        streams.forEach(Stream::close);
        assertThat(steps[0]).as("steps").isGreaterThan(20);
        assertThat(steps[1]).as("readers that learned of the split").isGreaterThan(2);
        readers.forEach(Store::close);
        readers.clear();
        splitting.close();
    }

    @Test
    void readersWithAnOldMapSeeEachTupleOnceAtEachStepOfASplitOfFiles() {
        readersSeeEachTupleOnce(number -> listener -> new SqliteProvider()
                .open(SpaceUri.of(directory.resolve("p" + number)), OPTIONS, listener));
    }

    @Test
    void readersWithAnOldMapSeeEachTupleOnceAtEachStepOfASplitOnServers() {
        List<SpaceUri> schemas = List.of(PostgresServer.shared().fresh(), PostgresServer.shared().fresh());
        readersSeeEachTupleOnce(
                number -> listener -> new PostgresProvider().open(schemas.get(number), OPTIONS, listener));
    }

    @Test
    void aStreamInMemoryThatBeganBeforeASplitHasEachTupleOnce() {
        List<Store> stores = memory(4);
        User reader = User.of(stores);
        User splitting = User.of(stores);
        List<Job> all = jobs(150);
        splitting.store().write(all, Store.NEVER, Store.NONE);
        try (Stream<Stored<Job>> stream = reader.store()
                .contents(SpaceFixture.JOBS, Optional.empty(), Long.MAX_VALUE, Store.NONE)) {
            Iterator<Stored<Job>> iterator = stream.iterator();
            List<Job> read = new ArrayList<>(List.of(iterator.next().tuple()));
            assertThat(splitting.store().split(0)).isEqualTo(1);
            iterator.forEachRemaining(stored -> read.add(stored.tuple()));
            assertThat(read).containsExactlyInAnyOrderElementsOf(all);
        }
        readsAll(reader.store(), all);
    }
}
