// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.treehaul.core.annotation.Internal;
import org.treehaul.tuplespace.store.Aggregator;
import org.treehaul.tuplespace.store.Owned;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Group;
import org.treehaul.tuplespace.tuple.Order;
import org.treehaul.tuplespace.tuple.Template;

/**
 * The operations on tuples, inside a transaction or outside.
 * <p>
 * A timeout of zero does not wait, and a negative one is an {@link IllegalArgumentException}; {@link Lease#FOREVER}
 * waits forever. Operations that wait for the same tuple are served in the order in which they began. Tuples have no
 * order. {@link Template#ofAny} combines several templates into one for any of these operations. Failures are
 * {@link org.treehaul.tuplespace.store.SpaceException}.
 */
public interface TupleOperations {

    /**
     * Writes a copy of a tuple. Equal tuples are kept apart.
     *
     * @param lease how long the tuple stays; the space may grant less
     * @throws IllegalArgumentException when a value cannot be stored, or the lease is negative and not
     *         {@link Lease#ANY}
     */
    Lease write(Record tuple, Duration lease);

    /** Writes a copy of a tuple, which stays until it is taken. */
    default Lease write(Record tuple) {
        return write(tuple, Lease.FOREVER);
    }

    /** Writes copies of all these tuples, or of none, and returns their leases in the same order. */
    List<Lease> writeAll(Collection<? extends Record> tuples, Duration lease);

    /**
     * Writes copies of all these tuples, each with a lease of its own, or of none, and returns their leases in the same
     * order.
     *
     * @param leases how long each tuple stays; as many as tuples
     * @throws IllegalArgumentException when there are not as many leases as tuples, or as {@link #write} does
     */
    List<Lease> writeAll(List<? extends Record> tuples, List<Duration> leases);

    /** Reads any matching tuple; waits until there is one. */
    <T> Result<T> read(Template<T> template, Duration timeout) throws InterruptedException;

    /**
     * Takes any matching tuple; waits until there is one. Outside a transaction, the tuple is lost when this process
     * dies before it has processed the tuple; see {@link TupleSpace#handle}.
     */
    <T> Result<T> take(Template<T> template, Duration timeout) throws InterruptedException;

    /** Reads any matching tuple; waits only while transactions hold all matches. */
    <T> Result<T> readIfExists(Template<T> template, Duration timeout) throws InterruptedException;

    /** Takes any matching tuple; waits only while transactions hold all matches. */
    <T> Result<T> takeIfExists(Template<T> template, Duration timeout) throws InterruptedException;

    /** Reads as {@link #read} does; cancelling the future withdraws the request. */
    <T> CompletableFuture<Result<T>> readAsync(Template<T> template, Duration timeout);

    /**
     * Takes as {@link #take} does. Cancelling withdraws the request: it either succeeds or the future has the tuple.
     */
    <T> CompletableFuture<Result<T>> takeAsync(Template<T> template, Duration timeout);

    /** Reads as {@link #readIfExists} does; cancelling the future withdraws the request. */
    <T> CompletableFuture<Result<T>> readIfExistsAsync(Template<T> template, Duration timeout);

    /** Takes as {@link #takeIfExists} does. Cancelling either succeeds or the future has the tuple. */
    <T> CompletableFuture<Result<T>> takeIfExistsAsync(Template<T> template, Duration timeout);

    /** Takes up to {@code max} matching tuples, at least one if there is any, without waiting. */
    <T> List<T> takeAll(Template<T> template, int max);

    /**
     * Takes between one and {@code max} matching tuples in one step; waits until there is one.
     *
     * @return the tuples; none if the timeout passed, or if {@code max} is zero
     * @throws IllegalArgumentException when {@code max} or the timeout is negative
     */
    <T> List<T> takeAll(Template<T> template, int max, Duration timeout) throws InterruptedException;

    /**
     * Takes as {@link #takeAll(Template, int, Duration)} does. Cancelling either succeeds or the future has the tuples.
     *
     * @return a future with at least one tuple, or with {@link Result.Empty} if the timeout passed
     * @throws IllegalArgumentException when {@code max} is less than one, or the timeout is negative
     */
    <T> CompletableFuture<Result<List<T>>> takeAllAsync(Template<T> template, int max, Duration timeout);

