// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.treehaul.tuplespace.partition.Control.Layout;
import org.treehaul.tuplespace.partition.Control.State;
import org.treehaul.tuplespace.store.Attempt;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Finds the partition of a tuple. Its map of the active partitions may be old: the state of a partition shows whether
 * tuples have left it, and then the layout in the first store names the active partitions. Thread-safe.
 */
final class Router {
    static final Template<Layout> LAYOUTS = Template.of(Layout.class);
    /** Interval in which a split of another process is looked at, in nanoseconds. */
    private static final long INTERVAL = TimeUnit.MILLISECONDS.toNanos(2);

    final Keys keys;
    final Epochs epochs;
    private final List<Partition> partitions;
    private final Duration patience;
    /** Grows only, guarded by this for writing. */
    private volatile PartitionMap map;

    Router(List<Partition> partitions, Keys keys, Epochs epochs, Duration patience, PartitionMap map) {
        this.partitions = List.copyOf(partitions);
        this.keys = keys;
        this.epochs = epochs;
        this.patience = patience;
        this.map = map;
    }

    PartitionMap map() {
        return map;
    }

    List<Partition> partitions() {
        return partitions;
    }

    /**
     * Returns an active partition.
     *
     * @throws SpaceException ABSENT if its store was not given
     */
    Partition partition(int number) {
        if (number >= partitions.size()) {
            throw notGiven(number, partitions.size());
        }
        return partitions.get(number);
    }

    static SpaceException notGiven(int number, int stores) {
        return new SpaceException(SpaceException.Reason.ABSENT, "the store of partition " + number
                + " is missing: the space has it, and only " + stores + " stores are given");
    }

    /** Adds what a state shows, and the layout if that is something new. */
    void learn(State state) {
        long children = PartitionMap.children(state.number()) & state.active();
        if ((children & ~map().active()) == 0) {
            return;
        }
        long known = children;
        if (partitions.getFirst().store.attempt(LAYOUTS, false,
                Store.NONE) instanceof Attempt.Hit<Layout>(Layout layout)) {
            known |= layout.active();
        }
        synchronized (this) {
            map = map.with(known);
        }
    }

    /**
     * Learns of the partitions to which a partition has lost tuples. An attempt that found nothing there has to ask
     * those that were unknown before. While a split is being finished, nothing is lost.
     */
    void look(Partition partition) {
        switch (partition.state(Store.NONE)) {
            case Attempt.Hit<State>(State state) -> learn(state);
            case Attempt.Held<State>() -> {
            }
            case Attempt.Miss<State>() -> throw partition.missing();
        }
    }

    /** Returns the active partitions that can have a match, as far as is known. */
    List<Partition> candidates(Template<?> template) {
        List<Partition> candidates = new ArrayList<>();
        for (long left = keys.candidates(template, map()); left != 0; left &= left - 1) {
            candidates.add(partition(Long.numberOfTrailingZeros(left)));
        }
        return candidates;
    }

    /**
     * Waits until no split is being finished, and returns the state.
     *
     * @param transaction a transaction of the partition, which keeps the state from then on; or none
     * @throws SpaceException BUSY if a split takes too long
     */
    State await(Partition partition, long transaction) {
        long began = System.nanoTime();
        while (true) {
            switch (partition.state(transaction)) {
                case Attempt.Hit<State>(State state) -> {
                    learn(state);
                    return state;
                }
                case Attempt.Miss<State>() -> throw partition.missing();
                case Attempt.Held<State>() -> {
                    if (System.nanoTime() - began > patience.toNanos()) {
                        throw new SpaceException(SpaceException.Reason.BUSY,
                                "partition " + partition.number + " is being split: try again when that has finished");
                    }
                    LockSupport.parkNanos(INTERVAL);
                }
            }
        }
    }
}
