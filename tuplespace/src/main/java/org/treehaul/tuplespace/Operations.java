// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.treehaul.tuplespace.Waiter.Request;
import org.treehaul.tuplespace.store.Aggregator;
import org.treehaul.tuplespace.store.Attempt;
import org.treehaul.tuplespace.store.Owned;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Group;
import org.treehaul.tuplespace.tuple.Order;
import org.treehaul.tuplespace.tuple.Template;

/** The tuple operations, in one transaction or in none. */
class Operations implements TupleOperations {
    final Store store;
    final Waiters waiters;
    final Leases leases;
    private final Executor executor;
    private final long transaction;
    private final boolean canWait;

    Operations(Store store, Waiters waiters, Leases leases, Executor executor, long transaction) {
        this(store, waiters, leases, executor, transaction, true);
    }

    /** @param canWait whether to wait at all; otherwise each timeout counts as zero */
    Operations(Store store, Waiters waiters, Leases leases, Executor executor, long transaction, boolean canWait) {
        this.store = store;
        this.waiters = waiters;
        this.leases = leases;
        this.executor = executor;
        this.transaction = transaction;
        this.canWait = canWait;
    }

    /** Shares the store, waiters and leases of other operations. */
    Operations(Operations others) {
        this(others.store, others.waiters, others.leases, others.executor, others.transaction, others.canWait);
    }

    @Override
    public Lease write(Record tuple, Duration lease) {
        return writeAll(List.of(tuple), lease).getFirst();
    }

    @Override
    public List<Lease> writeAll(Collection<? extends Record> tuples, Duration lease) {
        List<Record> all = List.copyOf(tuples);
        long[] ends = new long[all.size()];
        Arrays.fill(ends, leases.end(lease));
        return write(all, ends);
    }

    @Override
    public List<Lease> writeAll(List<? extends Record> tuples, List<Duration> durations) {
        List<Record> all = List.copyOf(tuples);
        long[] ends = durations.stream().mapToLong(leases::end).toArray();
        if (all.size() != ends.length) {
            throw new IllegalArgumentException(all.size() + " tuples, but " + ends.length + " leases");
        }
        return write(all, ends);
    }

    private List<Lease> write(List<? extends Record> tuples, long[] ends) {
        long[] ids = store.write(tuples, ends, transaction);
        if (transaction != Store.NONE && waiters.isAny()) {
            // Other transactions see the tuples only after the commit, but a waiter in this transaction sees them now.
            store.exclusively(() -> {
                waiters.serve(transaction);
                return true;
            });
        }
        List<Lease> granted = new ArrayList<>(ids.length);
        for (int i = 0; i < ids.length; i++) {
            long id = ids[i];
            granted.add(leases.of(ends[i], later -> store.renew(id, later), () -> store.cancel(id)));
        }
        return granted;
    }

    @Override
    public <T> Result<T> read(Template<T> template, Duration timeout) throws InterruptedException {
        return find(one(template, false, false), timeout);
    }

    @Override
    public <T> Result<T> take(Template<T> template, Duration timeout) throws InterruptedException {
        return find(one(template, true, false), timeout);
    }

    @Override
    public <T> Result<T> readIfExists(Template<T> template, Duration timeout) throws InterruptedException {
        return find(one(template, false, true), timeout);
    }

    @Override
    public <T> Result<T> takeIfExists(Template<T> template, Duration timeout) throws InterruptedException {
        return find(one(template, true, true), timeout);
    }

    @Override
    public <T> CompletableFuture<Result<T>> readAsync(Template<T> template, Duration timeout) {
        return later(one(template, false, false), timeout);
    }

    @Override
    public <T> CompletableFuture<Result<T>> takeAsync(Template<T> template, Duration timeout) {
        return later(one(template, true, false), timeout);
    }

    @Override
    public <T> CompletableFuture<Result<T>> readIfExistsAsync(Template<T> template, Duration timeout) {
        return later(one(template, false, true), timeout);
    }

    @Override
    public <T> CompletableFuture<Result<T>> takeIfExistsAsync(Template<T> template, Duration timeout) {
        return later(one(template, true, true), timeout);
    }

    @Override
    public <T> CompletableFuture<Result<List<T>>> takeAllAsync(Template<T> template, int max, Duration timeout) {
        return later(several(template, max), timeout);
    }

