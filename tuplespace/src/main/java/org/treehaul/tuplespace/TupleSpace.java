// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.tuple.Template;

/** A tuple space. {@link TupleSpaces} opens spaces. Thread-safe. */
public interface TupleSpace extends TupleOperations, AutoCloseable {

    /**
     * Begins a transaction, which any threads may use.
     *
     * @param lease how long the transaction lasts unless it ends before; the space may grant less
     * @throws IllegalArgumentException when the lease is negative and not {@link Lease#ANY}
     */
    Transaction begin(Duration lease);

    /**
     * Takes a tuple in a transaction, calls the action with it, and commits. When the action throws, or this process
     * dies, the tuple is back in the space.
     *
     * @param timeout how long to wait for a tuple
     * @param lease time from finding the tuple until it is back in the space, even if the action has not returned
     */
    <T> Result<T> handle(Template<T> template, Duration timeout, Duration lease, Consumer<? super T> action)
            throws InterruptedException;

    /**
     * Does work in one transaction of this thread; commits when the work returns, and rolls back when it throws or this
     * process dies. Other writers of a durable space wait until then, readers do not. The work may change millions of
     * tuples. Reads and takes within it do not wait, whatever their timeout, because others cannot write.
     *
     * @throws IllegalStateException from any operation within the work that changes the space, except those passed to
     *         the work
     */
    <R extends @Nullable Object> R atomically(Function<? super TupleOperations, R> work);

    /**
     * Calls an action for each event of these kinds on a matching tuple: after the commit, without holding a lock of
     * the space, one after another, on a thread of the space. If the action is slower than the events, events are lost;
     * the next one that arrives reports the gap.
     *
     * @param lease how long the registration lasts
     */
    <T> Registration on(Template<T> template, Set<EventKind> kinds, Duration lease,
            Consumer<? super TupleEvent<T>> action);

    /** Registers an action until the registration is closed. */
    default <T> Registration on(Template<T> template, Set<EventKind> kinds, Consumer<? super TupleEvent<T>> action) {
        return on(template, kinds, Lease.FOREVER, action);
    }

    /**
     * Returns a publisher of the events of these kinds on matching tuples; a subscriber gets those after it subscribes.
     */
    <T> Flow.Publisher<TupleEvent<T>> events(Template<T> template, Set<EventKind> kinds);

    /** Removes everything that has ended now, instead of waiting for the next sweep. */
    void sweep();

    /**
     * Writes all tuples of one moment to a file, while other operations continue. In a space over several stores, each
     * has a moment of its own.
     *
     * @return the number of tuples
     */
    default long store(Path file) {
        return store(file, Template.of(Record.class));
    }

    /** Writes the matching tuples of one moment to a file, which is either complete or absent. */
    long store(Path file, Template<?> template);

    /**
     * Loads all tuples of a file that {@link #store} wrote into this space, all or none.
     *
     * @return the number of tuples
     */
    long load(Path file);

    /** Closes the space. Operations that still wait fail. */
    @Override
    void close();
}
