// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.memory;

import java.util.LinkedHashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/** A tuple in memory with its lease and the transactions that hold it. Guarded by the store's lock. */
final class Entry {
    final long id;
    final Record tuple;
    final Table table;
    /** Its position in the table, and in its bucket of each index. */
    int position;
    final int[] bucketPositions;
    long expiresAt;
    boolean isGone;
    @Nullable Holder writer;
    @Nullable Holder taker;
    @Nullable Set<Holder> readers;

    /** A transaction and the entries that it holds. */
    static final class Holder {
        final long id;
        long expiresAt;
        final Set<Entry> written = new LinkedHashSet<>();
        final Set<Entry> taken = new LinkedHashSet<>();
        final Set<Entry> read = new LinkedHashSet<>();

        Holder(long id, long expiresAt) {
            this.id = id;
            this.expiresAt = expiresAt;
        }
    }

    Entry(long id, Record tuple, Table table, long expiresAt) {
        this.id = id;
        this.tuple = tuple;
        this.table = table;
        this.expiresAt = expiresAt;
        bucketPositions = new int[table.indexCount()];
    }

    /** How a transaction, or an operation outside transactions, sees an entry. */
    enum Sight {
        FREE,
        HELD,
        INVISIBLE
    }

    Sight seenBy(@Nullable Holder holder, boolean isTake, long now) {
        if (expiresAt <= now || writer != null && writer != holder || taker != null && taker == holder) {
            return Sight.INVISIBLE;
        }
        return taker != null || isTake && isReadByAnother(holder) ? Sight.HELD : Sight.FREE;
    }

    private boolean isReadByAnother(@Nullable Holder holder) {
        Set<Holder> all = readers;
        return all != null && (all.size() > 1 || !all.isEmpty() && (holder == null || !all.contains(holder)));
    }
}
