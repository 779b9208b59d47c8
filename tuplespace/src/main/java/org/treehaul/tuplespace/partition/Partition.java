// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.partition.Control.State;
import org.treehaul.tuplespace.partition.gate.PendingChanges;
import org.treehaul.tuplespace.store.Attempt;
import org.treehaul.tuplespace.store.Change;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.StandInClasses;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.ControlTuple;
import org.treehaul.tuplespace.tuple.Template;

/** One store of several, with its number, and the listener that collects its changes. */
final class Partition {
    static final Template<State> STATES = Template.of(State.class);
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    /**
     * Where a store is.
     *
     * @param name its name in messages; may be empty
     * @param isThere returns whether it exists
     * @param opener opens it, and makes it if it is absent
     */
    record Source(String name, BooleanSupplier isThere, Function<StoreListener, Store> opener) {

        /** Returns the source of a store that is there. */
        static Source of(Function<StoreListener, Store> opener) {
            return new Source("", () -> true, opener);
        }
    }

    final int number;
    final Store store;
    private final String name;
    private final StoreListener listener;
    private final PendingChanges pending;
    /** The transactions of the whole, by those of this store that belong to them. */
    private final Map<Long, Long> wholes = new ConcurrentHashMap<>();
    /** The thread that moves tuples: its changes are not events, even if a store reports them. */
    private volatile @Nullable Thread mover;
    /** How far the clock of the store is ahead, and when that was asked. */
    private volatile @Nullable Clock clock;
    /** The state as it was last read. */
    private volatile @Nullable State seen;

    Partition(int number, Source source, StoreListener listener, PendingChanges pending) {
        this.number = number;
        name = "the store of partition " + number + (source.name().isEmpty() ? "" : ", " + source.name() + ",");
        this.listener = listener;
        this.pending = pending;
        store = naming(name, () -> source.opener().apply(new Collector()));
    }

    /** Returns the name for messages. */
    @Override
    public String toString() {
        return name;
    }

    /**
     * Does work with the store. If its disk is full, the exception names the partition and the remedy; work with
     * several partitions within that of one names its own.
     */
    <R> R naming(Supplier<R> work) {
        return naming(name, work);
    }

    private static <R> R naming(String name, Supplier<R> work) {
        try {
            return work.get();
        } catch (SpaceException e) {
            if (e.reason() != SpaceException.Reason.FULL || e.getCause() instanceof SpaceException) {
                throw e;
            }
            throw new SpaceException(SpaceException.Reason.FULL, name
                    + " is full: make room on its disk; other partitions can still be written (" + e.getMessage() + ")",
                    e);
        }
    }

    private record Clock(long ahead, long asked) {}

    /**
     * Returns how many milliseconds the clock of the store is ahead: the stores of a space may be on servers with
     * different clocks.
     */
    long ahead() {
        Clock known = clock;
        if (known == null || System.nanoTime() - known.asked() > MINUTE) {
            known = new Clock(store.ahead(), System.nanoTime());
            clock = known;
        }
        return known.ahead();
    }

    /** Returns whether the partition can be used, and its state, as seen by a transaction of this store. */
    Attempt<State> state(long transaction) {
        Attempt<State> state = store.attempt(STATES, false, transaction);
        if (state instanceof Attempt.Hit<State>(State found)) {
            seen = found;
        }
        return state;
    }

    /** Returns the template of the state in which no split is unknown to a map. */
    Template<State> stateKnownTo(PartitionMap map) {
        // A state that names more partitions than the map, but none that split off from this one, is as good.
        long children = PartitionMap.children(number);
        long known = map.active() & children;
        // A store finds one value without a test in Java.
        State last = seen;
        if (last == null && state(Store.NONE) instanceof Attempt.Hit<State>(State read)) {
            last = read;
        }
        return last != null && (last.active() & children) == known
                ? STATES.equal("active", last.active())
                : STATES.test("active", "without an unknown split", value -> ((Long) value & children) == known);
    }

    SpaceException missing() {
        return new SpaceException(SpaceException.Reason.DAMAGED,
                name + " does not contain this partition: it is another store, or was emptied; restore it");
    }