    private <T> Request<T> one(Template<T> template, boolean isTake, boolean isIfExists) {
        return new Request<>(template, isIfExists, transaction, () -> store.attempt(template, isTake, transaction));
    }

    /** Takes several in one step: if that fails, none is taken. */
    private <T> Request<List<T>> several(Template<T> template, int max) {
        if (max < 1) {
            throw new IllegalArgumentException("at most " + max);
        }
        return new Request<>(template, false, transaction, () -> {
            List<T> taken = store.takeAll(template, max, transaction);
            return taken.isEmpty() ? new Attempt.Miss<>() : new Attempt.Hit<>(taken);
        });
    }

    private <R> Result<R> find(Request<R> request, Duration timeout) throws InterruptedException {
        return find(request, timeout, Long.MAX_VALUE, () -> {
        });
    }

    /**
     * Takes like {@link #take}.
     *
     * @param interval nanoseconds of waiting between two calls of {@code repeated}
     * @param repeated runs after each interval, for as long as the take waits
     */
    final <T> Result<T> take(Template<T> template, Duration timeout, long interval, Runnable repeated)
            throws InterruptedException {
        return find(one(template, true, false), timeout, interval, repeated);
    }

    private <R> Result<R> find(Request<R> request, Duration timeout, long interval, Runnable repeated)
            throws InterruptedException {
        long nanos = nanos(timeout);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        // The last change has already served the waiters, so any tuple that is left is free for this caller.
        switch (request.attempt().get()) {
            case Attempt.Hit<R>(R found) -> {
                return new Result.Found<>(found);
            }
            case Attempt.Miss<R>() when request.isIfExists() || nanos == 0 -> {
                return new Result.Empty<>();
            }
            case Attempt.Held<R>() when nanos == 0 -> {
                return new Result.Locked<>();
            }
            case Attempt.Miss<R>() -> {
            }
            case Attempt.Held<R>() -> {
            }
        }
        Waiter<R> waiter = new Waiter<>(waiters, request, null);
        waiters.enter(waiter);
        try {
            return await(waiter, nanos, interval, repeated);
        } catch (TimeoutException over) {
            waiters.giveUp(waiter);
            return outcome(waiter);
        } catch (RuntimeException e) {
            waiters.withdraw(waiter);
            throw e;
        } catch (InterruptedException e) {
            if (waiters.withdraw(waiter)) {
                throw e;
            }
            // The tuple arrived at the same moment. The interrupt stays set for the caller's next wait.
            Thread.currentThread().interrupt();
            return outcome(waiter);
        } catch (ExecutionException e) {
            throw failure(Objects.requireNonNullElse(e.getCause(), e));
        }
    }

    private static <T> Result<T> await(Waiter<T> waiter, long nanos, long interval, Runnable repeated)
            throws InterruptedException, ExecutionException, TimeoutException {
        long left = nanos;
        long before = System.nanoTime();
        while (left > interval) {
            try {
                return waiter.get(interval, TimeUnit.NANOSECONDS);
            } catch (TimeoutException notYet) {
                repeated.run();
                long now = System.nanoTime();
                left = nanos == Long.MAX_VALUE ? nanos : left - (now - before);
                before = now;
            }
        }
        return left == Long.MAX_VALUE ? waiter.get() : waiter.get(Math.max(0, left), TimeUnit.NANOSECONDS);
    }

    private static <T> Result<T> outcome(Waiter<T> waiter) {
        if (waiter.isCompletedExceptionally()) {
            throw failure(waiter.exceptionNow());
        }
        return waiter.join();
    }

    private static RuntimeException failure(Throwable cause) {
        return switch (cause) {
            // A new exception, with the stack of the thread that waited.
            case SpaceException space ->
                new SpaceException(space.reason(), Objects.requireNonNullElse(space.getMessage(), ""), space);
            case RuntimeException own -> own;
            default -> new IllegalStateException(cause);
        };
    }

