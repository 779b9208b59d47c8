// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import org.treehaul.tuplespace.partition.Control.Layout;
import org.treehaul.tuplespace.partition.Control.Receiving;
import org.treehaul.tuplespace.partition.Control.State;
import org.treehaul.tuplespace.partition.Control.Turn;
import org.treehaul.tuplespace.partition.gate.Gate;
import org.treehaul.tuplespace.store.Attempt;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.StandInClasses;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.tuple.Template;

/**
 * One split: copies half of a partition to a new one, and then, in one step of the old store, deletes there what was
 * copied and publishes the new partition in the state of the old one. This step decides: before it, no operation asks
 * the new partition, and the next split removes its content; after it, only the layout has to note the new partition.
 * <p>
 * A transaction reads what is copied, so that no other takes it, and holds the {@link Turn}, so that there is one split
 * of a partition at a time. If this process dies, its lease ends. It ends before the last step, which takes the
 * {@link State}: that shows that no transaction uses the partition, and no other can change the store until it is done.
 * A process that was stopped for longer than the lease cannot do harm any more: it fills the new partition and
 * completes the split only while that has its turn.
 */
final class Split {
    private static final long LEASE = Duration.ofSeconds(30).toMillis();
    /**
     * Tuples that a store certainly reads in a millisecond: it marks all that move in one step, in which the lease
     * cannot be renewed.
     */
    private static final long SPEED = 20;
    private static final long INTERVAL = TimeUnit.MILLISECONDS.toNanos(5);
    /** Most rounds of copying while others write; the rest is copied while they wait. */
    private static final int ROUNDS = 5;
    /** So few tuples may be left for the time in which writers wait. */
    private static final int FEW = 100;
    private static final Template<Turn> TURNS = Template.of(Turn.class);
    private static final Template<Receiving> RECEIVING = Template.of(Receiving.class);
    private static final Template<Record> ALL = Template.of(Record.class);

    private final Router router;
    private final StoreOptions options;
    private final BooleanSupplier isStopped;
    private final Partition from;
    /** Whether the transaction that read the tuples has ended, for the last step. */
    private boolean isReleased;
    /** The end of the lease of that transaction. */
    private long expiresAt;
    /** When the copies whose leases had ended were removed. */
    private long sweptAt;
    /** Whether the last step is done, so that the space has the new partition. */
    private boolean isPublished;

    /** A split with all that it has found out. */
    private record Plan(State state, int depth, Partition to, Turn turn, long part, SplitCopy copy) {}

    /**
     * Prepares a split.
     *
     * @param isStopped returns whether the space is being closed, so that the split has to end
     */
    Split(Router router, StoreOptions options, BooleanSupplier isStopped, int partition) {
        this.router = router;
        this.options = options;
        this.isStopped = isStopped;
        if (!router.map().has(partition)) {
            throw new SpaceException(Reason.ABSENT,
                    "there is no partition " + partition + "; the partitions are " + router.map().all());
        }
        from = router.partition(partition);
    }

    /** Returns the number of the new partition. */
    int run(Gate gate) {
        try {
            return from.naming(() -> split(gate));
        } catch (SpaceException e) {
            if (e.reason() != Reason.FULL || isPublished) {
                throw e;
            }
            throw new SpaceException(
                    Reason.FULL, "partition " + from.number
                            + " was not split, and is as before; split it again when there is room: " + e.getMessage(),
                    e);
        }
    }

    private int split(Gate gate) {
        Turn turn = nextTurn();
        // Before the lease begins: a store may take longer than that to count.
        long marking = Partition.count(from.store) / SPEED;
        expiresAt = end();
        long part = from.store.begin(expiresAt);
        boolean isDone = false;
        Partition to = null;
        try {
            if (!(from.store.attempt(TURNS.equal("turn", turn.turn()), true, part) instanceof Attempt.Hit)) {
                throw busy();
            }
            State state = router.await(from, Store.NONE);
            PartitionMap map = router.map();
            to = target(map);
            receive(to, turn, map, state);
            try (SplitCopy copy = new SplitCopy(from, to.store, receiving(turn))) {
                Plan plan = new Plan(state, map.depth(from.number), to, turn, part, copy);
                int copied = Integer.MAX_VALUE;
                for (int round = 0; round < ROUNDS && copied > FEW; round++) {
                    renewUntil(part, end() + marking);
                    copied = copy(plan, part, () -> renew(part));
                }
                finish(gate, plan);
            }
            isDone = true;
        } finally {
            if (!isDone) {
                abort(gate, part);
            }
        }
        note(to.number);
        router.epochs.changed(from);
        router.epochs.changed(to);
        Places.clean(from, router);
        return to.number;
    }

