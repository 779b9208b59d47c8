// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.tuple.Template;

/** The registrations for events. Each joins the {@link Hub}, and leaves it when it is closed or its lease ends. */
final class Registrations {
    private final Store store;
    private final Hub hub;
    private final Leases leases;
    private final Executor executor;
    private final int capacity;
    private final Map<Delivery<?>, Flow.Subscriber<?>> publishers = new ConcurrentHashMap<>();

    /** @param capacity number of events that are queued for a slow action */
    Registrations(Store store, Hub hub, Leases leases, Executor executor, int capacity) {
        this.store = store;
        this.hub = hub;
        this.leases = leases;
        this.executor = executor;
        this.capacity = capacity;
    }

    <T> Registration on(Template<T> template, Set<EventKind> kinds, Duration duration,
            Consumer<? super TupleEvent<T>> action) {
        return on(template, kinds, duration, action, Store.NONE, () -> Store.NEVER);
    }

    /**
     * Registers an action as {@link Transaction#on} does.
     *
     * @param transactionEnd returns when the transaction ends
     */
    <T> Registration on(Template<T> template, Set<EventKind> kinds, Duration duration,
            Consumer<? super TupleEvent<T>> action, long transaction, LongSupplier transactionEnd) {
        Delivery<T> delivery = new Delivery<>(transaction, template, kinds, action, executor, capacity, Long.MAX_VALUE);
        long end = leases.end(duration);
        Timed timed = new Timed(delivery, end, transactionEnd);
        Lease lease = leases.of(end, timed::renew, timed::cancel);
        store.exclusively(() -> {
            if (transactionEnd.getAsLong() <= leases.now()) {
                throw new SpaceException(SpaceException.Reason.TRANSACTION_ENDED, "the transaction has ended");
            }
            join(delivery);
            return true;
        });
        leases.watch(timed::check);
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

    /** A delivery that ends with its lease or with its transaction. */
    private final class Timed {
        private final Delivery<?> delivery;
        private final LongSupplier transactionEnd;
        private volatile long expiresAt;

        Timed(Delivery<?> delivery, long expiresAt, LongSupplier transactionEnd) {
            this.delivery = delivery;
            this.expiresAt = expiresAt;
            this.transactionEnd = transactionEnd;
        }

        boolean renew(long later) {
            boolean isLive = hub.deliveries.contains(delivery) && expiresAt > leases.now();
            if (isLive) {
                expiresAt = later;
            }
            return isLive;
        }

        boolean cancel() {
            delivery.end();
            return leave(delivery);
        }

        /** Ends the delivery if it is over by {@code now}; returns when it will end, or {@link Sweeper#OVER}. */
        long check(long now) {
            long end = hub.deliveries.contains(delivery)
                    ? Math.min(expiresAt, transactionEnd.getAsLong())
                    : Sweeper.OVER;
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
            } catch (RuntimeException e) {
                // The caller gets the exception, so the registration must not deliver anything.
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

    <T> Flow.Publisher<TupleEvent<T>> events(Template<T> template, Set<EventKind> kinds) {
        return subscriber -> {
            Delivery<T> delivery = new Delivery<>(Store.NONE, template, kinds, subscriber::onNext, executor, capacity,
                    0);
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

    /**
     * Ends a transaction together with its registrations, which do not receive again, at the commit, the events that
     * they have received before. Called within the store's exclusive section.
     */
    boolean end(long transaction, BooleanSupplier ending) {
        List<Delivery<?>> in = hub.removeIn(transaction);
        boolean isEnded = false;
        try {
            boolean wasLive = ending.getAsBoolean();
            isEnded = true;
            return wasLive;
        } finally {
            if (!isEnded) {
                hub.deliveries.addAll(in);
            } else if (!in.isEmpty()) {
                in.forEach(delivery -> delivery.complete(() -> {
                }));
                store.interestChanged();
            }
        }
    }

    /**
     * Ends all registrations; publishers still deliver the events that are queued. Called within the store's exclusive
     * section.
     */
    void close() {
        hub.deliveries.forEach(delivery -> {
            Flow.Subscriber<?> subscriber = publishers.remove(delivery);
            if (subscriber != null) {
                delivery.complete(subscriber::onComplete);
            }
        });
        hub.deliveries.clear();
        store.interestChanged();
    }
}
