// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.memory;

import java.util.ArrayList;
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
import org.treehaul.tuplespace.store.Attempt;
import org.treehaul.tuplespace.store.Change;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.store.Totals;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Group;
import org.treehaul.tuplespace.tuple.Order;
import org.treehaul.tuplespace.tuple.Template;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * Keeps tuples in tables by record class, under one lock. Whoever changes something tells the listener before he lets
 * go of the lock, so that those who wait are served before those who come.
 */
public final class MemoryStore implements Store {
    private final StoreOptions options;
    private final StoreListener listener;
    private final ReentrantLock lock = new ReentrantLock();
    private final Tables tables;
    private final Map<Long, Entry> entries = new HashMap<>();
    private final Map<Long, Holder> holders = new HashMap<>();
    /** May also name entries that have gone or got another end: those are passed over when their time comes. */
    private PriorityQueue<Due> due = new PriorityQueue<>(Comparator.comparingLong(Due::at));
    private List<Change> changes = new ArrayList<>();
    private long lastId;
    /** No transaction ends before. */
    private long nextHolderEnd = NEVER;
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
            if (now() >= nextHolderEnd) {
                endHolders();
            }
            try {
                return work.get();
            } finally {
                // Whoever is served may take something, which is told as well.
                while (lock.getHoldCount() == 1 && !changes.isEmpty()) {
                    List<Change> told = changes;
                    changes = new ArrayList<>();
                    listener.changed(told);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private void endHolders() {
        long now = now();
        nextHolderEnd = NEVER;
        for (Holder holder : List.copyOf(holders.values())) {
            if (holder.expiresAt <= now) {
                end(holder, false);
            } else {
                nextHolderEnd = Math.min(nextHolderEnd, holder.expiresAt);
            }
        }
    }

    private void tell(EventKind kind, Entry entry) {
        if (listener.isInterested()) {
            changes.add(new Change(kind, entry.table.type.copyOf(entry.tuple)));
        }
    }

    private long now() {
        return options.clock().millis();
    }

    private @Nullable Holder holder(long transaction) {
        if (transaction == NONE) {
            return null;
        }
        Holder holder = holders.get(transaction);
        if (holder == null) {
            throw new SpaceException(SpaceException.Reason.TRANSACTION_ENDED, "the transaction has ended");
        }
        return holder;
    }

    @Override
    public long[] write(List<? extends Record> tuples, long expiresAt, long transaction) {
        // Outside the lock, and before anything changes: a component may be refused.
        List<Record> copies = new ArrayList<>(tuples.size());
        for (Record tuple : tuples) {
            TupleType<?> type = TupleType.of(tuple);
            type.check(tuple);
            copies.add(type.copyOf(tuple));
        }
        return exclusively(() -> {
            Holder holder = holder(transaction);
            long[] ids = new long[copies.size()];
            for (int i = 0; i < ids.length; i++) {
                Record tuple = copies.get(i);
                Entry entry = new Entry(++lastId, tuple, tables.table(tuple.getClass()), expiresAt);
                entry.writer = holder;
                entry.table.add(entry);
                entries.put(entry.id, entry);
                ids[i] = entry.id;
                if (expiresAt != NEVER) {
                    due(entry);
                }
                if (holder == null) {
                    tell(EventKind.WRITTEN, entry);
                } else {
                    holder.written.add(entry);
                }
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
        return exclusively(() -> {
            Holder holder = holder(transaction);
            boolean[] isHeld = {false};
            Entry found = tables.first(template, holder, isTake, now(), isHeld);
            if (found == null) {
                return isHeld[0] ? new Attempt.Held<>() : new Attempt.Miss<>();
            }
            if (isTake) {
                take(found, holder);
            } else if (holder != null) {
                read(found, holder);
            }
            return new Attempt.Hit<>(template.type().cast(found.table.type.copyOf(found.tuple)));
        });
    }

    private void take(Entry entry, @Nullable Holder holder) {
        if (holder == null) {
            remove(entry);
            tell(EventKind.TAKEN, entry);
        } else if (entry.writer == holder) {
            // Nobody else has seen it and nobody ever will.
            holder.written.remove(entry);
            remove(entry);
        } else {
            entry.taker = holder;
            holder.taken.add(entry);
        }
    }

    private static void read(Entry entry, Holder holder) {
        if (entry.writer == null && holder.read.add(entry)) {
            if (entry.readers == null) {
                entry.readers = new LinkedHashSet<>();
            }
            entry.readers.add(holder);
        }
    }

    private void remove(Entry entry) {
        entry.isGone = true;
        entry.table.remove(entry);
        entries.remove(entry.id);
    }

    @Override
    public <T> List<T> takeAll(Template<T> template, int max, long transaction) {
        return exclusively(() -> {
            Holder holder = holder(transaction);
            List<T> taken = new ArrayList<>();
            tables.each(template, holder, true, now(), max, entry -> {
                take(entry, holder);
                taken.add(template.type().cast(entry.table.type.copyOf(entry.tuple)));
            });
            return taken;
        });
    }

    @Override
    public long remove(Template<?> template, long transaction) {
        return exclusively(() -> {
            Holder holder = holder(transaction);
            long[] count = {0};
            tables.each(template, holder, true, now(), Long.MAX_VALUE, entry -> {
                take(entry, holder);
                count[0]++;
            });
            return count[0];
        });
    }

    @Override
    public <T> Stream<Stored<T>> contents(Template<T> template, Optional<Order> order, long limit, long transaction) {
        order.ifPresent(by -> by.check(template.type()));
        List<Entry> found = exclusively(() -> {
            List<Entry> all = new ArrayList<>();
            tables.each(template, holder(transaction), false, now(), order.isPresent() ? Long.MAX_VALUE : limit,
                    all::add);
            return all;
        });
        order.ifPresent(by -> found.sort(by.comparator(entry -> entry.tuple, entry -> entry.id)));
        return found.stream()
                .limit(limit)
                .map(entry -> new Stored<>(entry.id, template.type().cast(entry.table.type.copyOf(entry.tuple)),
                        entry.expiresAt));
    }

    @Override
    public List<Group> aggregate(Template<?> template, List<String> by, List<Aggregate> aggregates, long transaction) {
        Totals totals = new Totals(template, by, aggregates);
        boolean isCount = by.isEmpty() && aggregates.equals(List.of(Aggregate.count()));
        return exclusively(() -> {
            if (isCount) {
                long[] count = {0};
                tables.each(template, holder(transaction), false, now(), Long.MAX_VALUE, entry -> count[0]++);
                totals.add(new Object[0], new Object[]{count[0]});
            } else {
                tables.each(template, holder(transaction), false, now(), Long.MAX_VALUE, entry -> {
                    if (totals.fits(entry.table.type)) {
                        totals.add(entry.table.type, entry.tuple);
                    }
                });
            }
            return totals.groups();
        });
    }

    @Override
    public boolean renew(long tuple, long expiresAt) {
        return exclusively(() -> {
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
        return exclusively(() -> {
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
            tell(EventKind.EXPIRED, entry);
        }
    }

    @Override
    public long begin(long expiresAt) {
        return exclusively(() -> {
            Holder holder = new Holder(++lastId, expiresAt);
            holders.put(holder.id, holder);
            nextHolderEnd = Math.min(nextHolderEnd, expiresAt);
            return holder.id;
        });
    }

    @Override
    public long beginAlone() {
        return begin(NEVER);
    }

    @Override
    public boolean renewTransaction(long transaction, long expiresAt) {
        return exclusively(() -> {
            Holder holder = holders.get(transaction);
            if (holder == null) {
                return false;
            }
            holder.expiresAt = expiresAt;
            nextHolderEnd = Math.min(nextHolderEnd, expiresAt);
            return true;
        });
    }

    @Override
    public boolean commit(long transaction) {
        return exclusively(() -> {
            Holder holder = holders.get(transaction);
            if (holder != null) {
                end(holder, true);
            }
            return holder != null;
        });
    }

    @Override
    public boolean abort(long transaction) {
        return exclusively(() -> {
            Holder holder = holders.get(transaction);
            if (holder != null) {
                end(holder, false);
            }
            return holder != null;
        });
    }

    private void end(Holder holder, boolean isCommit) {
        holders.remove(holder.id);
        long now = now();
        for (Entry entry : holder.taken) {
            entry.taker = null;
            if (!entry.isGone && isCommit) {
                remove(entry);
                tell(EventKind.TAKEN, entry);
            } else if (!entry.isGone) {
                release(entry, holder, now);
            }
        }
        for (Entry entry : holder.written) {
            entry.writer = null;
            if (!entry.isGone && isCommit) {
                tell(EventKind.WRITTEN, entry);
            } else if (!entry.isGone) {
                remove(entry);
            }
        }
        for (Entry entry : holder.read) {
            if (!entry.isGone && entry.readers != null && entry.readers.contains(holder)) {
                release(entry, holder, now);
            }
        }
    }

    /** It is available again where nobody else reads it. */
    private void release(Entry entry, Holder holder, long now) {
        if (entry.readers != null && entry.readers.remove(holder) && entry.readers.isEmpty()) {
            entry.readers = null;
        }
        if (entry.seenBy(null, true, now) == Entry.Sight.FREE) {
            tell(EventKind.AVAILABLE, entry);
        }
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
            return first == null ? nextHolderEnd : Math.min(nextHolderEnd, first.at());
        });
    }

    @Override
    public void interestChanged() {
        // The listener is asked each time.
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
