// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import org.treehaul.tuplespace.partition.Control.State;
import org.treehaul.tuplespace.store.Attempt;
import org.treehaul.tuplespace.store.Change;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.tuple.ControlTuple;
import org.treehaul.tuplespace.tuple.Template;

/** One store of several, with its number, and the listener that collects its changes. */
final class Partition {
    private static final Template<State> STATES = Template.of(State.class);

    final int number;
    final Store store;
    private final StoreListener listener;
    private final PendingChanges pending;
    /** The transactions of the whole, by those of this store that belong to them. */
    private final Map<Long, Long> wholes = new ConcurrentHashMap<>();
    /** Whether tuples are being moved, so that nothing happens from the view of a user. */
    private volatile boolean isMoving;

    Partition(int number, Function<StoreListener, Store> opener, StoreListener listener, PendingChanges pending) {
        this.number = number;
        this.listener = listener;
        this.pending = pending;
        store = opener.apply(new Collector());
    }

    /** Returns whether the partition can be used, and its state, as seen by a transaction of this store. */
    Attempt<State> state(long transaction) {
        return store.attempt(STATES, false, transaction);
    }

    /** Takes the state in a transaction of this store; returns false while others use the partition. */
    boolean takeState(long transaction) {
        return store.attempt(STATES, true, transaction) instanceof Attempt.Hit;
    }

    /** Returns the template of the state in which no split is unknown to a map. */
    Template<State> stateKnownTo(PartitionMap map) {
        // A state that names more partitions than the map, but none that split off from this one, is as good.
        long children = PartitionMap.children(number);
        long known = map.active() & children;
        return STATES.test("active", "without an unknown split", value -> ((Long) value & children) == known);
    }

    SpaceException missing() {
        return new SpaceException(SpaceException.Reason.DAMAGED, "the store of partition " + number
                + " does not contain this partition: it is another store, or was emptied; restore it, and use 'check'");
    }

    /** Throws DAMAGED if the store has tuples, before it is used for a new partition. */
    void requireEmpty() {
        if (!(store.attempt(Template.of(Record.class), false, Store.NONE) instanceof Attempt.Miss)) {
            throw new SpaceException(SpaceException.Reason.DAMAGED, "the store of partition " + number
                    + " contains tuples of another space: use an empty one, and give the stores in their order");
        }
    }

    /** Begins a transaction of this store as a part of one of the whole. */
    long begin(long whole, long expiresAt) {
        long part = store.begin(expiresAt);
        wholes.put(part, whole);
        return part;
    }

    boolean end(long part, boolean isCommit) {
        boolean wasLive = isCommit ? store.commit(part) : store.abort(part);
        wholes.remove(part);
        return wasLive;
    }

    /**
     * Runs work whose changes are not events; no other thread of this process may change the store at the same time.
     */
    void moving(Runnable work) {
        isMoving = true;
        try {
            work.run();
        } finally {
            isMoving = false;
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
            List<Change> own = isMoving
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
