// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.treehaul.tuplespace.store.Aggregator;
import org.treehaul.tuplespace.store.Attempt;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Group;
import org.treehaul.tuplespace.tuple.Order;
import org.treehaul.tuplespace.tuple.Template;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * Reads many tuples of all partitions and merges them. If a partition turns out to have lost tuples to one that was
 * unknown, all is read again, so that no tuple is missing or twice. Thread-safe.
 */
final class Reads {
    private final Router router;
    private final Joints joints;
    private final Lock visible;

    Reads(Router router, Joints joints, Lock visible) {
        this.router = router;
        this.joints = joints;
        this.visible = visible;
    }

    private static void close(List<? extends Stream<?>> streams) {
        RuntimeException failure = null;
        for (Stream<?> stream : streams) {
            try {
                stream.close();
            } catch (RuntimeException e) {
                failure = failure == null ? e : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Returns the transaction of a partition in which to read it. */
    private long part(Optional<Joint> joint, Partition partition) {
        return joint.isPresent() && joints.has(joint.get(), partition)
                ? joints.part(joint.get(), partition)
                : Store.NONE;
    }

    private boolean isStill(PartitionMap map, List<Partition> asked) {
        asked.forEach(router::look);
        return map.active() == router.map().active();
    }

    <T> Stream<Stored<T>> contents(Template<T> template, Optional<Order> order, long limit, Optional<Joint> joint) {
        order.ifPresent(by -> by.check(template.type()));
        while (true) {
            PartitionMap map = router.map();
            List<Partition> asked = router.candidates(template);
            List<Stream<Stored<T>>> streams = new ArrayList<>();
            boolean isDone = false;
            visible.lock();
            try {
                long left = limit;
                for (Partition partition : asked) {
                    Stream<Stored<T>> own = stream(partition, template, order, left, joint);
                    if (joint.isPresent() && order.isEmpty() && limit < Long.MAX_VALUE) {
                        // The transaction may lock those only that it returns.
                        List<Stored<T>> some;
                        try (own) {
                            some = own.toList();
                        }
                        left -= some.size();
                        streams.add(some.stream());
                    } else {
                        streams.add(own);
                    }
                }
                isDone = isStill(map, asked);
            } finally {
                visible.unlock();
                if (!isDone) {
                    close(streams);
                }
            }
            if (isDone) {
                return merged(streams, order).limit(limit);
            }
        }
    }

    private <T> Stream<Stored<T>> stream(Partition partition, Template<T> template, Optional<Order> order, long limit,
            Optional<Joint> joint) {
        long part = part(joint, partition);
        if (joint.isPresent() && part == Store.NONE) {
            if (limit <= 0 || partition.store.attempt(template, false, Store.NONE) instanceof Attempt.Miss) {
                // Read without a part, a tuple written since would not be locked.
                return Stream.empty();
            }
            part = joints.part(joint.get(), partition);
        }
        long ahead = partition.ahead();
        return partition.store.contents(template, order, limit, part)
                .map(stored -> new Stored<>(Ids.of(partition.number, stored.id()), stored.tuple(),
                        stored.expiresAt() == Store.NEVER ? Store.NEVER : stored.expiresAt() - ahead, stored.owner()));
    }

    private static <T> Stream<Stored<T>> merged(List<Stream<Stored<T>>> streams, Optional<Order> order) {
        if (streams.size() == 1) {
            return streams.getFirst();
        }
        Stream<Stored<T>> merged = order.isEmpty()
                ? StreamSupport.stream(new Concatenation<>(streams), false)
                : StreamSupport.stream(
                        new Merge<>(streams, order.get().comparator(stored -> (Record) stored.tuple(), Stored::id)),
                        false);
        return merged.onClose(() -> close(streams));
    }

    /** Passes streams one after another; flatMap would load each into memory if it is read by an iterator. */
    private static final class Concatenation<S> extends Spliterators.AbstractSpliterator<S> {
        private final Iterator<Stream<S>> rest;
        private Spliterator<S> current = Spliterators.emptySpliterator();

        Concatenation(List<Stream<S>> streams) {
            super(Long.MAX_VALUE, Spliterator.ORDERED);
            rest = streams.iterator();
        }

        @Override
        public boolean tryAdvance(Consumer<? super S> action) {
            while (!current.tryAdvance(action)) {
                if (!rest.hasNext()) {
                    return false;
                }
                current = rest.next().spliterator();
            }
            return true;
        }
    }

    private record Head<S>(S first, Iterator<S> rest) {}

    /** Merges sorted streams. */
    private static final class Merge<S> extends Spliterators.AbstractSpliterator<S> {
        private final PriorityQueue<Head<S>> heads;

        Merge(List<Stream<S>> streams, Comparator<S> order) {
            super(Long.MAX_VALUE, Spliterator.ORDERED);
            heads = new PriorityQueue<>(Comparator.comparing(Head::first, order));
            streams.forEach(stream -> add(stream.iterator()));
        }

        private void add(Iterator<S> rest) {
            if (rest.hasNext()) {
                heads.add(new Head<>(rest.next(), rest));
            }
        }

        @Override
        public boolean tryAdvance(Consumer<? super S> action) {
            Head<S> head = heads.poll();
            if (head == null) {
                return false;
            }
            action.accept(head.first());
            add(head.rest());
            return true;
        }
    }

    List<Group> aggregate(Template<?> template, List<String> by, List<Aggregate> aggregates, Optional<Joint> joint) {
        while (true) {
            PartitionMap map = router.map();
            List<Partition> asked = router.candidates(template);
            Aggregator sums = new Aggregator(template, by, aggregates);
            visible.lock();
            try {
                for (Partition partition : asked) {
                    add(sums, template, by, aggregates, partition, part(joint, partition));
                }
            } finally {
                visible.unlock();
            }
            if (isStill(map, asked)) {
                return sums.groups();
            }
        }
    }

    private static void add(Aggregator sums, Template<?> template, List<String> by, List<Aggregate> aggregates,
            Partition partition, long part) {
        boolean isCount = by.isEmpty() && aggregates.equals(List.of(Aggregate.count()));
        if (isCount || template.type().isRecord()) {
            partition.store.aggregate(template, by, aggregates, part).forEach(sums::add);
        } else {
            // The groups do not say of which record classes they are, and so not which values are equal.
            try (Stream<? extends Stored<?>> all = partition.store.contents(template, Optional.empty(), Long.MAX_VALUE,
                    part)) {
                all.forEach(stored -> {
                    Record tuple = (Record) stored.tuple();
                    if (sums.fits(TupleType.of(tuple))) {
                        sums.add(TupleType.of(tuple), tuple);
                    }
                });
            }
        }
    }

    /** Passes groups without a transaction; throws BUSY if a partition is split in the meantime. */
    void aggregateInPartsUnlessSplit(Template<?> template, List<String> by, List<Aggregate> aggregates, long bytes,
            Consumer<? super Group> action) {
        PartitionMap map = router.map();
        List<Partition> asked = router.candidates(template);
        // Also before: a map that is old from the beginning is no reason to fail.
        while (!isStill(map, asked)) {
            map = router.map();
            asked = router.candidates(template);
        }
        for (Partition partition : asked) {
            partition.store.aggregateInParts(template, by, aggregates, Store.NONE, bytes, action);
        }
        if (!isStill(map, asked)) {
            throw new SpaceException(SpaceException.Reason.BUSY, "a partition was split during the query: try again");
        }
    }

    void aggregateInParts(Template<?> template, List<String> by, List<Aggregate> aggregates, Joint joint, long bytes,
            Consumer<? super Group> action) {
        PartitionMap map;
        do {
            map = router.map();
            // A partition that has a part in the transaction is not split any more.
            router.candidates(template).forEach(partition -> joints.part(joint, partition));
        } while (map.active() != router.map().active());
        for (Partition partition : router.candidates(template)) {
            partition.store.aggregateInParts(template, by, aggregates, joints.part(joint, partition), bytes, action);
        }
    }
}
