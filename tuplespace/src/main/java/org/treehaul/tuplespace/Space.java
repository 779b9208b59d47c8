// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.tuple.Template;

/** A space over a store: adds waiting, leases that end by themselves, and events. */
final class Space extends Operations implements TupleSpace {
    /** Shortest interval between two renewals, because each may write to disk. */
    private static final long SHORTEST_RENEWAL = Duration.ofMillis(20).toNanos();
    /** A longer interval between renewals means none at all: no operation waits for a hundred years. */
    private static final Duration LONGEST_RENEWAL = Duration.ofDays(36_500);

    private final SpaceOptions options;
    private final ExecutorService executor;
    private final Sweeper sweeper;
    private final Registrations registrations;

    static Space over(Function<StoreListener, Store> opener, SpaceOptions options) {
        Space space = toRead(opener, options);
        space.sweeper.start();
        return space;
    }

    /** Returns a space over a store that cannot be changed, so that nothing is swept. */
    static Space toRead(Function<StoreListener, Store> opener, SpaceOptions options) {
        Hub hub = new Hub();
        Store store = opener.apply(hub);
        Waiters waiters = new Waiters(store);
        hub.waiters.set(waiters);
        return new Space(store, waiters, options, hub);
    }

    private Space(Store store, Waiters waiters, SpaceOptions options, Hub hub) {
        this(store, waiters, options, hub, new Sweeper(options.store().clock(), () -> {
            long next = store.sweep();
            store.exclusively(() -> {
                waiters.serveTransactions();
                return true;
            });
            return next;
        }), Executors.newVirtualThreadPerTaskExecutor());
    }

    private Space(Store store, Waiters waiters, SpaceOptions options, Hub hub, Sweeper sweeper,
            ExecutorService executor) {
        super(store, waiters, new Leases(options, sweeper::due, sweeper::watch), executor, Store.NONE);
        this.options = options;
        this.sweeper = sweeper;
        this.executor = executor;
        registrations = new Registrations(store, hub, leases, executor, options.eventCapacity());
    }

    @Override
    public Transaction begin(Duration duration) {
        return transaction(duration);
    }

    private InTransaction transaction(Duration duration) {
        long end = leases.end(duration);
        long transaction = store.begin(end);
        AtomicBoolean isOver = new AtomicBoolean();
        Lease lease = leases.of(end, later -> store.renewTransaction(transaction, later), () -> end(transaction, () -> {
            boolean wasLive = store.abort(transaction);
            isOver.set(true);
            return wasLive;
        }));
        return new InTransaction(this, transaction, lease, isOver);
    }

    private boolean end(long transaction, BooleanSupplier ending) {
        return store.exclusively(() -> {
            boolean wasLive = registrations.end(transaction, ending);
            waiters.serveTransactions();
            return wasLive;
        });
    }

    private static final class InTransaction extends Operations implements Transaction {
        private final Space space;
        private final long transaction;
        private final Lease lease;
        /** Whether the transaction's lease was cancelled. */
        private final AtomicBoolean isOver;
        /** Changed within the store's exclusive section only, which another thread of the caller may have. */
        private volatile boolean isEnded;

        InTransaction(Space space, long transaction, Lease lease, AtomicBoolean isOver) {
            super(space.store, space.waiters, space.leases, space.executor, transaction);
            this.space = space;
            this.transaction = transaction;
            this.lease = lease;
            this.isOver = isOver;
        }

        @Override
        public Lease lease() {
            return lease;
        }

        void renew(Duration duration) {
            try {
                lease.renew(duration);
            } catch (SpaceException e) {
                throw e.reason() != SpaceException.Reason.UNKNOWN_LEASE
                        ? e
                        : new SpaceException(SpaceException.Reason.TRANSACTION_ENDED,
                                "the transaction ended while an operation waited for a tuple", e);
            }
        }

        @Override
        public <T> Registration on(Template<T> template, Set<EventKind> kinds, Duration duration,
                Consumer<? super TupleEvent<T>> action) {
            return space.registrations.on(template, kinds, duration, action, transaction, () -> {
                Instant end = lease.expiration();
                return isEnded || isOver.get()
                        ? Long.MIN_VALUE
                        : end.equals(Instant.MAX) ? Store.NEVER : end.toEpochMilli();
            });
        }

        @Override
        public void commit() {
            if (!end(() -> store.commit(transaction))) {
                throw new SpaceException(SpaceException.Reason.TRANSACTION_ENDED,
                        "the transaction had ended before its commit, so all of it was undone");
            }
        }

        @Override
        public void close() {
            end(() -> store.abort(transaction));
        }

        private boolean end(BooleanSupplier ending) {
            return !isEnded && store.exclusively(() -> {
                boolean wasLive = !isEnded && space.end(transaction, ending);
                isEnded = true;
                return wasLive;
            });
        }
    }

    @Override
    public <T> Result<T> handle(Template<T> template, Duration timeout, Duration lease, Consumer<? super T> action)
            throws InterruptedException {
        try (InTransaction transaction = transaction(lease)) {
            // The lease is for the action, so it must not run out while this thread waits for a tuple.
            Duration third = Duration.between(options.store().clock().instant(), transaction.lease.expiration())
                    .dividedBy(3);
            long interval = third.compareTo(LONGEST_RENEWAL) > 0
                    ? Long.MAX_VALUE
                    : Math.max(SHORTEST_RENEWAL, third.toNanos());
            long began = System.nanoTime();
            Result<T> result = transaction.take(template, timeout, interval, () -> transaction.renew(lease));
            if (result instanceof Result.Found<T>(T tuple)) {
                if (System.nanoTime() - began > SHORTEST_RENEWAL) {
                    transaction.renew(lease);
                }
                action.accept(tuple);
                transaction.commit();
            }
            return result;
        }
    }

    @Override
    public <R extends @Nullable Object> R atomically(Function<? super TupleOperations, R> work) {
        long transaction = store.beginAlone();
        boolean isDone = false;
        try {
            // Does not wait: this thread keeps the others from writing the tuple.
            R result = work.apply(new Operations(store, waiters, leases.unwatched(), executor, transaction, false));
            isDone = end(transaction, () -> store.commit(transaction));
            if (!isDone) {
                throw new SpaceException(SpaceException.Reason.TRANSACTION_ENDED,
                        "the work took too long without a sign of life of this process, so all of it was undone");
            }
            return result;
        } finally {
            if (!isDone) {
                end(transaction, () -> store.abort(transaction));
            }
        }
    }

    @Override
    public <T> Registration on(Template<T> template, Set<EventKind> kinds, Duration lease,
            Consumer<? super TupleEvent<T>> action) {
        return registrations.on(template, kinds, lease, action);
    }

    @Override
    public <T> Flow.Publisher<TupleEvent<T>> events(Template<T> template, Set<EventKind> kinds) {
        return registrations.events(template, kinds);
    }

    @Override
    public void sweep() {
        sweeper.sweep();
    }

    @Override
    public long store(Path file, Template<?> template) {
        return Snapshot.write(store, file, template);
    }

    @Override
    public long load(Path file) {
        return Snapshot.read(store, options.store().clock(), file);
    }

    @Override
    public void close() {
        sweeper.close();
        try {
            store.exclusively(() -> {
                waiters.failAll(new SpaceException(SpaceException.Reason.CLOSED, "the space was closed"));
                registrations.close();
                return true;
            });
        } catch (SpaceException closedAlready) {
            return;
        }
        store.close();
        sweeper.awaitEnd();
        // Running actions complete, but close() does not wait for them: it may itself be called by an action.
        executor.shutdown();
    }
}
