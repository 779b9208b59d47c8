// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.util.Optional;

import org.treehaul.tuplespace.partition.Control.State;
import org.treehaul.tuplespace.store.Store;

/**
 * Changes the leases of tuples, also of those that a split has moved. The state of the partition is looked at
 * afterwards: a split that took it before may have copied the tuple with its former lease, one that takes it later sees
 * the new one.
 */
final class Leased {
    private final Router router;

    Leased(Router router) {
        this.router = router;
    }

    /** A change of the lease of a tuple in its store; returns false when there is no such tuple. */
    private interface LeaseChange {
        boolean apply(Store store, long id);
    }

    /** Sets a new end for the lease of a tuple; returns false when there is no such tuple. */
    boolean renew(long tuple, long expiresAt) {
        return change(tuple, expiresAt, (store, id) -> store.renew(id, expiresAt));
    }

    /** Removes a tuple; returns false when there is no such tuple. */
    boolean cancel(long tuple) {
        return change(tuple, Long.MIN_VALUE, Store::cancel);
    }

    private boolean change(long tuple, long expiresAt, LeaseChange change) {
        long id = tuple;
        while (true) {
            Partition partition = router.partition(Ids.partition(id));
            boolean isDone = change.apply(partition.store, Ids.own(id));
            router.epochs.changed(partition);
            State state = router.await(partition, Store.NONE);
            Optional<Long> next = (state.active() & PartitionMap.children(partition.number)) == 0
                    ? Optional.empty()
                    : Places.of(partition, Ids.own(id), expiresAt);
            if (next.isEmpty()) {
                return isDone;
            }
            id = next.get();
        }
    }
}