    /**
     * Takes as {@link #takeAll(Template, int)} does, and returns the tuples with the users who wrote them, where the
     * space records users.
     */
    <T> List<Owned<T>> takeOwned(Template<T> template, int max);

    /** Takes all matching tuples and returns their number. */
    long remove(Template<?> template);

    /**
     * Returns the matching tuples as of one moment during this call: tuples written later are not in the stream, tuples
     * taken later are. In a space over several stores, each has a moment of its own. Inside a transaction, the
     * transaction reads all of them, so that no other can take them. The caller closes the stream.
     */
    <T> Stream<T> contents(Template<T> template);

    /**
     * Returns the tuples of {@link #contents(Template)} with the users who wrote them, where the space records users.
     */
    <T> Stream<Owned<T>> ownedContents(Template<T> template);

    /**
     * Returns the first {@code limit} matching tuples in an order; otherwise like {@link #contents(Template)}.
     *
     * @throws IllegalArgumentException when the limit is negative
     */
    <T> Stream<T> contents(Template<T> template, Order order, long limit);

    /** Returns the tuples of {@link #contents(Template)} with a lease; the space closes the set when the lease ends. */
    default <T> MatchSet<T> matches(Template<T> template, Duration lease) {
        return matches(template, lease, Long.MAX_VALUE);
    }

    /**
     * Returns at most {@code limit} of the matching tuples with a lease, in no order. Inside a transaction, the
     * transaction reads these, and others can take the rest.
     *
     * @param lease how long the set can be read; the space may grant less
     * @throws IllegalArgumentException when the limit is negative, or the lease is negative and not {@link Lease#ANY}
     */
    <T> MatchSet<T> matches(Template<T> template, Duration lease, long limit);

    /**
     * Returns aggregates over the matching tuples, for each group of tuples with equal values in some components. A
     * template of an interface may match tuples of record classes that lack a component: these are left out.
     *
     * @throws IllegalArgumentException when there is no such component, or it does not support an aggregate
     * @throws ArithmeticException when a sum does not fit a long
     */
    List<Group> groupBy(Template<?> template, List<String> components, Aggregate... aggregates);

    /**
     * Passes the groups of {@link #groupBy} in no particular order. Stores in files hold only some groups in memory and
     * pass them whenever there are too many, so that a group may be passed in several parts, each over other tuples:
     * the caller merges them.
     *
     * @param bytes approximate memory for the groups
     * @param action called by this thread; must not use the space
     */
    void groupByInParts(Template<?> template, List<String> components, long bytes, Consumer<? super Group> action,
            Aggregate... aggregates);

    /**
     * Passes groups as {@link #groupByInParts(Template, List, long, Consumer, Aggregate...)} does, whose keys a
     * function makes from the values of the components. The groups have the canonical values that it returns.
     *
     * @param components components whose values the function receives; stores read no others for it
     * @param key called by several threads at the same time; must not use the space
     */
    @Internal
    void groupByInParts(Template<?> template, List<String> components, Aggregator.Key key, long bytes,
            Consumer<? super Group> action, Aggregate... aggregates);

    /** Returns the number of matching tuples. */
    long count(Template<?> template);

    /**
     * Returns the sum of a component over the matching tuples: a Double for float and double, else a Long.
     *
     * @throws IllegalArgumentException when there is no such component, or it is not a number
     * @throws ArithmeticException when the sum does not fit a long
     */
    Number sum(Template<?> template, String component);

    /**
     * Returns the least value of a component among the matching tuples; empty if no tuple matches or all values are
     * null.
     *
     * @throws IllegalArgumentException when there is no such component, or its values have no order
     */
    Optional<Object> min(Template<?> template, String component);

    /** Returns the greatest value of a component among the matching tuples; otherwise like {@link #min}. */
    Optional<Object> max(Template<?> template, String component);
}
