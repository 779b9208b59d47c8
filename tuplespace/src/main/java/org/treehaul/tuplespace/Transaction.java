// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;

import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Operations that take effect together at {@link #commit}, or not at all. Until then, tuples written in the transaction
 * are invisible to others, tuples taken are locked, and tuples read can be read by others but not taken. The
 * transaction aborts when its lease ends before the commit; so a process that dies gives back the tuples it has taken.
 */
public interface Transaction extends TupleOperations, AutoCloseable {

    /** Returns the lease of the transaction. */
    Lease lease();

    /**
     * Registers an action as {@link TupleSpace#on} does, and also for changes inside this transaction, at once. The
     * registration ends with the transaction: the events that the commit publishes to others were delivered before.
     *
     * @throws org.treehaul.tuplespace.store.SpaceException TRANSACTION_ENDED when the transaction has ended
     */
    <T> Registration on(Template<T> template, Set<EventKind> kinds, Duration lease,
            Consumer<? super TupleEvent<T>> action);

    /** Registers an action until the registration is closed or the transaction ends. */
    default <T> Registration on(Template<T> template, Set<EventKind> kinds, Consumer<? super TupleEvent<T>> action) {
        return on(template, kinds, Lease.FOREVER, action);
    }

    /**
     * Makes all changes visible, and durable if the space is.
     *
     * @throws org.treehaul.tuplespace.store.SpaceException TRANSACTION_ENDED when the transaction has ended; no change
     *         was made
     */
    void commit();

    /** Aborts the transaction, unless it was committed. */
    @Override
    void close();
}