    /** Returns whether the store has or had tuples, or has a partition of another space, as a transaction sees it. */
    boolean isUsed(@Nullable UUID space, long transaction) {
        Attempt<Record> any = asStored(store, () -> store.attempt(Template.of(Record.class), false, transaction));
        return !(any instanceof Attempt.Miss) || Epochs.isInUse(this, transaction)
                || state(transaction) instanceof Attempt.Hit<State>(State state) && !state.space().equals(space);
    }

    /** Throws DAMAGED if the store {@link #isUsed}, before a new space makes a partition in it. */
    void requireEmpty(UUID space, long transaction) {
        if (isUsed(space, transaction)) {
            throw new SpaceException(SpaceException.Reason.DAMAGED, name
                    + " belongs to another space: use an empty one, and give the stores in"
                    + " their order; or else, if it belongs to this one, the disk of partition 0 is not mounted");
        }
    }

    /**
     * Throws DENIED if the store is one that users share: the control tuples would belong to a user.
     *
     * @param written selects what the transaction has just written
     */
    void requireUnshared(Template<? extends ControlTuple> written, long transaction) {
        try (Stream<? extends Stored<?>> some = store.contents(written, Optional.empty(), 1, transaction)) {
            if (some.anyMatch(stored -> stored.owner() != null)) {
                throw new SpaceException(SpaceException.Reason.DENIED,
                        name + " is a space that users share, which cannot"
                                + " be a partition; give a schema of its own, in which the users connect as one role");
            }
        }
    }

    /** Returns the number of tuples in a store that can be read, also of record classes that are absent here. */
    static long count(Store store) {
        return asStored(store, () -> count(store, Template.of(Record.class)));
    }

    /** Does work that may need record classes that are absent here. */
    private static <R> R asStored(Store store, Supplier<R> work) {
        try {
            return work.get();
        } catch (SpaceException e) {
            if (e.reason() != SpaceException.Reason.VERSION) {
                throw e;
            }
            return StandInClasses.of(List.of(store), work);
        }
    }

    /** Returns the number of tuples in a store that match and can be read. */
    static long count(Store store, Template<?> template) {
        return (Long) store.aggregate(template, List.of(), List.of(Aggregate.count()), Store.NONE)
                .getFirst()
                .values()
                .getFirst();
    }

    /** Begins a transaction of this store as a part of one of the whole. */
    long begin(long whole, long expiresAt) {
        long part = naming(() -> store.begin(expiresAt));
        wholes.put(part, whole);
        return part;
    }

    boolean end(long part, boolean isCommit) {
        boolean wasLive = naming(() -> isCommit ? store.commit(part) : store.abort(part));
        wholes.remove(part);
        return wasLive;
    }

    /** Runs work of this thread with the store whose changes are not events. */
    void moving(Runnable work) {
        mover = Thread.currentThread();
        try {
            naming(() -> store.quietly(() -> {
                work.run();
                return true;
            }));
        } finally {
            mover = null;
        }
    }

    private final class Collector implements StoreListener {

        @Override
        public boolean isInterested() {
            return listener.isInterested();
        }

        @Override
        public boolean isInterestedIn(long transaction) {
            Long whole = wholes.get(transaction);
            return whole != null && listener.isInterestedIn(whole);
        }

        @Override
        public boolean wantsEvents() {
            return listener.wantsEvents();
        }

        @Override
        public boolean hasRoom() {
            return pending.hasRoom();
        }

        @Override
        public void changed(List<Change> changes) {
            List<Change> own = Thread.currentThread().equals(mover)
                    ? List.of()
                    : changes.stream()
                            .filter(change -> !(change.tuple() instanceof ControlTuple))
                            .map(this::whole)
                            .toList();
            if (!own.isEmpty()) {
                pending.add(own);
            }
        }

        private Change whole(Change change) {
            return change.transaction() == Store.NONE
                    ? change
                    : new Change(change.kind(), change.tuple(),
                            wholes.getOrDefault(change.transaction(), change.transaction()));
        }

        @Override
        public void changedElsewhere() {
            pending.addElsewhere();
        }

        @Override
        public void lost() {
            pending.addLost();
        }
    }
}
