// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.stream.Stream;

import org.treehaul.tuplespace.partition.Control.Moved;
import org.treehaul.tuplespace.partition.Control.State;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Changes the leases of tuples, also of those that a split has moved. The state of the partition is looked at
 * afterwards: a split that took it before may have copied the tuple with its former lease, one that takes it later sees
 * the new one.
 */
final class Leased {
    private static final Template<Moved> MOVED = Template.of(Moved.class);
    /** Bytes of a pair of ids. */
    static final int PAIR = 2 * Long.BYTES;

    private final Router router;

    Leased(Router router) {
        this.router = router;
    }

    /** A change of the lease of a tuple in its store; returns false when there is no such tuple. */
    interface LeaseChange {
        boolean apply(Store store, long id);
    }

    /** Changes the lease of a tuple; returns false when there is no such tuple. */
    boolean change(long tuple, LeaseChange change) {
        long id = tuple;
        while (true) {
            Partition partition = router.partition(Ids.partition(id));
            boolean isDone = change.apply(partition.store, Ids.own(id));
            State state = router.await(partition, Store.NONE);
            Optional<Long> next = (state.active() & PartitionMap.children(partition.number)) == 0
                    ? Optional.empty()
                    : moved(partition, Ids.own(id));
            if (next.isEmpty()) {
                return isDone;
            }
            id = next.get();
        }
    }

    private static Optional<Long> moved(Partition partition, long own) {
        Template<Moved> range = MOVED.atMost("first", own).atLeast("last", own);
        try (Stream<Stored<Moved>> all = partition.store.contents(range, Optional.empty(), Long.MAX_VALUE,
                Store.NONE)) {
            // The ranges of several splits overlap.
            return all.map(Stored::tuple).flatMap(moved -> find(moved, own).stream()).findFirst();
        }
    }

    private static Optional<Long> find(Moved moved, long own) {
        ByteBuffer pairs = ByteBuffer.wrap(moved.ids().toArray());
        int low = 0;
        int high = pairs.capacity() / PAIR - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            long found = pairs.getLong(middle * PAIR);
            if (found == own) {
                return Optional.of(Ids.of(moved.to(), pairs.getLong(middle * PAIR + Long.BYTES)));
            }
            low = found < own ? middle + 1 : low;
            high = found < own ? high : middle - 1;
        }
        return Optional.empty();
    }
}
