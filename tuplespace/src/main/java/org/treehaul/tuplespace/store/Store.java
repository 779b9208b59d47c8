// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.treehaul.core.annotation.Internal;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Group;
import org.treehaul.tuplespace.tuple.Order;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Stores tuples. Every method is one atomic step and may be called by any thread; none waits for a tuple. When a method
 * returns, its changes are durable if the store is; when it throws, nothing has changed.
 * <p>
 * A transaction holds the tuples written or taken in it until it ends; a tuple read in a transaction can be read by
 * others but not taken. Times are milliseconds since 1970. A tuple or transaction past its end no longer counts, even
 * before {@link #sweep} has removed it.
 */
public interface Store extends AutoCloseable {
    /** The end of a lease that never ends. */
    long NEVER = Long.MAX_VALUE;
    /** No transaction. */
    long NONE = 0;

    /** Does work during which no other thread of this process changes the store, then calls the listener. */
    <R> R exclusively(Supplier<R> work);

    /**
     * Writes copies of tuples, all or none, and returns their numbers in the same order.
     *
     * @param expiresAt for each tuple, the end of its lease; as many as tuples
     */
    long[] write(List<? extends Record> tuples, long[] expiresAt, long transaction);

    /** Writes copies of tuples whose leases all end at the same time. */
    default long[] write(List<? extends Record> tuples, long expiresAt, long transaction) {
        long[] ends = new long[tuples.size()];
        Arrays.fill(ends, expiresAt);
        return write(tuples, ends, transaction);
    }

    /**
     * Writes copies of tuples in the same step in which a tuple that matches {@code guard} can be read; empty, and
     * nothing changes, if there is none or a transaction holds it.
     *
     * @param expiresAt as for {@link #write(List, long[], long)}
     */
    default Optional<long[]> writeWhile(Template<?> guard, List<? extends Record> tuples, long[] expiresAt) {
        long alone = beginAlone();
        boolean isDone = false;
        try {
            Optional<long[]> ids = attempt(guard, false, alone) instanceof Attempt.Hit
                    ? Optional.of(write(tuples, expiresAt, alone))
                    : Optional.empty();
            isDone = ids.isPresent() && commit(alone);
            return isDone ? ids : Optional.empty();
        } finally {
            if (!isDone) {
                abort(alone);
            }
        }
    }

    /**
     * Does work of this thread whose changes are no events, here and in other processes, because no user sees them:
     * other processes that wait for tuples only look again. A store that has no other processes may report the changes.
     */
    default <R> R quietly(Supplier<R> work) {
        return work.get();
    }

    /** Makes one attempt to read or take a tuple. */
    <T> Attempt<T> attempt(Template<T> template, boolean isTake, long transaction);

    /** Takes up to {@code max} matching tuples. */
    <T> List<T> takeAll(Template<T> template, int max, long transaction);

    /** Takes as {@link #takeAll} does. A store that records users returns the owners. */
    default <T> List<Owned<T>> takeOwned(Template<T> template, int max, long transaction) {
        return takeAll(template, max, transaction).stream().map(tuple -> new Owned<>(tuple, Optional.empty())).toList();
    }

    /** Takes all matching tuples and returns their number. */
    long remove(Template<?> template, long transaction);

    /**
     * Returns the matching tuples as of now, in the order if any. A transaction reads all that are returned, and no
     * others. The caller closes the stream.
     *
     * @param limit the most tuples to return, from zero
     */
    <T> Stream<Stored<T>> contents(Template<T> template, Optional<Order> order, long limit, long transaction);

    /** Computes aggregates over the matching tuples, grouped by components; one group if there are no components. */
    List<Group> aggregate(Template<?> template, List<String> by, List<Aggregate> aggregates, long transaction);

    /**
     * Passes the groups of {@link #aggregate}. A store whose tuples need not fit into memory passes a group in several
     * parts instead of keeping more than about this number of bytes.
     */
    default void aggregateInParts(Template<?> template, List<String> by, List<Aggregate> aggregates, long transaction,
            long bytes, Consumer<? super Group> action) {
        aggregate(template, by, aggregates, transaction).forEach(action);
    }

    /**
     * Adds the matching tuples to an aggregator, with its components and aggregates. It may add several tuples with
     * equal values of the components at once.
     */
    @Internal
    default void aggregate(Template<?> template, Aggregator into, long transaction) {
        aggregateInParts(template, into.by(), into.aggregates(), transaction, into.most() / 2, into::add);
    }

    /** Sets a new end for a tuple's lease; returns false when there is no such tuple. */
    boolean renew(long tuple, long expiresAt);

    /** Removes a tuple; returns false when there is no such tuple. */
    boolean cancel(long tuple);

    /**
     * Sets new ends for the leases of several tuples, and returns the numbers of those that there are. Each is renewed
     * as by {@link #renew}; a store whose steps are costly makes one step of all.
     *
     * @param expiresAt for each tuple, the new end of its lease; as many as tuples
     */
    default long[] renewAll(long[] tuples, long[] expiresAt) {
        return IntStream.range(0, tuples.length)
                .filter(i -> renew(tuples[i], expiresAt[i]))
                .mapToLong(i -> tuples[i])
                .toArray();
    }

    /** Removes several tuples, each as by {@link #cancel}; a store whose steps are costly makes one step of all. */
    default void cancelAll(long[] tuples) {
        for (long tuple : tuples) {
            cancel(tuple);
        }
    }

    /**
     * Returns the numbers, out of some, that belong to tuples, including tuples that a transaction holds. A store may
     * return all of them if it does not know.
     */
    default long[] existing(long[] tuples) {
        return tuples;
    }

    /**
     * Returns the record classes of which the store has or had tuples, as it has them, so that tuples can be moved by
     * programs that do not have the classes. A store that needs the classes itself, or does not know them, returns
     * none.
     */
    default List<StoredClass> recordClasses() {
        return List.of();
    }

    /**
     * Returns how many milliseconds the clock of {@link Stored#expiresAt} is ahead of that by which leases are given: a
     * server may have its own.
     */
    default long ahead() {
        return 0;
    }

    /** Begins a transaction. */
    long begin(long expiresAt);

    /**
     * Begins a transaction of this thread alone. It locks other writers out of a shared store, needs little memory for
     * its changes, and is rolled back at once when the process ends.
     */
    long beginAlone();

    /** Sets a new end for a transaction; returns false when it has ended. */
    boolean renewTransaction(long transaction, long expiresAt);

    /**
     * Keeps a transaction until it is committed or aborted, even if this process dies or the lease ends; returns false
     * when it has ended.
     */
    default boolean prepare(long transaction) {
        return renewTransaction(transaction, NEVER);
    }

    /** Makes a transaction's changes visible, and durable if the store is; returns false when it has ended. */
    boolean commit(long transaction);

    /** Rolls a transaction back; returns false when it has ended. */
    boolean abort(long transaction);

    /** Removes everything that has ended, and returns when the next lease ends. */
    long sweep();

    /** Notifies the store that {@link StoreListener#isInterested} may have changed. */
    void interestChanged();

    @Override
    void close();
}
