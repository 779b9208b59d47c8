// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.memory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.memory.Entry.Holder;
import org.treehaul.tuplespace.store.Aggregator;
import org.treehaul.tuplespace.store.Attempt;
import org.treehaul.tuplespace.store.Change;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Group;
import org.treehaul.tuplespace.tuple.Order;
import org.treehaul.tuplespace.tuple.Template;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * Stores tuples in memory, in tables by record class, under one lock. Each change calls the listener before the lock is
 * released, so that waiting operations are served before new ones.
 */
public final class MemoryStore implements Store {
    private final StoreOptions options;
    private final StoreListener listener;
    private final ReentrantLock lock = new ReentrantLock();
    private final Tables tables;
    private final Map<Long, Entry> entries = new HashMap<>();
    private final Holders holders = new Holders(this);
    /** May also contain entries that are gone or have another end; the sweep ignores these. */
    private PriorityQueue<Due> due = new PriorityQueue<>(Comparator.comparingLong(Due::at));
    private List<Change> changes = new ArrayList<>();
    private boolean isPublishing;
    private long lastId;
    private boolean isClosed;

    private record Due(long at, Entry entry) {}

    public MemoryStore(StoreOptions options, StoreListener listener) {
        this.options = options;
        this.listener = listener;
        this.tables = new Tables(options.indexes());
    }

