// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.tuplespace.store.Change;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.tuple.TupleCodec;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * The changes of the {@link Writer} that somebody wants to know of: the listener here, once they are committed, and
 * other processes, by a table. Guarded by the writer's lock.
 */
final class Feed {
    /** So many changes of one commit are told; where it makes more, the rest is lost, which is told too. */
    private static final int TOLD = 100_000;
    /** So many changes are kept for other processes; they hold some hundred bytes each. */
    private static final long KEPT = 1_000_000;
    /**
     * Milliseconds. Between transactions that are shorter, whoever watches finds gaps enough to say that it goes on.
     */
    private static final long LONG = 100;

    private final Link link;
    private final StoreListener listener;
    private final String self;
    private final InstantSource clock;
    private List<Change> changes = new ArrayList<>();
    private boolean isLost;
    private boolean isTelling;
    private long noted;
    private long watchedUntil;
    private long began;
    private boolean isWatchedElsewhere;

    Feed(Link link, StoreListener listener, String self, InstantSource clock) {
        this.link = link;
        this.listener = listener;
        this.self = self;
        this.clock = clock;
    }

    /** Returns how many changes are noted and not told. */
    int size() {
        return changes.size();
    }

    /** Forgets what was noted after so many: it was not committed. */
    void forgetAfter(int size) {
        changes.subList(size, changes.size()).clear();
    }

    /** Looks who watches in other processes, within a transaction. */
    void reloadWatchers() throws SQLException {
        watchedUntil = link.number("SELECT max(expires) FROM " + Names.WATCHERS + " WHERE id <> ?", self);
        // This process itself may not yet have seen what others did.
        if (watchedUntil <= clock.millis() && !listener.wantsEvents()
                && link.number("SELECT EXISTS (SELECT 1 FROM " + Names.CHANGES + ")") == 1) {
            link.update("DELETE FROM " + Names.CHANGES);
        }
    }

    /**
     * Settles for the transaction that begins whether other processes are told: until it ends none of them can say that
     * it goes on watching, or begin to.
     */
    void begin(long now) {
        began = now;
        isWatchedElsewhere = watchedUntil > now;
    }

    /** At the end of a transaction: its time does not count for those who watch. */
    void end() throws SQLException {
        long passed = clock.millis() - began;
        if (passed >= LONG) {
            link.update("UPDATE " + Names.WATCHERS + " SET expires = expires + ? WHERE expires > ?", passed, began);
            watchedUntil += isWatchedElsewhere ? passed : 0;
        }
    }

    /** Tells what was committed. Whoever is served may change more, which is told as well. */
    void tell() {
        if (isTelling) {
            return;
        }
        isTelling = true;
        try {
            while (!changes.isEmpty()) {
                List<Change> told = changes;
                changes = new ArrayList<>();
                listener.changed(told);
                if (isLost) {
                    isLost = false;
                    listener.lost();
                }
            }
        } finally {
            isTelling = false;
        }
    }

    /** Tells whether anybody wants to know of changes, here or in another process. Within a step. */
    boolean isWatched() {
        return listener.isInterested() || isWatchedElsewhere;
    }

    /** Within a step: this will be so when it is committed. */
    void note(EventKind kind, TupleType<?> type, Record tuple) throws SQLException {
        if (listener.isInterested()) {
            if (changes.size() < TOLD) {
                changes.add(new Change(kind, tuple));
            } else {
                isLost = true;
            }
        }
        if (isWatchedElsewhere) {
            link.update("INSERT INTO " + Names.CHANGES + "(origin, kind, type, tuple) VALUES (?, ?, ?, ?)", self,
                    kind.name(), type.name(), TupleCodec.encode(type, tuple));
            if (++noted % 1000 == 0) {
                link.update("DELETE FROM " + Names.CHANGES + " WHERE sequence <= (SELECT max(sequence) FROM "
                        + Names.CHANGES + ") - " + KEPT);
            }
        }
    }
}
