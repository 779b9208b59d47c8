// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.tuplespace.Shapes.Circle;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.memory.MemoryStore;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.tuple.Template;

class MemorySpaceTest {

    @Nested
    class Operations extends SpaceContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return TupleSpaces.memory(options);
        }
    }

    @Nested
    class Transactions extends TransactionsContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return TupleSpaces.memory(options);
        }
    }

    @Nested
    class Values extends ValuesContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return TupleSpaces.memory(options);
        }
    }

    @Nested
    class Events extends EventsContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return TupleSpaces.memory(options);
        }
    }

    @Test
    void aSpaceIsFoundByItsNameUntilTheLastOneHasClosedIt() throws Exception {
        TupleSpace one = TupleSpaces.open("found by its name", SpaceOptions.defaults());
        TupleSpace other = TupleSpaces.open("found by its name", SpaceOptions.defaults());
        one.write(new Circle("a", 1));
        one.close();
        one.close();
        assertThat(other.take(SpaceFixture.CIRCLES, SpaceFixture.NOW).isFound()).isTrue();
        other.write(new Circle("a", 1));
        other.close();
        try (TupleSpace anew = TupleSpaces.open("found by its name", SpaceOptions.defaults())) {
            assertThat(anew.count(SpaceFixture.CIRCLES)).isZero();
        }
    }

    @Test
    void tensOfThousandsOfTemplatesAreOneOperation() throws Exception {
        List<Template<Job>> many = IntStream.range(0, 50_000).mapToObj(SpaceFixture::numbered).toList();
        Template<Job> any = Template.ofAny(Job.class, many);
        try (TupleSpace space = TupleSpaces.memory()) {
            CompletableFuture<Result<Job>> waiting = space.readAsync(any, SpaceFixture.LONG);
            space.writeAll(List.of(new Job(50_000, "new", null), new Job(49_999, "new", null)), Lease.FOREVER);
            assertThat(waiting).succeedsWithin(SpaceFixture.LONG)
                    .isEqualTo(new Result.Found<>(new Job(49_999, "new", null)));
            assertThat(space.count(any)).isEqualTo(1);
            assertThat(space.takeAll(any, 2)).containsExactly(new Job(49_999, "new", null));
        }
    }

    @Test
    void aSnapshotKeepsLeasesIfTheClockOfTheStoreIsAnHourAhead(@TempDir Path directory) {
        FakeClock clock = new FakeClock();
        SpaceOptions options = SpaceOptions.defaults().clock(clock);
        long hour = Duration.ofHours(1).toMillis();
        Path file = directory.resolve("snapshot");
        try (TupleSpace space = Space.over(listener -> {
            Store store = new MemoryStore(options.store(), listener);
            return (Store) Proxy.newProxyInstance(Store.class.getClassLoader(), new Class<?>[]{Store.class},
                    (proxy, method, arguments) -> switch (method.getName()) {
                        case "ahead" -> hour;
                        case "contents" -> ((Stream<?>) method.invoke(store, arguments)).map(one -> {
                            Stored<?> stored = (Stored<?>) one;
                            return stored.expiresAt() == Store.NEVER
                                    ? stored
                                    : new Stored<>(stored.id(), stored.tuple(), stored.expiresAt() + hour);
                        });
                        default -> method.invoke(store, arguments);
                    });
        }, options)) {
            space.write(new Circle("leased", 1), Duration.ofMinutes(1));
            space.write(new Circle("lasting", 1));
            assertThat(space.store(file, SpaceFixture.CIRCLES)).isEqualTo(2);
        }
        try (TupleSpace space = TupleSpaces.memory(options)) {
            assertThat(space.load(file)).isEqualTo(2);
            clock.pass(Duration.ofSeconds(50));
            assertThat(space.count(SpaceFixture.CIRCLES)).isEqualTo(2);
            clock.pass(Duration.ofSeconds(20));
            assertThat(space.contents(SpaceFixture.CIRCLES)).containsExactly(new Circle("lasting", 1));
        }
    }

    @Test
    void aWaiterThatArrivesWhileTheSpaceClosesDoesNotWaitForEver() {
        Space[] opened = new Space[1];
        List<CompletableFuture<?>> late = new ArrayList<>();
        Space space = Space.over(listener -> {
            Store store = new MemoryStore(SpaceOptions.defaults().store(), listener);
            return (Store) Proxy.newProxyInstance(Store.class.getClassLoader(), new Class<?>[]{Store.class},
                    (proxy, method, arguments) -> {
                        if (method.getName().equals("close")) {
                            // The waiters have been notified, and the store is still open.
                            late.add(opened[0].takeAsync(SpaceFixture.CIRCLES, Lease.FOREVER));
                        }
                        return method.invoke(store, arguments);
                    });
        }, SpaceOptions.defaults());
        opened[0] = space;
        space.close();
        assertThat(late).singleElement().satisfies(waiter -> assertThat(waiter).failsWithin(SpaceFixture.LONG));
    }
}
