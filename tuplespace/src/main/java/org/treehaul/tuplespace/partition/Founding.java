// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.util.List;
import java.util.UUID;

import org.treehaul.tuplespace.partition.Control.Layout;
import org.treehaul.tuplespace.partition.Control.State;
import org.treehaul.tuplespace.partition.Control.Turn;
import org.treehaul.tuplespace.store.Attempt;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.tuple.Template;

/** Makes the control tuples of a new space, or checks those of an existing one. */
final class Founding {
    private static final Template<State> STATES = Template.of(State.class);
    private static final Template<Turn> TURNS = Template.of(Turn.class);

    private final List<Partition> partitions;
    private final PartitionOptions options;

    Founding(List<Partition> partitions, PartitionOptions options) {
        this.partitions = partitions;
        this.options = options;
    }

    /** Returns whether the layout of a space in the first store has a partition. */
    static boolean isActive(Store first, int number) {
        return first.attempt(Router.LAYOUTS, false, Store.NONE) instanceof Attempt.Hit<Layout>(Layout layout)
                && number < PartitionMap.MOST && new PartitionMap(layout.active()).has(number);
    }

    /** Returns the active partitions. */
    PartitionMap map() {
        Store first = partitions.getFirst().store;
        return first.attempt(Router.LAYOUTS, false, Store.NONE) instanceof Attempt.Hit<Layout>(Layout layout)
                ? checked(layout)
                : Alone.in(first, alone ->
                // Another process may have made it in the meantime.
                first.attempt(Router.LAYOUTS, false, alone) instanceof Attempt.Hit<Layout>(Layout layout)
                        ? checked(layout)
                        : found(alone));
    }

    /** Makes the partitions, the first one and the layout last: until then, there is no space. */
    private PartitionMap found(long alone) {
        if (options.first() > partitions.size()) {
            throw new IllegalArgumentException(
                    options.first() + " first partitions need as many stores, not " + partitions.size());
        }
        // All of them: the first store may be made anew where its disk is not mounted.
        partitions.forEach(Partition::requireEmpty);
        Layout layout = new Layout(UUID.randomUUID(), PartitionMap.ofFirst(options.first()).active());
        for (int number = options.first() - 1; number > 0; number--) {
            Partition partition = partitions.get(number);
            Alone.in(partition.store, inner -> begin(partition, layout, inner));
        }
        Partition first = partitions.getFirst();
        begin(first, layout, alone);
        first.store.write(List.of(layout), Store.NEVER, alone);
        return new PartitionMap(layout.active());
    }

    /** Makes an empty partition, even if one was begun before. */
    private static boolean begin(Partition partition, Layout layout, long alone) {
        Store store = partition.store;
        store.remove(STATES, alone);
        store.remove(TURNS, alone);
        store.write(
                List.of(new State(layout.space(), partition.number, layout.active()), new Turn(partition.number, 0)),
                Store.NEVER, alone);
        return true;
    }

    /** Returns the active partitions of a layout, and those of interrupted splits, if all of them are there. */
    private PartitionMap checked(Layout layout) {
        PartitionMap known = new PartitionMap(layout.active());
        PartitionMap map;
        do {
            map = known;
            for (int number : map.all()) {
                known = known.with(children(number, layout));
            }
        } while (map.active() != known.active());
        return map;
    }

    private long children(int number, Layout layout) {
        if (number >= partitions.size()) {
            throw Router.notGiven(number, partitions.size());
        }
        Partition partition = partitions.get(number);
        return switch (partition.state(Store.NONE)) {
            case Attempt.Hit<State>(State state) -> {
                if (!state.space().equals(layout.space()) || state.number() != number) {
                    throw new SpaceException(Reason.DAMAGED,
                            partition + " contains partition " + state.number() + " of "
                                    + (state.space().equals(layout.space()) ? "this" : "another")
                                    + " space: give the stores in their order");
                }
                long children = state.active() & PartitionMap.children(number);
                if ((layout.active() & PartitionMap.children(number) & ~children) != 0) {
                    throw new SpaceException(Reason.DAMAGED,
                            partition + " is older than a split of it: it was restored from a backup made before");
                }
                yield children;
            }
            // A split is being finished.
            case Attempt.Held<State>() -> 0;
            case Attempt.Miss<State>() -> throw partition.missing();
        };
    }
}
