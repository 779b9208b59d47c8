// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.treehaul.tuplespace.partition.gate.AloneLease;
import org.treehaul.tuplespace.partition.gate.Gate;
import org.treehaul.tuplespace.store.Attempt;
import org.treehaul.tuplespace.store.Owned;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.StandInClasses;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.ControlTuple;
import org.treehaul.tuplespace.tuple.Group;
import org.treehaul.tuplespace.tuple.Order;
import org.treehaul.tuplespace.tuple.Template;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * Stores tuples in several stores, by the hash of one component. A template that fixes this component needs one of
 * them; others ask all active partitions.
 * <p>
 * Differences from a single store: contents, counts and groups over several partitions are not of one moment if other
 * processes change them; the order of writing holds within a partition; ordered contents with a limit lock up to that
 * many tuples of each partition; and {@link #beginAlone} keeps only the threads of this process out, and after the
 * death of the process its changes are undone when a lease of a minute ends.
 */
public final class PartitionedStore implements Store {
    /** Tuples that a store certainly removes in a millisecond. */
    private static final long REMOVED = 2;

    private final StoreOptions options;
    private final boolean isToRead;
    private final Gate gate;
    private final Router router;
    private final Joints joints;
    private final JointCommit commit;
    private final Reads reads;
    private final Takes takes;
    private final Leased leased;

    private final Overflow overflow;
    private final AloneLease alone;

    private PartitionedStore(StoreOptions options, Gate gate, Router router, long limit, boolean isToRead) {
        this.options = options;
        this.isToRead = isToRead;
        this.gate = gate;
        this.router = router;
        ReentrantReadWriteLock visible = new ReentrantReadWriteLock();
        commit = new JointCommit(router, options.clock(), visible.writeLock());
        joints = new Joints(router, commit, options.clock());
        reads = new Reads(router, joints, visible.readLock());
        takes = new Takes(router, joints, visible.readLock());
        leased = new Leased(router);
        overflow = new Overflow(limit, this::count, this::split);
        alone = new AloneLease(Duration.ofMillis(Joints.LEASE / 3), this::keepAlone);
    }

    /**
     * Opens a store over several; makes a new one if the first has none.
     *
     * @param openers open the stores; partition n is in the store of the n-th, from 1 to 64
     * @throws SpaceException DAMAGED if a store does not contain its partition
     */
    public static PartitionedStore open(List<Function<StoreListener, Store>> openers, PartitionOptions partitions,
            StoreOptions options, StoreListener listener) {
        return open(openers.stream().map(Partition.Source::of).toList(), partitions, options, listener, Use.CHANGE);
    }

    /** The purposes for which a store is opened. */
    enum Use {
        CHANGE,
        READ,
        /** Also one of which a part was restored from an old backup. */
        ACCEPT
    }

    static PartitionedStore open(List<Partition.Source> sources, PartitionOptions partitions, StoreOptions options,
            StoreListener listener, Use use) {
        if (sources.isEmpty() || sources.size() > PartitionMap.MOST) {
            throw new IllegalArgumentException(sources.size() + " stores; from 1 to " + PartitionMap.MOST);
        }
        Gate gate = new Gate(listener);
        List<Partition> opened = new ArrayList<>();
        boolean isDone = false;
        try {
            Founding.requireFirst(sources, use == Use.READ);
            for (Partition.Source source : sources) {
                // Else the first store would make an empty one where a disk is not mounted.
                if (!opened.isEmpty() && Founding.isActive(opened.getFirst().store, opened.size())
                        && !source.isThere().getAsBoolean()) {
                    throw new SpaceException(SpaceException.Reason.ABSENT, "the store of partition " + opened.size()
                            + ", " + source.name() + ", is missing: is its disk mounted, or its server the right one?");
                }
                opened.add(new Partition(opened.size(), source, listener, gate.pending()));
            }
            Founding founding = new Founding(opened, partitions);
            PartitionMap map = founding.map();
            Epochs epochs = new Epochs(opened, options.clock());
            if (use != Use.ACCEPT && !epochs.problems(map).isEmpty()) {
                // Another process may have split a partition since the map was read.
                map = founding.map();
                epochs.problems(map).stream().findFirst().ifPresent(problem -> {
                    throw new SpaceException(SpaceException.Reason.DAMAGED, problem);
                });
            }
            Keys keys = new Keys(opened.getFirst().store, partitions);
            Router router = new Router(opened, keys, epochs, options.patience(), map);
            PartitionedStore store = new PartitionedStore(options, gate, router, partitions.limit(), use == Use.READ);
            store.recover();
            isDone = true;
            return store;
        } finally {
            if (!isDone) {
                opened.forEach(partition -> partition.store.close());
            }
        }
    }

    /** Returns the numbers of the active partitions that are known here, in ascending order. */
    public List<Integer> active() {
        return router.map().all();
    }

    /**
     * Splits a partition: moves the tuples with the next bit of their hashes to a new one, and returns its number.
     * Others may read and write during the split; tuples that move can be read, but not taken, until it is complete.
     * They move as they are stored, so this program need not have their record classes.
     *
     * @throws SpaceException ABSENT if there is no store for the new partition; BUSY if transactions use the partition
     *         for too long, or another process splits it; FULL if the disk of either is full. The partition is then as
     *         before
     */
    public int split(int partition) {
        gate.change(NONE, () -> true);
        return asStored(() -> new Split(router, options, overflow::isStopped, partition).run(gate));
    }

    /** Accepts stores that were restored from backups of different age. */
    void acceptOld() {
        router.epochs.accept(router.map());
    }

    private <R> R asStored(Supplier<R> work) {
        return StandInClasses.of(router.partitions().stream().map(partition -> partition.store).toList(), work);
    }

    /** Returns the number of tuples of a partition that can be read. */
    long count(int partition) {
        return Partition.count(router.partition(partition).store);
    }

    /** Returns whether there is a store for the next split of an active partition. */
    boolean canSplit(int partition) {
        return router.map().next(partition) < router.partitions().size();
    }

    /** Removes the former places of tuples that have left a partition and are gone. */
    void clean(int partition) {
        Places.clean(router.partition(partition), router);
    }

    private void recover() {
        if (!isToRead) {
            commit.recover();
        }
    }

    /** Returns the number of tuples that are not those of users. */
    long controlTuples() {
        long count = 0;
        for (Partition partition : router.partitions()) {
            for (Class<? extends ControlTuple> type : Control.ALL) {
                count += Partition.count(partition.store, Template.of(type));
            }
        }
        return count;
    }

    /** Returns a problem for each partition with tuples that belong to others. */
    List<String> misplaced() {
        List<String> problems = new ArrayList<>();
        for (int number : active()) {
            long misplaced = asStored(() -> PartitionProvider.misplaced(router.partition(number), router));
            if (misplaced > 0) {
                problems.add("partition " + number + ": " + misplaced + " tuples belong to other partitions");
            }
        }
        return problems;
    }

    @Override
    public <R> R exclusively(Supplier<R> work) {
        return gate.exclusively(work);
    }

    private Joint joint(long transaction) {
        Joint joint = joints.get(transaction);
        if (gate.isAlone(transaction)) {
            joints.keep(joint.id, 0);
        }
        return joint;
    }

    /** Makes a change of several partitions in a transaction of its own. */
    private <R> R jointly(Function<Joint, R> work) {
        Joint joint = joints.begin();
        boolean isDone = false;
        try {
            R result = work.apply(joint);
            isDone = joints.end(joint.id, true);
            if (!isDone) {
                throw new SpaceException(SpaceException.Reason.BUSY, "the change took too long and was undone");
            }
            return result;
        } finally {
            if (!isDone) {
                joints.end(joint.id, false);
            }
        }
    }

    @Override
    public long[] write(List<? extends Record> tuples, long[] expiresAt, long transaction) {
        tuples.forEach(tuple -> TupleType.of(tuple).check(tuple));
        return gate.change(transaction, () -> {
            if (transaction != NONE) {
                return writeIn(joint(transaction), tuples, expiresAt);
            }
            while (true) {
                PartitionMap map = router.map();
                List<Partition> places = places(tuples, map);
                if (places.isEmpty()) {
                    return new long[0];
                }
                Partition only = places.getFirst();
                if (places.stream().anyMatch(place -> place != only)) {
                    return jointly(joint -> writeIn(joint, tuples, expiresAt));
                }
                Optional<long[]> ids = only
                        .naming(() -> only.store.writeWhile(only.stateKnownTo(map), tuples, expiresAt));
                if (ids.isPresent()) {
                    router.epochs.changed(only);
                    overflow.wrote(only.number, tuples.size());
                    return Ids.of(only.number, ids.get());
                }
                router.await(only, NONE);
            }
        });
    }

    private List<Partition> places(List<? extends Record> tuples, PartitionMap map) {
        return tuples.stream().map(tuple -> router.partition(map.of(router.keys.hash(tuple)))).toList();
    }

    private long[] writeIn(Joint joint, List<? extends Record> tuples, long[] expiresAt) {
        List<Partition> places;
        PartitionMap map;
        do {
            map = router.map();
            places = places(tuples, map);
            // A partition that has a part in the transaction is not split any more.
            places.forEach(place -> joints.part(joint, place));
        } while (map.active() != router.map().active());
        Map<Integer, List<Integer>> indexes = new TreeMap<>();
        for (int i = 0; i < places.size(); i++) {
            indexes.computeIfAbsent(places.get(i).number, none -> new ArrayList<>()).add(i);
        }
        long[] ids = new long[places.size()];
        List<Long> written = new ArrayList<>();
        boolean isDone = false;
        try {
            indexes.forEach((number, some) -> {
                Partition partition = router.partition(number);
                joints.changed(joint, partition);
                overflow.wrote(number, some.size());
                long part = joints.part(joint, partition);
                long[] own = partition.naming(() -> partition.store.write(some.stream().map(tuples::get).toList(),
                        some.stream().mapToLong(i -> expiresAt[i]).toArray(), part));
                for (int i = 0; i < own.length; i++) {
                    ids[some.get(i)] = Ids.of(number, own[i]);
                    written.add(ids[some.get(i)]);
                }
            });
            isDone = true;
        } finally {
            if (!isDone) {
                written.forEach(id -> router.partition(Ids.partition(id)).store.cancel(Ids.own(id)));
            }
        }
        return ids;
    }

    @Override
    public <T> Attempt<T> attempt(Template<T> template, boolean isTake, long transaction) {
        if (!isTake && transaction == NONE) {
            return takes.attempt(template, false, Optional.empty());
        }
        return gate.change(transaction, () -> takes.attempt(template, isTake, of(transaction)));
    }

    private Optional<Joint> of(long transaction) {
        return transaction == NONE ? Optional.empty() : Optional.of(joint(transaction));
    }

    @Override
    public <T> List<T> takeAll(Template<T> template, int max, long transaction) {
        return takeOwned(template, max, transaction).stream().map(Owned::tuple).toList();
    }

    @Override
    public <T> List<Owned<T>> takeOwned(Template<T> template, int max, long transaction) {
        return gate.change(transaction, () -> takes.takeOwned(template, max, of(transaction)));
    }

    @Override
    public long remove(Template<?> template, long transaction) {
        return gate.change(transaction,
                () -> transaction == NONE
                        ? jointly(joint -> remove(template, joint, true))
                        : remove(template, joint(transaction), gate.isAlone(transaction)));
    }

    private long remove(Template<?> template, Joint joint, boolean isKept) {
        return takes.remove(template, joint, partition -> {
            if (isKept) {
                // In the one step of the store, the lease cannot be renewed.
                joints.keep(joint.id, Partition.count(partition.store, template) / REMOVED);
            }
        });
    }

    @Override
    public <T> Stream<Stored<T>> contents(Template<T> template, Optional<Order> order, long limit, long transaction) {
        return transaction == NONE
                ? reads.contents(template, order, limit, Optional.empty())
                : gate.change(transaction,
                        () -> reads.contents(template, order, limit, Optional.of(joint(transaction))));
    }

    @Override
    public List<Group> aggregate(Template<?> template, List<String> by, List<Aggregate> aggregates, long transaction) {
        return transaction == NONE
                ? reads.aggregate(template, by, aggregates, Optional.empty())
                : gate.change(transaction,
                        () -> reads.aggregate(template, by, aggregates, Optional.of(joint(transaction))));
    }

    @Override
    public void aggregateInParts(Template<?> template, List<String> by, List<Aggregate> aggregates, long transaction,
            long bytes, Consumer<? super Group> action) {
        if (transaction == NONE && isToRead) {
            reads.aggregateInPartsUnlessSplit(template, by, aggregates, bytes, action);
        } else if (transaction == NONE) {
            // In a transaction, because groups that were passed on cannot be taken back after a split.
            jointly(joint -> {
                reads.aggregateInParts(template, by, aggregates, joint, bytes, group -> {
                    joints.keep(joint.id, 0);
                    action.accept(group);
                });
                return true;
            });
        } else {
            reads.aggregateInParts(template, by, aggregates, joint(transaction), bytes, action);
        }
    }

    @Override
    public boolean renew(long tuple, long expiresAt) {
        return gate.change(NONE, () -> leased.renew(tuple, expiresAt));
    }

    @Override
    public boolean cancel(long tuple) {
        return gate.change(NONE, () -> leased.cancel(tuple));
    }

    @Override
    public long begin(long expiresAt) {
        return gate.change(NONE, () -> joints.begin(expiresAt).id);
    }

    @Override
    public long beginAlone() {
        long begun = gate.enter(() -> joints.begin().id);
        alone.start();
        return begun;
    }

    @Override
    public boolean renewTransaction(long transaction, long expiresAt) {
        return gate.isAlone(transaction) || gate.change(transaction, () -> joints.renew(transaction, expiresAt));
    }

    @Override
    public boolean commit(long transaction) {
        return end(transaction, true);
    }

    @Override
    public boolean abort(long transaction) {
        return end(transaction, false);
    }

    private boolean end(long transaction, boolean isCommit) {
        if (!gate.isAlone(transaction)) {
            return gate.change(transaction, () -> joints.end(transaction, isCommit));
        }
        try {
            return joints.end(transaction, isCommit);
        } finally {
            gate.leave();
        }
    }

    private void keepAlone() {
        long transaction = gate.alone();
        if (transaction != NONE) {
            joints.keep(transaction, 0);
        }
    }

    @Override
    public long sweep() {
        long now = options.clock().millis();
        keepAlone();
        return gate.changeOr(now + Joints.LEASE / 10, () -> {
            long next = joints.endDue();
            recover();
            for (int partition : router.map().all()) {
                next = Math.min(next, router.partition(partition).store.sweep());
            }
            return next;
        });
    }

    @Override
    public void interestChanged() {
        gate.exclusively(() -> {
            gate.interestChanged();
            for (Partition partition : router.partitions()) {
                partition.store.exclusively(() -> {
                    partition.store.interestChanged();
                    return true;
                });
            }
            return true;
        });
    }

    @Override
    public void close() {
        overflow.stop();
        alone.close();
        if (!gate.isOwn()) {
            // Else the thread of the splits may wait for this one; it ends when the stores are closed.
            overflow.close();
        }
        gate.close(() -> {
            if (!isToRead) {
                router.epochs.close();
            }
            RuntimeException failure = null;
            for (Partition partition : router.partitions()) {
                try {
                    partition.store.close();
                } catch (RuntimeException e) {
                    failure = failure == null ? e : failure;
                }
            }
            if (failure != null) {
                throw failure;
            }
        });
    }
}
