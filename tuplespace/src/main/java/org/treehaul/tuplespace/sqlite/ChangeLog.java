// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.sql.SQLException;
import java.time.InstantSource;

import org.treehaul.tuplespace.sql.Changes;
import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;
import org.treehaul.tuplespace.sqlite.sql.Names;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.tuple.TupleCodec;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * The changes of the {@link Writer} that are of interest: other processes read them from a table. Guarded by the
 * writer's lock.
 */
final class ChangeLog extends Changes {
    /**
     * Transactions of at least this many milliseconds extend watches; between shorter ones, a watcher can renew its
     * own.
     */
    private static final long LONG = 100;

    private final SqliteConnection connection;
    private final StoreListener listener;
    private final String self;
    private final InstantSource clock;
    private long noted;
    private long watchedUntil;
    private long began;
    private boolean isWatchedElsewhere;

    ChangeLog(SqliteConnection connection, StoreListener listener, String self, InstantSource clock) {
        super(listener);
        this.connection = connection;
        this.listener = listener;
        this.self = self;
        this.clock = clock;
    }

    @Override
    protected boolean isWatchedElsewhere() {
        return isWatchedElsewhere;
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

    /**
     * Notes a change within a step, to be reported after the commit: to all, or only to a transaction that knows it.
     */
    void note(EventKind kind, TupleType<?> type, Record tuple, long transaction) throws SQLException {
        if (note(kind, tuple, transaction)) {
            connection.update("INSERT INTO " + Names.CHANGES + "(origin, kind, type, tuple) VALUES (?, ?, ?, ?)", self,
                    kind.name(), type.name(), TupleCodec.encode(type, tuple));
            if (++noted % 1000 == 0) {
                connection.update("DELETE FROM " + Names.CHANGES + " WHERE sequence <= (SELECT max(sequence) FROM "
                        + Names.CHANGES + ") - " + KEPT);
            }
        }
    }
}
