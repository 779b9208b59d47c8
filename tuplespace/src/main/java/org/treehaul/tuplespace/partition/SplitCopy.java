// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.treehaul.tuplespace.partition.Control.Receiving;
import org.treehaul.tuplespace.partition.Places.Copy;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.tuple.Template;
import org.treehaul.tuplespace.tuple.TupleType;

/** The copies that a split makes, and their places. For one thread. */
final class SplitCopy {
    /** Tuples that are copied in one step, by number and by bytes. */
    private static final int PORTION = 1000;
    private static final long PORTION_BYTES = 4 << 20;

    private final Store from;
    private final Store to;
    private final Template<Receiving> turn;
    /** The copies, by the number of the tuple in the old store. */
    private final Map<Long, Copy> copies = new TreeMap<>();

    /**
     * Creates the copier.
     *
     * @param turn selects a tuple of the new store without which nothing may be copied to it
     */
    SplitCopy(Store from, Store to, Template<Receiving> turn) {
        this.from = from;
        this.to = to;
        this.turn = turn;
    }

    /**
     * Makes the copies equal to the matching tuples as of now.
     *
     * @param transaction transaction of the old store that reads them, or none
     * @param each runs after each portion
     * @return the number of new copies
     */
    int run(Template<Record> moved, long transaction, Runnable each) {
        int before = copies.size();
        Set<Long> gone = new HashSet<>(copies.keySet());
        List<Stored<Record>> portion = new ArrayList<>();
        long bytes = 0;
        try (Stream<Stored<Record>> all = from.contents(moved, Optional.empty(), Long.MAX_VALUE, transaction)) {
            for (Iterator<Stored<Record>> next = all.iterator(); next.hasNext();) {
                Stored<Record> stored = next.next();
                gone.remove(stored.id());
                Copy copy = copies.get(stored.id());
                if (copy == null) {
                    portion.add(stored);
                    bytes += size(stored.tuple());
                    if (portion.size() == PORTION || bytes > PORTION_BYTES) {
                        write(portion);
                        bytes = 0;
                        each.run();
                    }
                } else if (copy.expiresAt() != stored.expiresAt()) {
                    to.renew(copy.id(), stored.expiresAt());
                    copies.put(stored.id(), new Copy(copy.id(), stored.expiresAt()));
                }
            }
        }
        write(portion);
        for (long id : gone) {
            Copy copy = copies.remove(id);
            if (copy != null) {
                to.cancel(copy.id());
            }
        }
        return copies.size() - before + gone.size();
    }

    private static long size(Record tuple) {
        return TupleType.of(tuple).size(tuple);
    }

    private void write(List<Stored<Record>> portion) {
        if (!portion.isEmpty()) {
            long[] ends = portion.stream().mapToLong(Stored::expiresAt).toArray();
            long[] ids = to.writeWhile(turn, portion.stream().map(Stored::tuple).toList(), ends)
                    .orElseThrow(() -> new SpaceException(SpaceException.Reason.BUSY,
                            "another process has begun the same split"));
            for (int i = 0; i < ids.length; i++) {
                copies.put(portion.get(i).id(), new Copy(ids[i], ends[i]));
            }
            portion.clear();
        }
    }

    /** Takes the tuples that were copied, and returns whether they were exactly these. */
    boolean isAllTaken(Template<Record> moved, long transaction) {
        return from.remove(moved, transaction) == copies.size();
    }

    /** Notes where the tuples are now. */
    void notePlaces(int number, long transaction) {
        Places.note(from, number, copies, transaction);
    }
}
