// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.memory;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.memory.Entry.Holder;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;

/** The transactions of a {@link MemoryStore}; settles their tuples when they end. Guarded by the store's lock. */
final class Holders {
    private final MemoryStore store;
    private final Map<Long, Holder> holders = new HashMap<>();
    /** The transactions of {@link #beginAlone}, by thread. */
    private final Map<Thread, Holder> alone = new HashMap<>();
    /** Lower bound of the ends of all transactions. */
    private long nextEnd = Store.NEVER;

    Holders(MemoryStore store) {
        this.store = store;
    }

    long nextEnd() {
        return nextEnd;
    }

    /** Aborts the transactions whose leases have ended. */
    void endDue(long now) {
        if (now < nextEnd) {
            return;
        }
        nextEnd = Store.NEVER;
        for (Holder holder : List.copyOf(holders.values())) {
            if (holder.expiresAt <= now) {
                end(holder, false, now);
            } else {
                nextEnd = Math.min(nextEnd, holder.expiresAt);
            }
        }
    }

    /** Throws IllegalStateException if this thread is in another transaction of {@link #beginAlone}. */
    void checkAlone(long transaction) {
        Holder own = alone.get(Thread.currentThread());
        if (own != null && own.id != transaction) {
            throw new IllegalStateException("within atomically(...) only its own operations can write");
        }
    }

    /** Returns a live transaction, or null for {@link Store#NONE}; throws TRANSACTION_ENDED if it has ended. */
    @Nullable Holder get(long transaction) {
        if (transaction == Store.NONE) {
            return null;
        }
        Holder holder = holders.get(transaction);
        if (holder == null) {
            throw new SpaceException(SpaceException.Reason.TRANSACTION_ENDED, "the transaction has ended");
        }
        return holder;
    }

    Holder begin(long id, long expiresAt) {
        Holder holder = new Holder(id, expiresAt);
        holders.put(holder.id, holder);
        nextEnd = Math.min(nextEnd, expiresAt);
        return holder;
    }

    /** Begins a transaction of this thread; see {@link Store#beginAlone}. */
    Holder beginAlone(long id) {
        if (alone.containsKey(Thread.currentThread())) {
            throw new IllegalStateException("atomically(...) within atomically(...)");
        }
        Holder holder = begin(id, Store.NEVER);
        alone.put(Thread.currentThread(), holder);
        return holder;
    }

    /** Sets a new end for a transaction; returns false when it has ended. */
    boolean renew(long transaction, long expiresAt) {
        Holder holder = holders.get(transaction);
        if (holder == null) {
            return false;
        }
        holder.expiresAt = expiresAt;
        nextEnd = Math.min(nextEnd, expiresAt);
        return true;
    }

    /** Ends a transaction; returns false when it has already ended. */
    boolean end(long transaction, boolean isCommit, long now) {
        Holder holder = holders.get(transaction);
        if (holder != null) {
            end(holder, isCommit, now);
        }
        return holder != null;
    }

    private void end(Holder holder, boolean isCommit, long now) {
        holders.remove(holder.id);
        alone.values().remove(holder);
        for (Entry entry : holder.taken) {
            entry.taker = null;
            if (!entry.isGone && isCommit) {
                store.remove(entry);
                store.note(EventKind.TAKEN, entry, null);
            } else if (!entry.isGone) {
                release(entry, holder, EventKind.VISIBLE, now);
            }
        }
        for (Entry entry : holder.written) {
            entry.writer = null;
            if (!entry.isGone && isCommit) {
                store.note(EventKind.WRITTEN, entry, null);
            } else if (!entry.isGone) {
                store.remove(entry);
            }
        }
        for (Entry entry : holder.read) {
            if (!entry.isGone && entry.readers != null && entry.readers.contains(holder)) {
                release(entry, holder, EventKind.AVAILABLE, now);
            }
        }
    }

    /** Reports an entry as available to all if no transaction reads it, or to the only transaction that still does. */
    private void release(Entry entry, Holder holder, EventKind kind, long now) {
        if (entry.readers != null && entry.readers.remove(holder) && entry.readers.isEmpty()) {
            entry.readers = null;
        }
        if (entry.seenBy(null, true, now) == Entry.Sight.FREE) {
            store.note(kind, entry, null);
        } else if (entry.readers != null && entry.readers.size() == 1) {
            Holder last = entry.readers.iterator().next();
            if (last != holder && entry.seenBy(last, true, now) == Entry.Sight.FREE) {
                store.note(kind, entry, last);
            }
        }
    }
}
