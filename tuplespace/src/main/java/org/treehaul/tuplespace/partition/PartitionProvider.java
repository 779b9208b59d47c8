// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.treehaul.tuplespace.partition.PartitionedStore.Use;
import org.treehaul.tuplespace.partition.gate.Deaf;
import org.treehaul.tuplespace.store.BulkLoad;
import org.treehaul.tuplespace.store.Inspection;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.SpaceMembers;
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
    @Override
    public boolean accepts(SpaceUri uri) {
        return uri.scheme().equals(SpaceUri.PARTITIONS);
    }

    /** Throws ABSENT if the first store is missing while another belongs to a space. */
    @Override
    public boolean exists(SpaceUri uri) {
        if (!Files.exists(uri.path())) {
            return false;
        }
        PartitionFile file = PartitionFile.readWithoutClasses(uri.path());
        Founding.requireFirst(sources(file, StoreOptions.defaults(), Use.READ), false);
        return exists(file);
    }

    /** Returns the problem of a space whose first store is missing; empty if there is none. */
    static Optional<String> missingFirst(PartitionFile file) {
        return Founding.missingFirst(sources(file, StoreOptions.defaults(), Use.READ), false);
    }

    static boolean exists(PartitionFile file) {
        SpaceUri first = file.stores().getFirst();
        return StoreProviders.of(first).exists(first);
    }

    @Override
    public Store open(SpaceUri uri, StoreOptions options, StoreListener listener) {
        return open(PartitionFile.read(uri.path()), options, listener, Use.CHANGE);
    }

    @Override
    public Store openToRead(SpaceUri uri, StoreOptions options, StoreListener listener) {
        return open(PartitionFile.read(uri.path()), options, listener, Use.READ);
    }

    static PartitionedStore open(PartitionFile file, StoreOptions options, StoreListener listener, Use use) {
        return PartitionedStore.open(sources(file, options, use), file.options(), options, listener, use);
    }

    private static List<Partition.Source> sources(PartitionFile file, StoreOptions options, Use use) {
        List<Partition.Source> sources = new ArrayList<>();
        for (SpaceUri one : file.stores()) {
            StoreProvider provider = StoreProviders.of(one);
            sources.add(new Partition.Source(one.toString(), () -> provider.exists(one),
                    collector -> use == Use.READ
                            ? provider.openToRead(one, options, collector)
                            : provider.open(one, options, collector)));
        }
        return sources;
    }

    /** Refuses: each member would have to be one of each store, and the control tuples would belong to members. */
    @Override
    public SpaceMembers members(SpaceUri uri) {
        throw new SpaceException(Reason.UNSUPPORTED, "the tuple space " + uri + " is over several stores, which members"
                + " cannot share: create the shared space in one database, or let several users connect as one role");
    }

    @Override
    public long bytes(SpaceUri uri) {
        return PartitionFile.readWithoutClasses(uri.path())
                .stores()
                .stream()
                .mapToLong(one -> StoreProviders.of(one).bytes(one))
                .sum();
    }

    @Override
    public BulkLoad load(SpaceUri uri, StoreOptions options) {
        PartitionFile file = PartitionFile.read(uri.path());
        Founding.requireEnough(file.options(), file.stores().size());
        Founding.requireFirst(sources(file, options, Use.CHANGE), false);
        List<BulkLoad> loads = new ArrayList<>();
        boolean isDone = false;
        try {
            for (SpaceUri one : file.stores().subList(0, file.options().first())) {
                loads.add(StoreProviders.of(one).load(one, options));
            }
            // Readers make none.
            for (SpaceUri one : file.stores().subList(loads.size(), file.stores().size())) {
                StoreProviders.of(one).open(one, options, new Deaf()).close();
            }
            isDone = true;
            return new PartitionLoad(loads, file.options());
        } finally {
            if (!isDone) {
                loads.forEach(BulkLoad::close);
            }
        }
    }

    /** Checks each store, then that each partition is there and has the tuples that belong to it. */
    @Override
    public Inspection check(SpaceUri uri) {
        List<String> problems = new ArrayList<>();
        long tuples = 0;
        long unchecked = 0;
        PartitionFile file = PartitionFile.readWithoutClasses(uri.path());
        // If only the first store is missing, opening the space says so below.
        if (!exists(file) && missingFirst(file).isEmpty()) {
            throw new SpaceException(Reason.ABSENT, "there is no tuple space at " + uri);
        }
        for (int number = 0; number < file.stores().size(); number++) {
            SpaceUri one = file.stores().get(number);
            StoreProvider provider = StoreProviders.of(one);
            try {
                // A store that no partition has needed yet may be absent.
                Inspection own = provider.exists(one) ? provider.check(one) : new Inspection(0, 0, List.of());
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
            try (PartitionedStore store = open(file, StoreOptions.defaults(), new Deaf(), Use.READ)) {
                problems.addAll(store.misplaced());
                tuples -= store.controlTuples();
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
}
