// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.postgresql.connection.Statements;
import org.treehaul.tuplespace.postgresql.connection.Values;
import org.treehaul.tuplespace.postgresql.sql.Access;
import org.treehaul.tuplespace.postgresql.sql.Locks;
import org.treehaul.tuplespace.postgresql.sql.Names;
import org.treehaul.tuplespace.sql.Changes;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.TupleCodec;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * The changes of the {@link Writer} that are of interest: other processes read them from a table, of which a
 * notification reminds them. It has no content, because any role may send one. Guarded by the writer's lock.
 */
final class ChangeLog extends Changes {
    /** Changes that are sent to the server at once. */
    private static final int PORTION = 1000;

    private record Kept(EventKind kind, TupleType<?> type, Bytes tuple, @Nullable String owner) {}

    /** Distinguishes the changes of this space from those of others. */
    final String self = UUID.randomUUID().toString();

    private final Names names;
    private final Locks locks;
    private final Access access;
    private final List<Kept> kept = new ArrayList<>();
    // As the last transaction found it, until the present one knows.
    private boolean isWatchedElsewhere;
    private boolean isAwaitedElsewhere;
    private boolean isChanged;

    ChangeLog(Names names, Locks locks, Access access, StoreListener listener) {
        super(listener);
        this.names = names;
        this.locks = locks;
        this.access = access;
    }

    @Override
    protected boolean isWatchedElsewhere() {
        return isWatchedElsewhere;
    }

    /** Returns whether other processes wait or watch. */
    boolean isAwaitedElsewhere() {
        return isAwaitedElsewhere;
    }

    @Override
    public void forgetAfter(int size) {
        super.forgetAfter(size);
        kept.clear();
    }

    /** Begins a transaction. */
    void begin() {
        isChanged = false;
    }

    /**
     * Notes for the transaction whether other processes watch. None can begin to watch events before it ends.
     *
     * @param watchers the number of other processes that wait or watch
     * @param events the number of those that want events
     */
    void watched(long watchers, long events) {
        isAwaitedElsewhere = watchers > 0;
        isWatchedElsewhere = events > 0;
    }

    /**
     * Locks the order of the events if others want them: at the beginning of a transaction, so that those who have the
     * lock wait for no row of another who waits for it.
     */
    void lock(Statements connection) throws SQLException {
        if (isWatchedElsewhere) {
            connection.number(locks.events());
        }
    }

    /** Stores what others want to know, before the commit. */
    void end(Statements connection) throws SQLException {
        store(connection);
        if (isAwaitedElsewhere && isChanged) {
            connection.first("SELECT pg_notify(?, '')", List.of(names.channel()), row -> true);
        }
    }

    private void store(Statements connection) throws SQLException {
        if (kept.isEmpty()) {
            return;
        }
        // Not a sequence, whose numbers have gaps after a rollback.
        long last = connection.number(
                access.isShared()
                        ? "SELECT " + names.changed() + "(?)"
                        : "UPDATE " + names.space() + " SET changes = changes + ? RETURNING changes",
                (long) kept.size());
        try (PreparedStatement statement = connection.prepare("INSERT INTO " + names.changes()
                + " VALUES (?, ?, ?, ?, ?" + (access.isShared() ? ", coalesce(?, session_user)" : "") + ")",
                List.of())) {
            long sequence = last - kept.size();
            for (Kept one : kept) {
                statement.setLong(1, ++sequence);
                statement.setString(2, self);
                statement.setString(3, one.kind().name());
                statement.setString(4, one.type().name());
                Values.bind(statement, 5, one.tuple());
                if (access.isShared()) {
                    statement.setString(6, one.owner());
                }
                statement.addBatch();
            }
            statement.executeBatch();
        }
        if (last / PORTION != (last - kept.size()) / PORTION) {
            connection.update("DELETE FROM " + names.changes() + " WHERE sequence <= ?", last - KEPT);
        }
        kept.clear();
    }

    /** Notes that a step has changed something, so that the commit notifies processes that wait. */
    void touch() {
        isChanged = true;
    }

    /**
     * Notes a change within a step, to be reported after the commit: to all, or only to a transaction that knows it.
     *
     * @param owner the user who wrote the tuple, in a shared space; null if that is the user of this process
     */
    void note(Statements connection, EventKind kind, TupleType<?> type, Record tuple, @Nullable String owner,
            long transaction) throws SQLException {
        isChanged = true;
        if (note(kind, tuple, transaction)) {
            kept.add(new Kept(kind, type, TupleCodec.encode(type, tuple), owner));
            if (kept.size() >= PORTION) {
                store(connection);
            }
        }
    }
}
