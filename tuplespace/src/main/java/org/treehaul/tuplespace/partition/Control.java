// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.util.List;
import java.util.UUID;

import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.ControlTuple;

/**
 * The control tuples. The first store has a {@link Layout} and the {@link PartitionKey}s; the store of each active
 * partition has one {@link State} and one {@link Turn}.
 */
final class Control {

    static final List<Class<? extends ControlTuple>> ALL = List.of(Layout.class, Intent.class, PartitionKey.class,
            State.class, Turn.class, Receiving.class, Moved.class, Epoch.class, Seen.class, Undecided.class,
            Committed.class, Prepared.class);

    private Control() {}

    /**
     * The space as a whole.
     *
     * @param active the active partitions; may lack one whose split was interrupted, which the state of its parent has
     */
    record Layout(UUID space, long active) implements ControlTuple {}

    /** A space that is being made: the first store has this before any other store is changed, until the layout. */
    record Intent(UUID space) implements ControlTuple {}

    /** The component whose hash places the tuples of a record class; empty if the class has no components. */
    record PartitionKey(String type, String component) implements ControlTuple {}

    /**
     * A partition. A writer reads it in the step that writes, and a transaction reads it first, so that a split, which
     * takes it, has no other changes beside it.
     *
     * @param active the active partitions that this one knows; all of those that split off from it
     */
    record State(UUID space, int number, long active) implements ControlTuple {}

    /** The number of the latest split of a partition; the split holds the tuple while it lasts. */
    record Turn(int number, long turn) implements ControlTuple {}

    /** A partition that a split fills or has filled; the latest turn only may do so. */
    record Receiving(int number, long turn) implements ControlTuple {}

    /**
     * The new places of tuples that a split has moved, so that their leases can still be renewed.
     *
     * @param first lowest former id
     * @param last highest former id
     * @param to the new partition
     * @param ids pairs of the former and the new id, eight bytes each, in the order of the former
     */
    record Moved(long first, long last, int to, Bytes ids) implements ControlTuple {}

    /** How often the epoch of a partition has changed; see {@link Epochs}. */
    record Epoch(int number, long epoch) implements ControlTuple {}

    /**
     * The epoch of another partition, as the first store knows it.
     *
     * @param known it has certainly reached this one
     * @param pending it may have reached this one
     * @param at when the known one was noted, in milliseconds since 1970
     */
    record Seen(int number, long known, long pending, long at) implements ControlTuple {}

    /** A commit over several partitions that is not decided; with the end of its lease, it is aborted. */
    record Undecided(UUID commit) implements ControlTuple {}

    /**
     * A commit over several partitions that is decided, until all of them have committed.
     *
     * @param partitions a bit for each of them; a process with an old map may not know all
     */
    record Committed(UUID commit, long partitions) implements ControlTuple {}

    /** The transaction of one partition in a commit over several. */
    record Prepared(UUID commit, long transaction) implements ControlTuple {}
}