    @Override
    public <R> R exclusively(Supplier<R> work) {
        lock.lock();
        try {
            if (isClosed) {
                throw new SpaceException(SpaceException.Reason.CLOSED, "the space is closed");
            }
            holders.endDue(now());
            try {
                return work.get();
            } finally {
                // A waiter that is served may take a tuple, which is a further change to report.
                while (lock.getHoldCount() == 1 && !changes.isEmpty()) {
                    List<Change> published = changes;
                    changes = new ArrayList<>();
                    isPublishing = true;
                    try {
                        listener.changed(published);
                    } finally {
                        isPublishing = false;
                    }
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** @param holder the live transaction in which the event happened; null if it is committed */
    void note(EventKind kind, Entry entry, @Nullable Holder holder) {
        if (holder == null ? listener.isInterested() : listener.isInterestedIn(holder.id)) {
            changes.add(new Change(kind, entry.table.type.copyOf(entry.tuple), holder == null ? NONE : holder.id));
        }
    }

    private long now() {
        return options.clock().millis();
    }

    /**
     * Runs a change like {@link #exclusively}. While this thread is within atomically(...), only operations of that
     * transaction may change anything, just as a shared store locks all others out. Any thread may serve waiters, so
     * calls from the listener are exempt.
     */
    private <R> R change(long transaction, Supplier<R> work) {
        return exclusively(() -> {
            if (!isPublishing) {
                holders.checkAlone(transaction);
            }
            return work.get();
        });
    }

    @Override
    public long[] write(List<? extends Record> tuples, long[] expiresAt, long transaction) {
        // Outside the lock and before any change, because a component may be refused.
        List<Record> copies = new ArrayList<>(tuples.size());
        for (Record tuple : tuples) {
            TupleType<?> type = TupleType.of(tuple);
            type.check(tuple);
            copies.add(type.copyOf(tuple));
        }
        return change(transaction, () -> {
            Holder holder = holders.get(transaction);
            long[] ids = new long[copies.size()];
            for (int i = 0; i < ids.length; i++) {
                Record tuple = copies.get(i);
                Entry entry = new Entry(++lastId, tuple, tables.table(tuple.getClass()), expiresAt[i]);
                entry.writer = holder;
                entry.table.add(entry);
                entries.put(entry.id, entry);
                ids[i] = entry.id;
                if (entry.expiresAt != NEVER) {
                    due(entry);
                }
                if (holder != null) {
                    holder.written.add(entry);
                }
                note(EventKind.WRITTEN, entry, holder);
            }
            return ids;
        });
    }

    private void due(Entry entry) {
        due.add(new Due(entry.expiresAt, entry));
        if (due.size() > 1000 + 2 * entries.size()) {
            PriorityQueue<Due> live = new PriorityQueue<>(Comparator.comparingLong(Due::at));
            due.stream().filter(one -> !one.entry().isGone && one.entry().expiresAt == one.at()).forEach(live::add);
            due = live;
        }
    }

    @Override
    public <T> Attempt<T> attempt(Template<T> template, boolean isTake, long transaction) {
        Supplier<Attempt<T>> attempt = () -> {
            Holder holder = holders.get(transaction);
            boolean[] isHeld = {false};
            Entry found = tables.first(template, holder, isTake, now(), isHeld);
            if (found == null) {
                return isHeld[0] ? new Attempt.Held<>() : new Attempt.Miss<>();
            }
            T tuple = copy(found, template);
            if (isTake) {
                take(found, holder);
            } else if (holder != null) {
                read(found, holder);
            }
            return new Attempt.Hit<>(tuple);
        };
        return isTake || transaction != NONE ? change(transaction, attempt) : exclusively(attempt);
    }

    private void take(Entry entry, @Nullable Holder holder) {
        if (holder == null) {
            remove(entry);
        } else if (entry.writer == holder) {
            // Only this transaction has ever seen the tuple.
            holder.written.remove(entry);
            remove(entry);
        } else {
            entry.taker = holder;
            holder.taken.add(entry);
        }
        note(EventKind.TAKEN, entry, holder);
    }

    private static void read(Entry entry, Holder holder) {
        if (entry.writer == null && holder.read.add(entry)) {
            if (entry.readers == null) {
                entry.readers = new LinkedHashSet<>();
            }
            entry.readers.add(holder);
        }
    }

    void remove(Entry entry) {
        entry.isGone = true;
        entry.table.remove(entry);
        entries.remove(entry.id);
    }

    @Override
    public <T> List<T> takeAll(Template<T> template, int max, long transaction) {
        return change(transaction, () -> {
            Holder holder = holders.get(transaction);
            List<Entry> found = matches(template, holder, max);
            List<T> taken = new ArrayList<>(found.size());
            found.forEach(entry -> taken.add(copy(entry, template)));
            found.forEach(entry -> take(entry, holder));
            return taken;
        });
    }

    @Override
    public long remove(Template<?> template, long transaction) {
        return change(transaction, () -> {
            Holder holder = holders.get(transaction);
            List<Entry> found = matches(template, holder, Long.MAX_VALUE);
            found.forEach(entry -> take(entry, holder));
            return (long) found.size();
        });
    }

    // All before the first is taken: a predicate of the caller may throw at any tuple.
    private List<Entry> matches(Template<?> template, @Nullable Holder holder, long max) {
        List<Entry> found = new ArrayList<>();
        tables.each(template, holder, true, now(), max, found::add);
        return found;
    }

    private static <T> T copy(Entry entry, Template<T> template) {
        return template.type().cast(entry.table.type.copyOf(entry.tuple));
    }

    @Override
    public <T> Stream<Stored<T>> contents(Template<T> template, Optional<Order> order, long limit, long transaction) {
        order.ifPresent(by -> by.check(template.type()));
        List<Entry> found = exclusively(() -> {
            Holder holder = holders.get(transaction);
            List<Entry> all = new ArrayList<>();
            tables.each(template, holder, false, now(), order.isPresent() ? Long.MAX_VALUE : limit, all::add);
            if (holder != null) {
                all = first(all, order, limit).toList();
                all.forEach(entry -> read(entry, holder));
            }
            return all;
        });
        // Outside transactions, sorts without holding the lock.
        return first(found, transaction == NONE ? order : Optional.empty(), limit).map(entry -> new Stored<>(entry.id,
                template.type().cast(entry.table.type.copyOf(entry.tuple)), entry.expiresAt));
    }

    private static Stream<Entry> first(List<Entry> found, Optional<Order> order, long limit) {
        Stream<Entry> all = found.stream();
        return (order.isPresent() ? all.sorted(order.get().comparator(entry -> entry.tuple, entry -> entry.id)) : all)
                .limit(limit);
    }

    @Override
    public List<Group> aggregate(Template<?> template, List<String> by, List<Aggregate> aggregates, long transaction) {
        Aggregator aggregator = new Aggregator(template, by, aggregates);
        aggregate(template, aggregator, transaction);
        return aggregator.groups();
    }

    @Override
    public void aggregate(Template<?> template, Aggregator into, long transaction) {
        boolean isCount = into.by().isEmpty() && into.aggregates().equals(List.of(Aggregate.count()));
        exclusively(() -> {
            if (isCount) {
                long[] count = {0};
                tables.each(template, holders.get(transaction), false, now(), Long.MAX_VALUE, entry -> count[0]++);
                into.add(new Object[0], new Object[]{count[0]});
            } else {
                tables.each(template, holders.get(transaction), false, now(), Long.MAX_VALUE, entry -> {
                    if (into.fits(entry.table.type)) {
                        into.add(entry.table.type, entry.tuple);
                    }
                });
            }
            return true;
        });
    }

    @Override
    public boolean renew(long tuple, long expiresAt) {
        return change(NONE, () -> {
            Entry entry = entries.get(tuple);
            if (entry == null || entry.expiresAt <= now()) {
                return false;
            }
            entry.expiresAt = expiresAt;
            if (expiresAt != NEVER) {
                due(entry);
            }
            return true;
        });
    }

    @Override
    public boolean cancel(long tuple) {
        return change(NONE, () -> {
            Entry entry = entries.get(tuple);
            if (entry == null || entry.expiresAt <= now()) {
                return false;
            }
            expire(entry);
            return true;
        });
    }

    private void expire(Entry entry) {
        remove(entry);
        if (entry.writer == null) {
            note(EventKind.EXPIRED, entry, null);
        }
    }

    @Override
    public long[] existing(long[] tuples) {
        return exclusively(() -> Arrays.stream(tuples).filter(entries::containsKey).toArray());
    }

    @Override
    public long begin(long expiresAt) {
        return change(NONE, () -> holders.begin(++lastId, expiresAt).id);
    }

    @Override
    public long beginAlone() {
        return exclusively(() -> holders.beginAlone(++lastId).id);
    }

    @Override
    public boolean renewTransaction(long transaction, long expiresAt) {
        return change(transaction, () -> holders.renew(transaction, expiresAt));
    }

    @Override
    public boolean commit(long transaction) {
        return change(transaction, () -> holders.end(transaction, true, now()));
    }

    @Override
    public boolean abort(long transaction) {
        return change(transaction, () -> holders.end(transaction, false, now()));
    }

    @Override
    public long sweep() {
        return exclusively(() -> {
            long now = now();
            for (Due first = due.peek(); first != null && first.at() <= now; first = due.peek()) {
                due.remove();
                if (!first.entry().isGone && first.entry().expiresAt == first.at()) {
                    expire(first.entry());
                }
            }
            Due first = due.peek();
            return first == null ? holders.nextEnd() : Math.min(holders.nextEnd(), first.at());
        });
    }

    @Override
    public void interestChanged() {
        // Nothing to do: each change asks the listener.
    }

    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
        } finally {
            lock.unlock();
        }
    }
}
