// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Group;
import org.treehaul.tuplespace.tuple.Order;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Keeps tuples. Every method is one atomic step and may be called by any thread; none waits for a tuple. What a method
 * changed is durable when it returns, if the store is; when it throws, nothing has changed.
 * <p>
 * A tuple written or taken in a transaction is held by it until that ends; one read in a transaction can be read by
 * others but not taken. Times are milliseconds since 1970; a tuple or transaction whose time has come does not count
 * any more, even before {@link #sweep} removed it.
 */
public interface Store extends AutoCloseable {
    /** The end of what does not end. */
    long NEVER = Long.MAX_VALUE;
    /** No transaction. */
    long NONE = 0;

    /** Does something during which no other thread of this process changes the store, and calls it back at the end. */
    <R> R exclusively(Supplier<R> work);

    /** Writes copies of tuples, all or none, and returns their numbers. */
    long[] write(List<? extends Record> tuples, long expiresAt, long transaction);

    /** Reads or takes one matching tuple. */
    <T> Attempt<T> attempt(Template<T> template, boolean isTake, long transaction);

    /** Takes matching tuples, at most so many. */
    <T> List<T> takeAll(Template<T> template, int max, long transaction);

    /** Takes all matching tuples and returns how many those were. */
    long remove(Template<?> template, long transaction);

    /** Returns the matching tuples as they are now, in this order if any. To be closed. */
    <T> Stream<Stored<T>> contents(Template<T> template, Optional<Order> order, long limit, long transaction);

    /** Computes over the matching tuples, by groups that agree in some components; one group where there are none. */
    List<Group> aggregate(Template<?> template, List<String> by, List<Aggregate> aggregates, long transaction);

    /** Gives a tuple another end; false when there is no such tuple. */
    boolean renew(long tuple, long expiresAt);

    /** Removes a tuple; false when there is no such tuple. */
    boolean cancel(long tuple);

    /** Begins a transaction. */
    long begin(long expiresAt);

    /**
     * Begins a transaction of this thread alone, that keeps other writers out of a store that is shared, takes little
     * memory for what it changes, and is undone at once when the process ends.
     */
    long beginAlone();

    /** Gives a transaction another end; false when it has ended. */
    boolean renewTransaction(long transaction, long expiresAt);

    /** Makes what a transaction did visible and lasting; false when it has ended. */
    boolean commit(long transaction);

    /** Undoes what a transaction did; false when it has ended. */
    boolean abort(long transaction);

    /** Removes what has ended, and returns when the next ends. */
    long sweep();

    /** Says that {@link StoreListener#isInterested} may have changed. */
    void interestChanged();

    @Override
    void close();
}
