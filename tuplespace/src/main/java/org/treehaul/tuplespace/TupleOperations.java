// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Group;
import org.treehaul.tuplespace.tuple.Order;
import org.treehaul.tuplespace.tuple.Template;

/**
 * What can be done with tuples, within a transaction or without.
 * <p>
 * A timeout of zero does not wait, a negative one is an {@link IllegalArgumentException}; {@link Lease#FOREVER} waits
 * for ever. Those who wait for the same tuple are served in the order in which they came. There is no order among
 * tuples. Failures are {@link org.treehaul.tuplespace.store.SpaceException}.
 */
public interface TupleOperations {

    /**
     * Writes a copy of a tuple. Equal tuples are kept apart.
     *
     * @param lease how long it is to stay; the space may grant less
     * @throws IllegalArgumentException when a value cannot be kept, or the lease is negative and not {@link Lease#ANY}
     */
    Lease write(Record tuple, Duration lease);

    /** Writes a copy of a tuple that stays until it is taken. */
    default Lease write(Record tuple) {
        return write(tuple, Lease.FOREVER);
    }

    /** Writes copies of all these tuples, or of none, and returns their leases in the same order. */
    List<Lease> writeAll(Collection<? extends Record> tuples, Duration lease);

    /** Reads any matching tuple, and waits for one. */
    <T> Result<T> read(Template<T> template, Duration timeout) throws InterruptedException;

    /**
     * Takes any matching tuple, and waits for one. Without a transaction the tuple is lost when this process dies
     * before it has dealt with it; see {@link TupleSpace#handle}.
     */
    <T> Result<T> take(Template<T> template, Duration timeout) throws InterruptedException;

    /** Reads any matching tuple; waits only while all that match are held by transactions. */
    <T> Result<T> readIfExists(Template<T> template, Duration timeout) throws InterruptedException;

    /** Takes any matching tuple; waits only while all that match are held by transactions. */
    <T> Result<T> takeIfExists(Template<T> template, Duration timeout) throws InterruptedException;

    /** As {@link #read}; cancelling the future withdraws the wish. */
    <T> CompletableFuture<Result<T>> readAsync(Template<T> template, Duration timeout);

    /** As {@link #take}; cancelling the future withdraws the wish: either that succeeds, or the tuple comes. */
    <T> CompletableFuture<Result<T>> takeAsync(Template<T> template, Duration timeout);

    /** As {@link #readIfExists}; cancelling the future withdraws the wish. */
    <T> CompletableFuture<Result<T>> readIfExistsAsync(Template<T> template, Duration timeout);

    /** As {@link #takeIfExists}; cancelling the future withdraws the wish: either that succeeds, or the tuple comes. */
    <T> CompletableFuture<Result<T>> takeIfExistsAsync(Template<T> template, Duration timeout);

    /** Takes matching tuples at once, at least one when any is there, and at most so many. Does not wait. */
    <T> List<T> takeAll(Template<T> template, int max);

    /** Takes at least one tuple and at most so many, and waits for the first. */
    <T> List<T> takeAll(Template<T> template, int max, Duration timeout) throws InterruptedException;

    /** Takes all matching tuples and returns their number. */
    long remove(Template<?> template);

    /**
     * Returns the matching tuples as they were at one moment, during this call: what is written later does not come,
     * what is taken later does. To be closed.
     */
    <T> Stream<T> contents(Template<T> template);

    /** Returns the first so many matching tuples in an order; else as {@link #contents(Template)}. */
    <T> Stream<T> contents(Template<T> template, Order order, long limit);

    /** Returns what is computed over the matching tuples, for each group that agrees in some components. */
    List<Group> groupBy(Template<?> template, List<String> components, Aggregate... aggregates);

    /** Returns the number of matching tuples. */
    long count(Template<?> template);

    /**
     * Returns the sum of a component over the matching tuples: a Long, or a Double where the component is one.
     *
     * @throws ArithmeticException when it is more than a long holds
     */
    Number sum(Template<?> template, String component);

    /** Returns the least value of a component among the matching tuples. */
    Optional<Object> min(Template<?> template, String component);

    /** Returns the greatest value of a component among the matching tuples. */
    Optional<Object> max(Template<?> template, String component);
}