    private long end() {
        return options.clock().millis() + LEASE;
    }

    /** Called often; renews the lease only if it is time for that, because each renewal is a commit. */
    private void renew(long part) {
        if (isStopped.getAsBoolean()) {
            throw new SpaceException(Reason.CLOSED, "the space is closed");
        }
        long left = expiresAt - options.clock().millis();
        if (!isReleased && (left < LEASE * 2 / 3 || left > LEASE)) {
            renewUntil(part, end());
        }
    }

    private void renewUntil(long part, long end) {
        expiresAt = end;
        if (!from.store.renewTransaction(part, end)) {
            throw busy();
        }
    }

    private SpaceException busy() {
        return new SpaceException(Reason.BUSY, "partition " + from.number
                + " was not split: another process splits it, or transactions use it; try again later");
    }

    private Turn nextTurn() {
        return Alone.in(from.store, alone -> switch (from.store.attempt(TURNS, true, alone)) {
            case Attempt.Hit<Turn>(Turn last) -> {
                Turn next = new Turn(from.number, last.turn() + 1);
                from.store.write(List.of(next), Store.NEVER, alone);
                yield next;
            }
            case Attempt.Held<Turn>() -> throw busy();
            case Attempt.Miss<Turn>() -> throw from.missing();
        });
    }

    private Partition target(PartitionMap map) {
        int number = map.next(from.number);
        if (number >= router.partitions().size()) {
            throw new SpaceException(Reason.ABSENT,
                    "partition " + from.number + " cannot be split: that needs the store of" + " partition " + number
                            + ", and "
                            + (number < PartitionMap.MOST
                                    ? "only " + router.partitions().size() + " stores are given; add stores"
                                    : "a space has at most " + PartitionMap.MOST));
        }
        return router.partitions().get(number);
    }

    private static Template<Receiving> receiving(Turn turn) {
        return RECEIVING.equal("turn", turn.turn());
    }

    /** Empties the new partition, unless a later split fills it. */
    private void receive(Partition to, Turn turn, PartitionMap map, State state) {
        Store store = to.store;
        to.moving(() -> Alone.in(store, alone -> {
            requireUnused(to, state, alone);
            switch (store.attempt(RECEIVING, true, alone)) {
                case Attempt.Hit<Receiving>(Receiving before) -> {
                    if (before.turn() >= turn.turn()) {
                        throw busy();
                    }
                }
                case Attempt.Held<Receiving>() -> throw busy();
                case Attempt.Miss<Receiving>() -> to.requireEmpty(state.space(), alone);
            }
            store.remove(ALL, alone);
            store.remove(Template.of(State.class), alone);
            store.remove(TURNS, alone);
            store.write(List.of(new Receiving(to.number, turn.turn()),
                    new State(state.space(), to.number, map.with(1L << to.number).active()), new Turn(to.number, 0)),
                    Store.NEVER, alone);
            to.requireUnshared(RECEIVING, alone);
            return true;
        }));
    }

    /** Throws DAMAGED if the new partition has tuples that no operation on the old one can have put there. */
    private void requireUnused(Partition to, State state, long alone) {
        if (to.store.attempt(Partition.STATES, false, alone) instanceof Attempt.Hit<State>(State other)
                && !other.space().equals(state.space())) {
            throw new SpaceException(Reason.DAMAGED, to + " contains partition " + other.number()
                    + " of another space; if " + from + " was made anew because its disk was missing, restore that");
        }
        if (Epochs.isInUse(to, alone)) {
            throw new SpaceException(Reason.DAMAGED, to + " has been in use: " + from
                    + " was restored from a backup that is older than its split; restore a newer one");
        }
    }

