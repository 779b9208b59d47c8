// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.partition.gate.Deaf;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.store.StoreProviders;
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
