// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.partition.gate.Deaf;
import org.treehaul.tuplespace.store.Change;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.store.StoreProviders;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.tuple.Template;

/** A space in PostgreSQL keeps the contract of every space. */
class PostgresSpaceTest {

    private static TupleSpace openNext(SpaceOptions options) {
        return TupleSpaces.open(PostgresServer.shared().fresh(), options);
    }

    @Nested
    class Operations extends SpaceContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return openNext(options);
        }
    }

    @Nested
    class Transactions extends TransactionsContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return openNext(options);
        }
    }

    @Nested
    class Values extends ValuesContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return openNext(options);
        }
    }

    @Nested
    class Events extends EventsContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return openNext(options);
        }
    }

    @Test
    void aConditionalWriteThatIsRefusedWithinATransactionReportsNothingOfIt() {
        List<Change> heard = new ArrayList<>();
        StoreListener listener = new Deaf() {
            @Override
            public boolean isInterested() {
                return true;
            }

            @Override
            public void changed(List<Change> changes) {
                heard.addAll(changes);
            }
        };
        SpaceUri uri = PostgresServer.shared().fresh();
        try (Store store = StoreProviders.of(uri).open(uri, StoreOptions.defaults(), listener)) {
            store.write(List.of(new Job(1, "new", null)), Store.NEVER, Store.NONE);
            assertThat(heard).hasSize(1);
            long alone = store.beginAlone();
            store.write(List.of(new Job(2, "new", null)), Store.NEVER, alone);
            assertThatIllegalStateException().isThrownBy(() -> store.writeWhile(SpaceFixture.JOBS.equal("number", 1),
                    List.of(new Job(3, "new", null)), new long[]{Store.NEVER}));
            store.abort(alone);
            assertThat(heard).hasSize(1);
        }
    }

    @Test
    void aTransactionMarksWhatItReadsInPortions() throws Exception {
        PostgresServer server = PostgresServer.shared();
        SpaceUri uri = server.fresh();
        try (Store store = StoreProviders.of(uri).open(uri, StoreOptions.defaults(), new Deaf())) {
            store.write(IntStream.range(0, 2500).mapToObj(i -> new Job(i, "new", null)).toList(), Store.NEVER,
                    Store.NONE);
            Template<Job> all = SpaceFixture.JOBS.test("number", "is not 7", number -> (Long) number != 7);
            try (Stream<Stored<Job>> read = store.contents(all, Optional.empty(), Long.MAX_VALUE,
                    store.begin(Store.NEVER))) {
                assertThat(read.count()).isEqualTo(2499);
            }
            // The rows that one statement has changed have the number of that in the transaction.
            assertThat(server.number("SELECT count(DISTINCT cmin::text) FROM " + uri.address().replaceFirst(".*=", "")
                    + ".\"" + Job.class.getName() + "\" WHERE \"$readers\" IS NOT NULL")).isEqualTo(3);
        }
    }

    @Test
    void aRemovalReadsEachTupleOnce() {
        AtomicInteger tested = new AtomicInteger();
        Template<Job> even = SpaceFixture.JOBS.test("number", "is even", number -> {
            tested.incrementAndGet();
            return (Long) number % 2 == 0;
        });
        SpaceUri uri = PostgresServer.shared().fresh();
        try (Store store = StoreProviders.of(uri).open(uri, StoreOptions.defaults(), new Deaf())) {
            for (long transaction : new long[]{Store.NONE, store.begin(Store.NEVER)}) {
                store.write(IntStream.range(0, 5000).mapToObj(i -> new Job(i, "new", null)).toList(), Store.NEVER,
                        transaction);
                tested.set(0);
                assertThat(store.remove(even, transaction)).isEqualTo(2500);
                assertThat(tested.get()).isBetween(5000, 7500);
            }
        }
    }
}