    private <R> CompletableFuture<Result<R>> later(Request<R> request, Duration timeout) {
        long nanos = nanos(timeout);
        Waiter<R> waiter = new Waiter<>(waiters, request, executor);
        waiters.enter(waiter);
        if (nanos == 0) {
            waiters.giveUp(waiter);
        } else if (nanos != Long.MAX_VALUE && !waiter.isDone()) {
            // Cancelling this future removes its timer. A delayed executor would keep its timer, and the result with
            // it, until the timeout.
            CompletableFuture<Void> over = new CompletableFuture<Void>().completeOnTimeout(null, nanos,
                    TimeUnit.NANOSECONDS);
            var _ = over.thenRunAsync(() -> waiters.giveUp(waiter), executor);
            var _ = waiter.whenComplete((result, failure) -> over.cancel(false));
        }
        return waiter;
    }

    /** Converts a timeout to nanoseconds; Long.MAX_VALUE means forever. */
    private long nanos(Duration timeout) {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("a timeout of " + timeout);
        }
        if (!canWait) {
            return 0;
        }
        return timeout.toSeconds() >= Long.MAX_VALUE / 1_000_000_000 ? Long.MAX_VALUE : timeout.toNanos();
    }

    @Override
    public <T> List<T> takeAll(Template<T> template, int max) {
        checkMost(max);
        return max == 0 ? List.of() : store.takeAll(template, max, transaction);
    }

    private static void checkMost(long max) {
        if (max < 0) {
            throw new IllegalArgumentException("at most " + max);
        }
    }

    @Override
    public <T> List<Owned<T>> takeOwned(Template<T> template, int max) {
        checkMost(max);
        return max == 0 ? List.of() : store.takeOwned(template, max, transaction);
    }

    @Override
    public <T> List<T> takeAll(Template<T> template, int max, Duration timeout) throws InterruptedException {
        nanos(timeout);
        return max == 0 ? List.of() : find(several(template, max), timeout).tuple().orElse(List.of());
    }

    @Override
    public long remove(Template<?> template) {
        return store.remove(template, transaction);
    }

    @Override
    public <T> Stream<T> contents(Template<T> template) {
        return contents(template, Optional.empty(), Long.MAX_VALUE);
    }

    @Override
    public <T> Stream<Owned<T>> ownedContents(Template<T> template) {
        return store.contents(template, Optional.empty(), Long.MAX_VALUE, transaction)
                .map(stored -> new Owned<>(stored.tuple(), Optional.ofNullable(stored.owner())));
    }

    @Override
    public <T> Stream<T> contents(Template<T> template, Order order, long limit) {
        return contents(template, Optional.of(order), limit);
    }

    private <T> Stream<T> contents(Template<T> template, Optional<Order> order, long limit) {
        checkMost(limit);
        return store.contents(template, order, limit, transaction).map(Stored::tuple);
    }

    @Override
    public <T> MatchSet<T> matches(Template<T> template, Duration lease, long limit) {
        long end = leases.end(lease);
        LeasedMatches<T> matches = new LeasedMatches<>(contents(template, Optional.empty(), limit), leases, end);
        leases.watch(matches::check);
        return matches;
    }

    @Override
    public List<Group> groupBy(Template<?> template, List<String> components, Aggregate... aggregates) {
        return store.aggregate(template, components, List.of(aggregates), transaction);
    }

    @Override
    public void groupByInParts(Template<?> template, List<String> components, long bytes,
            Consumer<? super Group> action, Aggregate... aggregates) {
        store.aggregateInParts(template, components, List.of(aggregates), transaction, bytes, action);
    }

    @Override
    public void groupByInParts(Template<?> template, List<String> components, Aggregator.Key key, long bytes,
            Consumer<? super Group> action, Aggregate... aggregates) {
        Aggregator sums = new Aggregator(template, components, key, List.of(aggregates), bytes, action);
        store.aggregate(template, sums, transaction);
        sums.groups().forEach(action);
    }

    @Override
    public long count(Template<?> template) {
        return (Long) one(template, Aggregate.count()).orElseThrow();
    }

    @Override
    public Number sum(Template<?> template, String component) {
        return (Number) one(template, Aggregate.sum(component)).orElseThrow();
    }

    @Override
    public Optional<Object> min(Template<?> template, String component) {
        return one(template, Aggregate.min(component));
    }

    @Override
    public Optional<Object> max(Template<?> template, String component) {
        return one(template, Aggregate.max(component));
    }

    private Optional<Object> one(Template<?> template, Aggregate aggregate) {
        return Optional.ofNullable(groupBy(template, List.of(), aggregate).getFirst().values().getFirst());
    }
}
