// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;
import org.treehaul.tuplespace.sqlite.sql.Names;
import org.treehaul.tuplespace.store.Change;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.tuple.TupleCodec;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * The changes of the {@link Writer} that are of interest: passes them to the listener of this process after the commit,
 * and to other processes through a table. Guarded by the writer's lock.
 */
final class ChangeLog {
    /** Limit of the changes of one commit that are reported; the rest is lost, which is also reported. */
    private static final int MOST_REPORTED = 100_000;
    /** Limit of the changes kept for other processes; each takes a few hundred bytes. */
    private static final long KEPT = 1_000_000;
    /**
     * Transactions of at least this many milliseconds extend watches; between shorter ones, a watcher can renew its
     * own.
     */
    private static final long LONG = 100;

    private final SqliteConnection connection;
    private final StoreListener listener;
    private final String self;
    private final InstantSource clock;
    private List<Change> changes = new ArrayList<>();
    private boolean isLost;
    private boolean isPublishing;
    private long noted;
    private long watchedUntil;
    private long began;
    private boolean isWatchedElsewhere;

    ChangeLog(SqliteConnection connection, StoreListener listener, String self, InstantSource clock) {
        this.connection = connection;
        this.listener = listener;
        this.self = self;
        this.clock = clock;
    }

    /** Returns the number of noted changes that were not reported yet. */
    int size() {
        return changes.size();
    }

    /** Drops all changes noted after the first {@code size}, because they were not committed. */
    void forgetAfter(int size) {
        changes.subList(size, changes.size()).clear();
    }

    /** Reads, within a transaction, until when other processes watch. */
    void reloadWatchers() throws SQLException {
        watchedUntil = connection.number("SELECT max(expires) FROM " + Names.WATCHERS + " WHERE id <> ?", self);
        // This process itself may not have seen yet what others did.
        if (watchedUntil <= clock.millis() && !listener.wantsEvents()
                && connection.number("SELECT EXISTS (SELECT 1 FROM " + Names.CHANGES + ")") == 1) {
            connection.update("DELETE FROM " + Names.CHANGES);
        }
    }

    /**
     * Decides for the transaction that begins whether its changes are kept for other processes: until it ends, none of
     * them can begin to watch or renew its watch.
     */
    void begin(long now) {
        began = now;
        isWatchedElsewhere = watchedUntil > now;
    }

    /** Extends the watches of others by the time of a long transaction, during which they could not renew them. */
    void end() throws SQLException {
        long passed = clock.millis() - began;
        if (passed >= LONG) {
            connection.update("UPDATE " + Names.WATCHERS + " SET expires = expires + ? WHERE expires > ?", passed,
                    began);
            watchedUntil += isWatchedElsewhere ? passed : 0;
        }
    }

    /** Reports committed changes to the listener. It may make further changes, which are reported too. */
    void publish() {
        if (isPublishing) {
            return;
        }
        isPublishing = true;
        try {
            while (!changes.isEmpty()) {
                List<Change> published = changes;
                changes = new ArrayList<>();
                listener.changed(published);
                if (isLost) {
                    isLost = false;
                    listener.lost();
                }
            }
        } finally {
            isPublishing = false;
        }
    }

    /**
     * Returns whether changes are of interest, in this or another process, or those inside a transaction. Called within
     * a step.
     */
    boolean isWatched(long transaction) {
        return transaction == Store.NONE
                ? listener.isInterested() || isWatchedElsewhere
                : listener.isInterestedIn(transaction);
    }

    /**
     * Notes a change within a step, to be reported after the commit: to all, or only to a transaction that knows it.
     */
    void note(EventKind kind, TupleType<?> type, Record tuple, long transaction) throws SQLException {
        boolean isForAll = transaction == Store.NONE;
        if (isForAll ? listener.isInterested() : listener.isInterestedIn(transaction)) {
            if (changes.size() < MOST_REPORTED) {
                changes.add(new Change(kind, tuple, transaction));
            } else {
                isLost = true;
            }
        }
        // A transaction belongs to one process.
        if (isForAll && isWatchedElsewhere) {
            connection.update("INSERT INTO " + Names.CHANGES + "(origin, kind, type, tuple) VALUES (?, ?, ?, ?)", self,
                    kind.name(), type.name(), TupleCodec.encode(type, tuple));
            if (++noted % 1000 == 0) {
                connection.update("DELETE FROM " + Names.CHANGES + " WHERE sequence <= (SELECT max(sequence) FROM "
                        + Names.CHANGES + ") - " + KEPT);
            }
        }
    }
}