    /** Copies what is not copied yet, as seen by a transaction of the old store. */
    private int copy(Plan plan, long transaction, Runnable each) {
        Optional<Template<Record>> moved = router.keys.withBit(plan.depth());
        if (moved.isEmpty()) {
            return 0;
        }
        int[] copied = {0};
        plan.to().moving(() -> copied[0] = plan.copy().run(moved.get(), transaction, options.clock().millis(), each));
        return copied[0];
    }

    /** Waits until no transaction uses the partition, then completes the split without other changes. */
    private void finish(Gate gate, Plan plan) {
        long began = System.nanoTime();
        while (!gate.exclusively(() -> {
            if (!isReleased) {
                if (!isIdle()) {
                    return false;
                }
                isReleased = true;
                from.moving(() -> from.store.abort(plan.part()));
            }
            return complete(gate, plan);
        })) {
            if (System.nanoTime() - began > options.patience().toNanos()) {
                throw busy();
            }
            renew(plan.part());
            LockSupport.parkNanos(INTERVAL);
        }
    }

    /** Returns whether no transaction uses the partition at the moment. */
    private boolean isIdle() {
        long alone = from.store.beginAlone();
        try {
            return takesState(alone);
        } finally {
            from.store.abort(alone);
        }
    }

    private boolean takesState(long alone) {
        return from.store.attempt(Partition.STATES, true, alone) instanceof Attempt.Hit;
    }

    private boolean complete(Gate gate, Plan plan) {
        from.moving(() -> {
            long alone = from.store.beginAlone();
            try {
                isPublished = change(plan, alone) && from.store.commit(alone);
            } finally {
                if (!isPublished) {
                    from.store.abort(alone);
                }
            }
        });
        // Tuples that were held can be taken now, here or elsewhere.
        gate.pending().addElsewhere();
        if (isPublished) {
            router.look(from);
            reportEnded(plan);
        }
        return isPublished;
    }

    /** Reports the tuples whose leases ended in the last step, while neither store did. */
    private void reportEnded(Plan plan) {
        boolean[] hasEnded = {false};
        plan.to().moving(() -> hasEnded[0] = plan.copy().restoreEnded(sweptAt));
        if (hasEnded[0]) {
            // The registrations know the classes of this program, not those that a split takes in their place.
            StandInClasses.outside(() -> plan.to().store.sweep());
        }
    }

    /** Makes the changes of the last step; returns false if a transaction uses the partition after all. */
    private boolean change(Plan plan, long alone) {
        if (!(from.store.attempt(TURNS.equal("turn", plan.turn().turn()), true, alone) instanceof Attempt.Hit)) {
            throw busy();
        }
        if (!takesState(alone)) {
            return false;
        }
        if (!StandInClasses.fit(from.store)) {
            throw new SpaceException(Reason.BUSY, "partition " + from.number + " was not split: a program has added a"
                    + " record class, or components of one, in the meantime; try again");
        }
        // No other changes the store, so that what can be read is what is there.
        copy(plan, Store.NONE, () -> {
        });
        Optional<Template<Record>> moved = router.keys.withBit(plan.depth());
        if (moved.isPresent() && !plan.copy().isAllTaken(moved.get(), alone)) {
            throw busy();
        }
        // Copies whose leases have ended are not to end a second time, with events.
        plan.to().moving(plan.to().store::sweep);
        sweptAt = options.clock().millis();
        plan.copy().notePlaces(plan.to().number, alone);
        State after = new State(plan.state().space(), from.number, router.map().with(1L << plan.to().number).active());
        from.store.write(List.of(after, plan.turn()), Store.NEVER, alone);
        return true;
    }

    private void abort(Gate gate, long part) {
        try {
            gate.exclusively(() -> {
                from.moving(() -> from.store.abort(part));
                gate.pending().addElsewhere();
                return true;
            });
        } catch (SpaceException closed) {
            // The lease of the transaction ends by itself.
        }
    }

    /** Adds a partition to the layout. */
    private void note(int number) {
        Store first = router.partition(0).store;
        router.partition(0).naming(() -> Alone.in(first, alone -> {
            if (first.attempt(Router.LAYOUTS, true, alone) instanceof Attempt.Hit<Layout>(Layout layout)) {
                first.write(List.of(new Layout(layout.space(), layout.active() | 1L << number)), Store.NEVER, alone);
            }
            return true;
        }));
    }
}
