// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

import org.treehaul.tuplespace.partition.Control.Intent;
import org.treehaul.tuplespace.partition.Control.Layout;
import org.treehaul.tuplespace.partition.Control.State;
import org.treehaul.tuplespace.partition.Control.Turn;
import org.treehaul.tuplespace.partition.gate.Deaf;
import org.treehaul.tuplespace.partition.gate.Gate;
import org.treehaul.tuplespace.store.Attempt;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.tuple.Template;

/** Makes the control tuples of a new space, or checks those of an existing one. */
final class Founding {
    private static final Template<State> STATES = Template.of(State.class);
    private static final Template<Turn> TURNS = Template.of(Turn.class);
    private static final Template<Intent> INTENTS = Template.of(Intent.class);

    private final List<Partition> partitions;
    private final PartitionOptions options;

    Founding(List<Partition> partitions, PartitionOptions options) {
        this.partitions = partitions;
        this.options = options;
    }

    /**
     * Throws ABSENT if the first store is missing while another belongs to a space, so that no new one is made.
     *
     * @param isToRead whether the caller makes no store; then the existence of another store is reason enough
     */
    static void requireFirst(List<Partition.Source> sources, boolean isToRead) {
        missingFirst(sources, isToRead).ifPresent(problem -> {
            throw new SpaceException(Reason.ABSENT, problem);
        });
    }

    /** Returns the problem for which {@link #requireFirst} throws; empty if there is none. */
    static Optional<String> missingFirst(List<Partition.Source> sources, boolean isToRead) {
        Partition.Source first = sources.getFirst();
        for (int number = 1; number < sources.size() && !first.isThere().getAsBoolean(); number++) {
            Partition.Source other = sources.get(number);
            // Asked again, because another process may make the space at this moment.
            if (other.isThere().getAsBoolean() && (isToRead || isUsed(number, other))
                    && !first.isThere().getAsBoolean()) {
                return Optional.of("the store of partition 0, " + first.name()
                        + ", is missing: is its disk mounted, or its server the right one? That of partition " + number
                        + ", " + other.name() + ", belongs to a space");
            }
        }
        return Optional.empty();
    }

    private static boolean isUsed(int number, Partition.Source source) {
        Partition partition = new Partition(number, source, new Deaf(), new Gate(new Deaf()).pending());
        try {
            return partition.isUsed(null, Store.NONE);
        } finally {
            partition.store.close();
        }
    }

    /** Throws PROVIDER if a new space would begin with more partitions than there are stores. */
    static void requireEnough(PartitionOptions options, int stores) {
        if (options.first() > stores) {
            throw new SpaceException(Reason.PROVIDER,
                    options.first() + " first partitions need as many stores, not " + stores);
        }
    }

    /** Returns whether the layout of a space in the first store has a partition. */
    static boolean isActive(Store first, int number) {
        return first.attempt(Router.LAYOUTS, false, Store.NONE) instanceof Attempt.Hit<Layout>(Layout layout)
                && number < PartitionMap.MOST && new PartitionMap(layout.active()).has(number);
    }

    /** Returns the active partitions. */
    PartitionMap map() {
        Store first = partitions.getFirst().store;
        if (first.attempt(Router.LAYOUTS, false, Store.NONE) instanceof Attempt.Hit<Layout>(Layout layout)) {
            return checked(layout);
        }
        UUID space = intended(first);
        return Alone.in(first, alone ->
        // Another process may have made it in the meantime.
        first.attempt(Router.LAYOUTS, false, alone) instanceof Attempt.Hit<Layout>(Layout layout)
                ? checked(layout)
                : found(space, alone));
    }

    /**
     * Returns the identity of the new space, which the first store keeps from now on. So a process that continues what
     * a dead one has begun knows the partitions that this has made from those of another space.
     */
    private static UUID intended(Store first) {
        return Alone.in(first, alone -> {
            if (first.attempt(Router.LAYOUTS, false, alone) instanceof Attempt.Hit<Layout>(Layout layout)) {
                return layout.space();
            }
            if (first.attempt(INTENTS, false, alone) instanceof Attempt.Hit<Intent>(Intent intent)) {
                return intent.space();
            }
            UUID space = UUID.randomUUID();
            first.write(List.of(new Intent(space)), Store.NEVER, alone);
            return space;
        });
    }

    /** Makes the partitions, the first one and the layout last: until then, there is no space. */
    private PartitionMap found(UUID space, long alone) {
        requireEnough(options, partitions.size());
        // All of them: the first store may be made anew where its disk is not mounted.
        partitions.forEach(partition -> partition.requireEmpty(space, partition.number == 0 ? alone : Store.NONE));
        Layout layout = new Layout(space, PartitionMap.ofFirst(options.first()).active());
        for (int number = options.first() - 1; number > 0; number--) {
            Partition partition = partitions.get(number);
            Alone.in(partition.store, inner -> {
                // Again, because another space may have made a partition there in the meantime.
                partition.requireEmpty(space, inner);
                return begin(partition, layout, inner);
            });
        }
        Partition first = partitions.getFirst();
        begin(first, layout, alone);
        first.store.remove(INTENTS, alone);
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
        partition.requireUnshared(STATES, alone);
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
