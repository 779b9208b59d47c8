// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;
import org.treehaul.tuplespace.sqlite.connection.Step;
import org.treehaul.tuplespace.sqlite.file.Reserve;
import org.treehaul.tuplespace.sqlite.sql.Names;
import org.treehaul.tuplespace.sqlite.sql.Table;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * The transaction of SQLite on the connection that writes: at most one is open. It keeps what is valid until another
 * process writes: the last id, the names of the tables, the next end of a lease. Guarded by the lock of the
 * {@link Writer}.
 */
final class SqliteTransaction {
    private static final Logger LOG = LoggerFactory.getLogger(SqliteTransaction.class);

    final SqliteConnection connection;
    final KnownTables tables;
    private final Path file;
    private final StoreOptions options;
    private final Reserve reserve;
    private final ChangeLog changeLog;
    private long seenVersion = -1;
    private long lastId;
    private boolean isIdUsed;
    private long nextLeaseEnd;

    SqliteTransaction(Path file, StoreOptions options, StoreListener listener, SqliteConnection connection, String self,
            Reserve reserve) {
        this.file = file;
        this.options = options;
        this.connection = connection;
        this.reserve = reserve;
        changeLog = new ChangeLog(connection, listener, self, options.clock());
        tables = new KnownTables(connection, options);
    }

    /**
     * Begins, and first ends the transactions of the space whose leases are over.
     *
     * @param isFromReserve whether the transaction may use the reserve, because the disk is full
     */
    void begin(boolean isFromReserve) throws SQLException {
        connection.update("BEGIN IMMEDIATE");
        if (isFromReserve) {
            reserve.release();
        }
        long now = now();
        // Only commits of other processes change this number.
        long version = connection.number("PRAGMA data_version");
        if (version != seenVersion) {
            lastId = connection.number("SELECT last FROM " + Names.COUNTER);
            tables.reloadNames();
            reloadLeases();
            changeLog.reloadWatchers();
            seenVersion = version;
        }
        changeLog.begin(now);
        if (now >= nextLeaseEnd) {
            List<Long> ended = new ArrayList<>();
            connection.each("SELECT id FROM " + Names.TRANSACTIONS + " WHERE expires <= ?", List.of(now),
                    row -> ended.add(row.getLong(1)));
            Transactions transactions = new Transactions(this);
            for (long transaction : ended) {
                transactions.end(transaction, false);
            }
            reloadLeases();
        }
    }

    long now() {
        return options.clock().millis();
    }

    /** Reads when the lease of a transaction of the space ends next. */
    void reloadLeases() throws SQLException {
        Long first = connection.first("SELECT min(expires) FROM " + Names.TRANSACTIONS, List.of(),
                SqliteConnection::number);
        nextLeaseEnd = first == null ? Store.NEVER : first;
    }

    void commit() throws SQLException {
        if (isIdUsed) {
            connection.update("UPDATE " + Names.COUNTER + " SET last = ?", lastId);
        }
        changeLog.end();
        connection.update("COMMIT");
        isIdUsed = false;
        tables.committed();
    }

    /** Rolls back, and drops the changes noted after the first {@code noted}. */
    void rollback(int noted) {
        changeLog.forgetAfter(noted);
        seenVersion = -1;
        isIdUsed = false;
        tables.forgetNew();
        try {
            try {
                // First: what fails here must not leave the file locked by a transaction that never ends.
                connection.run("ROLLBACK");
            } finally {
                connection.clear();
            }
        } catch (SQLException already) {
            // SQLite rolls back by itself after some failures.
            LOG.trace("{}: nothing to roll back", file, already);
        }
    }

    /** Runs a step; a quiet one notes no changes for all. */
    <R> R run(Step<R> step, boolean isQuiet) throws SQLException {
        changeLog.beQuiet(isQuiet);
        try {
            return step.run();
        } finally {
            changeLog.beQuiet(false);
        }
    }

    long nextId() {
        isIdUsed = true;
        return ++lastId;
    }

    /** Returns the table of a type; creates it if absent. */
    Table table(TupleType<?> type) throws SQLException {
        return tables.toWrite(type);
    }

    /** Returns the number of changes that were noted and not yet reported. */
    int noted() {
        return changeLog.size();
    }

    /** Calls {@link ChangeLog#isWatched}. */
    boolean isWatched(long transaction) {
        return changeLog.isWatched(transaction);
    }

    /** Calls {@link ChangeLog#note}. */
    void note(EventKind kind, TupleType<?> type, Record tuple, long transaction) throws SQLException {
        changeLog.note(kind, type, tuple, transaction);
    }

    /** Reports committed changes to the listener. */
    void publish() {
        changeLog.publish();
    }
}
