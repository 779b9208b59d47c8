// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.store.Change;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.tuple.Template;

/** A space over a store: adds waiting, leases that end by themselves, and events. */
final class Space extends Operations implements TupleSpace {
    /** Each renewal may be a write to the disk. */
    private static final long SHORTEST_RENEWAL = Duration.ofMillis(20).toNanos();
    /** Nobody waits for so long. */
    private static final Duration LONGEST_RENEWAL = Duration.ofDays(36_500);

    private final SpaceOptions options;
    private final Hub hub;
    private final ExecutorService executor;
    private final Sweeper sweeper;
    private final Map<Delivery<?>, Flow.Subscriber<?>> publishers = new ConcurrentHashMap<>();

    /** Hears the store, and has what the space and its transactions share. */
    private static final class Hub implements StoreListener {
        private final List<Delivery<?>> deliveries = new CopyOnWriteArrayList<>();
        private final AtomicReference<Waiters> waiters = new AtomicReference<>();

        private Waiters waiters() {
            Waiters known = waiters.get();
            if (known == null) {
                throw new IllegalStateException("the store tells of changes before it is open");
            }
            return known;
        }

        @Override
        public boolean isInterested() {
            Waiters known = waiters.get();
            return !deliveries.isEmpty() || known != null && known.isAny();
        }

        @Override
        public boolean wantsEvents() {
            return !deliveries.isEmpty();
        }

        @Override
        public boolean hasRoom() {
            return deliveries.stream().allMatch(Delivery::hasRoom);
        }

        @Override
        public void changed(List<Change> changes) {
            for (Delivery<?> delivery : deliveries) {
                changes.forEach(delivery::offer);
            }
            waiters().changed(changes);
        }

        @Override
        public void changedElsewhere() {
            waiters().serveAll();
        }

        @Override
        public void lost() {
            deliveries.forEach(Delivery::lose);
        }
    }

    static Space over(Function<StoreListener, Store> opener, SpaceOptions options) {
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
        super(store, waiters, new Leases(options, sweeper::due), executor, Store.NONE);
        this.options = options;
        this.hub = hub;
        this.sweeper = sweeper;
        this.executor = executor;
    }

    @Override
    public Transaction begin(Duration duration) {
        return transaction(duration);
    }

    private InTransaction transaction(Duration duration) {
        long end = leases.end(duration);
        long transaction = store.begin(end);
        Lease lease = leases.of(end, later -> store.renewTransaction(transaction, later),
                () -> end(() -> store.abort(transaction)));
        return new InTransaction(this, transaction, lease);
    }

    private boolean end(BooleanSupplier ending) {
        return store.exclusively(() -> {
            boolean wasLive = ending.getAsBoolean();
            waiters.serveTransactions();
            return wasLive;
        });
    }

    private static final class InTransaction extends Operations implements Transaction {
        private final Space space;
        private final long transaction;
        private final Lease lease;
        private boolean isEnded;

