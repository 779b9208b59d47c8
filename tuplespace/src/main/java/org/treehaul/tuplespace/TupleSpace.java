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

/** A space of tuples. {@link TupleSpaces} opens them. */
public interface TupleSpace extends TupleOperations, AutoCloseable {

    /** Begins a transaction. */
    Transaction begin(Duration lease);

    /**
     * Takes a tuple in a transaction, deals with it, and commits. When the action throws, or this process dies, the
     * tuple is there again.
     *
     * @param timeout how long to wait for a tuple
     * @param lease after which time, from when it was found, the tuple is there again, whatever became of the action
     */
    <T> Result<T> handle(Template<T> template, Duration timeout, Duration lease, Consumer<? super T> action)
            throws InterruptedException;

    /**
     * Does something in one transaction of this thread, commits it when that returns, and undoes it when that throws or
     * this process dies. Other writers of a durable space wait meanwhile, readers do not. It may change millions of
     * tuples. A take within it does not wait for others.
     */
    <R extends @Nullable Object> R atomically(Function<? super TupleOperations, R> work);

    /**
     * Calls an action for each event of these kinds at a matching tuple: after the commit, holding no lock of the
     * space, one after another. It is called by a thread of the space. Where the action is slower than the events, some
     * are lost, which the next one tells.
     *
     * @param lease how long the registration lasts
     */
    <T> Registration on(Template<T> template, Set<EventKind> kinds, Duration lease,
            Consumer<? super TupleEvent<T>> action);

    /** As the other one, until the registration is closed. */
    default <T> Registration on(Template<T> template, Set<EventKind> kinds, Consumer<? super TupleEvent<T>> action) {
        return on(template, kinds, Lease.FOREVER, action);
    }

    /** Returns the events of these kinds at matching tuples, from each subscription on. */
    <T> Flow.Publisher<TupleEvent<T>> events(Template<T> template, Set<EventKind> kinds);

    /** Removes at once what has ended, and does not wait until the space gets round to it. */
    void sweep();

    /**
     * Writes all tuples that are there at one moment to a file, while others go on reading, writing and taking.
     *
     * @return the number of tuples
     */
    default long store(Path file) {
        return store(file, Template.of(Record.class));
    }

    /** Writes the matching tuples as they are at one moment to a file, which is complete or not there. */
    long store(Path file, Template<?> template);

    /**
     * Writes all tuples of a file that {@link #store} has made into this space, all or none.
     *
     * @return the number of tuples
     */
    long load(Path file);

    /** Lets go of the space. Whoever still waits gets an error. */
    @Override
    void close();
}
