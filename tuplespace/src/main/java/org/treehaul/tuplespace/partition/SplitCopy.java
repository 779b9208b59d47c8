// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.treehaul.tuplespace.partition.Control.Receiving;
import org.treehaul.tuplespace.partition.copies.Copies;
import org.treehaul.tuplespace.partition.copies.Copy;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.tuple.Template;
import org.treehaul.tuplespace.tuple.TupleType;

/** The copies that a split makes, and their places. For one thread. */
final class SplitCopy implements AutoCloseable {
    /** Tuples that are copied in one step, by number and by bytes. */
    private static final int PORTION = 1000;
    private static final long PORTION_BYTES = 4 << 20;
    /** Milliseconds after the last pass in which leases may end before the split is complete. */
    private static final long SOON = 60_000;

    private final Partition from;
    private final Store to;
    private final Template<Receiving> turn;
    /**
     * Milliseconds by which the ends of leases in the old store are later; always the same, so they can be compared.
     */
    private final long ahead;
    private final Copies copies = new Copies();
    /** Copied tuples whose leases have changed since. */
    private final List<Stored<Record>> renewed = new ArrayList<>();
    /** Tuples whose leases end soon, as the last pass saw them, by their numbers; as many as fit into a portion. */
    private final Map<Long, Stored<Record>> ending = new HashMap<>();

    /**
     * Creates the copier.
     *
     * @param turn selects a tuple of the new store without which nothing may be copied to it
     */
    SplitCopy(Partition from, Store to, Template<Receiving> turn) {
        this.from = from;
        this.to = to;
        this.turn = turn;
        ahead = from.store.ahead();
    }

    /**
     * Makes the copies equal to the matching tuples as of now.
     *
     * @param transaction transaction of the old store that reads them, or none
     * @param now the time by the clock by which leases are given
     * @param each runs after each portion
     * @return the number of new copies
     */
    int run(Template<Record> moved, long transaction, long now, Runnable each) {
        copies.beginPass();
        ending.clear();
        long endingBytes = 0;
        int written = 0;
        long seen = 0;
        List<Stored<Record>> portion = new ArrayList<>();
        long bytes = 0;
        // A transaction marks what it reads, which takes room there.
        try (Stream<Stored<Record>> all = from
                .naming(() -> from.store.contents(moved, Optional.empty(), Long.MAX_VALUE, transaction))) {
            for (Iterator<Stored<Record>> next = all.iterator(); next.hasNext();) {
                Stored<Record> stored = next.next();
                if (stored.owner() != null) {
                    throw new SpaceException(SpaceException.Reason.DENIED, "a partition in a space that users share"
                            + " cannot be split: its tuples would then belong to the user who splits it");
                }
                if (stored.expiresAt() != Store.NEVER && end(stored) <= now + SOON && endingBytes < PORTION_BYTES) {
                    ending.put(stored.id(), stored);
                    endingBytes += size(stored.tuple());
                }
                Copy copy = copies.see(stored.id());
                if (copy == null || copy.expiresAt() != end(stored)) {
                    (copy == null ? portion : renewed).add(stored);
                    bytes += size(stored.tuple());
                }
                if (portion.size() + renewed.size() == PORTION || bytes > PORTION_BYTES) {
                    written += write(portion);
                    bytes = 0;
                    each.run();
                } else if (++seen % PORTION == 0) {
                    each.run();
                }
            }
        }
        written += write(portion);
        removeUnseen(each);
        return written;
    }

    private void removeUnseen(Runnable each) {
        long[] gone = new long[PORTION];
        int[] filled = {0};
        copies.removeUnseen(copy -> {
            gone[filled[0]++] = copy;
            if (filled[0] == PORTION) {
                to.cancelAll(gone);
                filled[0] = 0;
                each.run();
            }
        });
        if (filled[0] > 0) {
            to.cancelAll(Arrays.copyOf(gone, filled[0]));
        }
    }

    /** Gives the copies of renewed tuples the leases of these, and adds the tuples whose copies have ended. */
    private void renew(List<Stored<Record>> portion) {
        if (renewed.isEmpty()) {
            return;
        }
        Map<Long, Stored<Record>> byCopy = new HashMap<>();
        renewed.forEach(stored -> byCopy.put(Objects.requireNonNull(copies.see(stored.id())).id(), stored));
        renewed.clear();
        long[] ids = byCopy.keySet().stream().mapToLong(Long::longValue).toArray();
        long[] ends = Arrays.stream(ids).map(id -> end(Objects.requireNonNull(byCopy.get(id)))).toArray();
        for (long id : to.renewAll(ids, ends)) {
            Stored<Record> stored = Objects.requireNonNull(byCopy.remove(id));
            copies.put(stored.id(), new Copy(id, end(stored)));
        }
        // A copy that has ended cannot be renewed: the lease of the tuple was renewed before that.
        portion.addAll(byCopy.values());
    }

    /** Returns the end of a lease on the clock by which leases are given. */
    private long end(Stored<Record> stored) {
        return stored.expiresAt() == Store.NEVER ? Store.NEVER : stored.expiresAt() - ahead;
    }

    private static long size(Record tuple) {
        return TupleType.of(tuple).size(tuple);
    }

    private int write(List<Stored<Record>> portion) {
        renew(portion);
        int written = portion.size();
        if (written > 0) {
            long[] ends = portion.stream().mapToLong(this::end).toArray();
            long[] ids = to.writeWhile(turn, portion.stream().map(Stored::tuple).toList(), ends)
                    .orElseThrow(() -> new SpaceException(SpaceException.Reason.BUSY,
                            "another process has begun the same split"));
            for (int i = 0; i < ids.length; i++) {
                copies.put(portion.get(i).id(), new Copy(ids[i], ends[i]));
            }
            portion.clear();
        }
        return written;
    }

    /**
     * Takes the tuples that were copied, and returns whether they were these. Those whose leases have just ended are
     * not among them, and their copies have ended too.
     */
    boolean isAllTaken(Template<Record> moved, long transaction) {
        long taken = from.store.remove(moved, transaction);
        return copies.lasting() <= taken && taken <= copies.size();
    }

    /**
     * Writes tuples again whose leases ended between the steps that took the tuples from the old store and removed the
     * copies without events, so that the new store can report their end.
     *
     * @param removed when the copies were removed
     * @return whether there are such tuples
     */
    boolean restoreEnded(long removed) {
        ending.values().removeIf(stored -> end(stored) > removed);
        Map<Long, Stored<Record>> byCopy = new HashMap<>();
        Set<Long> left = existing(from.store, ending.keySet());
        ending.forEach((tuple, stored) -> {
            Copy copy = copies.see(tuple);
            if (copy != null && !left.contains(tuple)) {
                byCopy.put(copy.id(), stored);
            }
        });
        byCopy.keySet().removeAll(existing(to, byCopy.keySet()));
        List<Stored<Record>> ended = List.copyOf(byCopy.values());
        if (!ended.isEmpty()) {
            to.write(ended.stream().map(Stored::tuple).toList(), ended.stream().mapToLong(this::end).toArray(),
                    Store.NONE);
        }
        return !ended.isEmpty();
    }

    private static Set<Long> existing(Store store, Set<Long> tuples) {
        return tuples.isEmpty()
                ? Set.of()
                : Arrays.stream(store.existing(tuples.stream().mapToLong(Long::longValue).toArray()))
                        .boxed()
                        .collect(Collectors.toSet());
    }

    /** Notes where the tuples are now. */
    void notePlaces(int number, long transaction) {
        Places.note(from.store, number, copies, transaction);
    }

    @Override
    public void close() {
        copies.close();
    }
}