        InTransaction(Space space, long transaction, Lease lease) {
            super(space.store, space.waiters, space.leases, space.executor, transaction);
            this.space = space;
            this.transaction = transaction;
            this.lease = lease;
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
                                "the transaction ended while a tuple was waited for", e);
            }
        }

        @Override
        public synchronized void commit() {
            boolean wasLive = !isEnded && space.end(() -> store.commit(transaction));
            isEnded = true;
            if (!wasLive) {
                throw new SpaceException(SpaceException.Reason.TRANSACTION_ENDED,
                        "the transaction had ended before its commit, and nothing of it was done");
            }
        }

        @Override
        public synchronized void close() {
            if (!isEnded) {
                isEnded = true;
                space.end(() -> store.abort(transaction));
            }
        }
    }

    @Override
    public <T> Result<T> handle(Template<T> template, Duration timeout, Duration lease, Consumer<? super T> action)
            throws InterruptedException {
        try (InTransaction transaction = transaction(lease)) {
            // The lease is for the action: while it waits for a tuple it is not to run out.
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
            R result = work.apply(new Operations(store, waiters, leases, executor, transaction));
            isDone = end(() -> store.commit(transaction));
            return result;
        } finally {
            if (!isDone) {
                end(() -> store.abort(transaction));
            }
        }
    }

    @Override
    public <T> Registration on(Template<T> template, Set<EventKind> kinds, Duration duration,
            Consumer<? super TupleEvent<T>> action) {
        Delivery<T> delivery = new Delivery<>(template, kinds, action, executor, options.eventCapacity(),
                Long.MAX_VALUE);
        long end = leases.end(duration);
        Timed timed = new Timed(delivery, end);
        Lease lease = leases.of(end, timed::renew, timed::cancel);
        join(delivery);
        sweeper.watch(timed::check);
        return new Registration() {
            @Override
            public Lease lease() {
                return lease;
            }

            @Override
            public long lost() {
                return delivery.lost();
            }

            @Override
            public void close() {
                timed.cancel();
            }
        };
    }

    /** A delivery that ends with a lease. */
    private final class Timed {
        private final Delivery<?> delivery;
        private volatile long expiresAt;

        Timed(Delivery<?> delivery, long expiresAt) {
            this.delivery = delivery;
            this.expiresAt = expiresAt;
        }

        boolean renew(long later) {
            boolean isLive = hub.deliveries.contains(delivery) && expiresAt > options.store().clock().millis();
            if (isLive) {
                expiresAt = later;
            }
            return isLive;
        }

        boolean cancel() {
            delivery.end();
            return leave(delivery);
        }

        /** Returns when it ends, unless it has. */
        long check(long now) {
            long end = hub.deliveries.contains(delivery) ? expiresAt : Sweeper.OVER;
            if (end > now) {
                return end;
            }
            if (end != Sweeper.OVER) {
                cancel();
            }
            return Sweeper.OVER;
        }
    }

    private void join(Delivery<?> delivery) {
        store.exclusively(() -> {
            hub.deliveries.add(delivery);
            try {
                store.interestChanged();
            } catch (SpaceException e) {
                // Who is told that it failed is not to hear of anything.
                hub.deliveries.remove(delivery);
                throw e;
            }
            return true;
        });
    }

    private boolean leave(Delivery<?> delivery) {
        try {
            return store.exclusively(() -> {
                boolean wasThere = hub.deliveries.remove(delivery);
                store.interestChanged();
                return wasThere;
            });
        } catch (SpaceException closed) {
            return false;
        }
    }

    @Override
    public <T> Flow.Publisher<TupleEvent<T>> events(Template<T> template, Set<EventKind> kinds) {
        return subscriber -> {
            Delivery<T> delivery = new Delivery<>(template, kinds, subscriber::onNext, executor,
                    options.eventCapacity(), 0);
            publishers.put(delivery, subscriber);
            subscriber.onSubscribe(new Flow.Subscription() {
                @Override
                public void request(long more) {
                    if (more <= 0) {
                        cancel();
                        subscriber.onError(new IllegalArgumentException("a demand of " + more));
                    } else {
                        delivery.request(more);
                    }
                }

                @Override
                public void cancel() {
                    publishers.remove(delivery);
                    delivery.end();
                    leave(delivery);
                }
            });
            if (!publishers.containsKey(delivery)) {
                return;
            }
            try {
                join(delivery);
            } catch (SpaceException e) {
                if (publishers.remove(delivery) != null) {
                    subscriber.onError(e);
                }
            }
        };
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
        return Snapshot.read(store, file);
    }

    @Override
    public void close() {
        sweeper.close();
        try {
            store.exclusively(() -> {
                waiters.failAll(new SpaceException(SpaceException.Reason.CLOSED, "the space was closed"));
                hub.deliveries.forEach(delivery -> {
                    Flow.Subscriber<?> subscriber = publishers.remove(delivery);
                    if (subscriber != null) {
                        delivery.complete(subscriber::onComplete);
                    }
                });
                hub.deliveries.clear();
                store.interestChanged();
                return true;
            });
        } catch (SpaceException closedAlready) {
            return;
        }
        store.close();
        // Actions that run go on to their end, but nobody waits for them: one of them may be who closes.
        executor.shutdown();
    }
}
