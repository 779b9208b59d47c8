// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Stream;

import org.treehaul.tuplespace.store.Change;
import org.treehaul.tuplespace.store.Inspection;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.store.StoreProvider;
import org.treehaul.tuplespace.store.StoreProviders;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.tuple.Template;

/** Opens spaces over several stores: {@code partitions:FILE}, where the file lists the stores. */
public final class PartitionProvider implements StoreProvider {
    /** Opens one of the stores. */
    private interface Opener {
        Store open(StoreProvider provider, SpaceUri uri, StoreListener listener);
    }

    @Override
    public boolean accepts(SpaceUri uri) {
        return uri.scheme().equals(SpaceUri.PARTITIONS);
    }

    @Override
    public boolean exists(SpaceUri uri) {
        if (!Files.exists(uri.path())) {
            return false;
        }
        SpaceUri first = PartitionFile.read(uri.path()).stores().getFirst();
        return StoreProviders.of(first).exists(first);
    }

    @Override
    public Store open(SpaceUri uri, StoreOptions options, StoreListener listener) {
        return open(uri, options, listener, false,
                (provider, one, collector) -> provider.open(one, options, collector));
    }

    @Override
    public Store openToRead(SpaceUri uri, StoreOptions options, StoreListener listener) {
        return open(uri, options, listener, true,
                (provider, one, collector) -> provider.openToRead(one, options, collector));
    }

    private static PartitionedStore open(SpaceUri uri, StoreOptions options, StoreListener listener, boolean isToRead,
            Opener opener) {
        PartitionFile file = PartitionFile.read(uri.path());
        List<Function<StoreListener, Store>> stores = new ArrayList<>();
        for (SpaceUri one : file.stores()) {
            StoreProvider provider = StoreProviders.of(one);
            stores.add(collector -> opener.open(provider, one, collector));
        }
        return PartitionedStore.open(stores, file.options(), options, listener, isToRead);
    }

    @Override
    public long bytes(SpaceUri uri) {
        return PartitionFile.read(uri.path())
                .stores()
                .stream()
                .mapToLong(one -> StoreProviders.of(one).bytes(one))
                .sum();
    }

    /** Checks each store, then that each partition is there and has the tuples that belong to it. */
    @Override
    public Inspection check(SpaceUri uri) {
        List<String> problems = new ArrayList<>();
        long tuples = 0;
        long unchecked = 0;
        List<SpaceUri> stores = PartitionFile.read(uri.path()).stores();
        for (int number = 0; number < stores.size(); number++) {
            SpaceUri one = stores.get(number);
            try {
                Inspection own = StoreProviders.of(one).check(one);
                tuples += own.tuples();
                unchecked += own.unchecked();
                for (String problem : own.problems()) {
                    problems.add("partition " + number + ", " + one + ": " + problem);
                }
            } catch (SpaceException e) {
                problems.add("partition " + number + ", " + one + ": " + e.getMessage());
            }
        }
        if (problems.isEmpty()) {
            try (PartitionedStore store = open(uri, StoreOptions.defaults(), new Deaf(), true,
                    (provider, one, collector) -> provider.openToRead(one, StoreOptions.defaults(), collector))) {
                problems.addAll(store.misplaced());
            } catch (SpaceException e) {
                problems.add(String.valueOf(e.getMessage()));
            }
        }
        return new Inspection(tuples, unchecked, problems);
    }

    /** Returns the number of tuples of a partition that belong to another one. */
    static long misplaced(Partition partition, Router router) {
        AtomicLong misplaced = new AtomicLong();
        try (Stream<Stored<Record>> all = partition.store.contents(Template.of(Record.class), Optional.empty(),
                Long.MAX_VALUE, Store.NONE)) {
            all.forEach(stored -> {
                if (router.map().of(router.keys.hash(stored.tuple())) != partition.number) {
                    misplaced.incrementAndGet();
                }
            });
        }
        return misplaced.get();
    }

    /** Wants no changes. */
    private static final class Deaf implements StoreListener {

        @Override
        public boolean isInterested() {
            return false;
        }

        @Override
        public boolean isInterestedIn(long transaction) {
            return false;
        }

        @Override
        public boolean wantsEvents() {
            return false;
        }

        @Override
        public boolean hasRoom() {
            return true;
        }

        @Override
        public void changed(List<Change> changes) {
            // There are no waiters.
        }

        @Override
        public void changedElsewhere() {
            // There are no waiters.
        }

        @Override
        public void lost() {
            // There are no waiters.
        }
    }
}
