// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.tuplespace.postgresql.connection.LeaseClock;
import org.treehaul.tuplespace.postgresql.connection.Pool;
import org.treehaul.tuplespace.postgresql.connection.ServerAddress;
import org.treehaul.tuplespace.postgresql.connection.ServerErrors;
import org.treehaul.tuplespace.postgresql.connection.Statements;
import org.treehaul.tuplespace.postgresql.connection.Step;
import org.treehaul.tuplespace.postgresql.sql.Access;
import org.treehaul.tuplespace.postgresql.sql.Locks;
import org.treehaul.tuplespace.postgresql.sql.Names;
import org.treehaul.tuplespace.postgresql.sql.Table;
import org.treehaul.tuplespace.postgresql.sql.Where;
import org.treehaul.tuplespace.store.Attempt;
import org.treehaul.tuplespace.store.QuietThreads;
import org.treehaul.tuplespace.store.RecordClasses;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * Makes the changes of this process one after another, each in a transaction of the server. Changes of other processes
 * run at the same time.
 * <p>
 * A step that met a deadlock, or whose connection broke before the commit, has changed nothing and is repeated.
 */
final class Writer {
    private static final Logger LOG = LoggerFactory.getLogger(Writer.class);
    /** Each repetition of a deadlock follows a second in which the server looked for one. */
    private static final int TRIES = 5;

    /** A statement with its parameters. */
    record Statement(String sql, List<@Nullable Object> parameters) {}

    final Pool pool;
    final Names names;
    final Locks locks;
    final LeaseClock clock;
    final KnownTables tables;
    final ChangeLog log;
    final Alone alone;
    final Access access;
    final QuietThreads quiet = new QuietThreads();
    final boolean isToRead;
    final ReentrantLock lock = new ReentrantLock();
    /** The number of this process among those with transactions or watches; 0 before it has one. */
    volatile long client;
    private volatile boolean isClosed;

    Writer(Pool pool, Names names, Locks locks, StoreOptions options, StoreListener listener, Access access,
            boolean isToRead) {
        this.pool = pool;
        this.names = names;
        this.locks = locks;
        this.access = access;
        this.isToRead = isToRead || !access.mayWrite();
        clock = new LeaseClock(options.clock());
        tables = new KnownTables(names, locks, options, access);
        log = new ChangeLog(names, locks, access, listener);
        alone = new Alone(this);
    }

    ServerAddress server() {
        return pool.server();
    }

    <R> R exclusively(Supplier<R> work) {
        lock.lock();
        try {
            checkOpen();
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    void checkOpen() {
        if (isClosed) {
            throw new SpaceException(Reason.CLOSED, "the space is closed");
        }
    }

    void checkChangeable() {
        if (!access.mayWrite()) {
            throw new SpaceException(Reason.DENIED, server() + ": role " + server().user()
                    + " may only read this space; its administrator can grant the right to write");
        }
        if (isToRead) {
            throw new SpaceException(Reason.DENIED, server() + " is open for reading only");
        }
    }

    /** Runs a step, whose changes are committed when it returns. */
    <R> R run(Step<R> step) {
        return run(step, false);
    }

    /**
     * Runs a step, whose changes are committed when it returns.
     *
     * @param isAlone whether no change of another process may run at the same time
     */
    <R> R run(Step<R> step, boolean isAlone) {
        checkChangeable();
        return runUnchecked(step, isAlone);
    }

    /** Runs a step as {@link #run} does, also for a role that may only read: it begins to watch. */
    <R> R runUnchecked(Step<R> step, boolean isAlone) {
        return Statements.uninterrupted(() -> {
            lock.lock();
            try {
                checkOpen();
                if (alone.isOpen()) {
                    throw new IllegalStateException("within atomically(...) only its own operations can write");
                }
                R result = repeated(step, isAlone);
                log.publish();
                return result;
            } catch (SQLException e) {
                throw ServerErrors.of(server(), e);
            } finally {
                lock.unlock();
            }
        });
    }

    /**
     * Makes a change by one statement that is a transaction by itself, which takes one exchange with the server and not
     * two. Nothing may precede or follow it, so the statement must have {@link #undisturbed} as a condition. A
     * connection that breaks leaves the outcome unknown, as one that breaks during the commit of a step does.
     *
     * @param statement returns a row if it has changed something
     * @param reader reads this row, which is committed then, so it must not fail
     * @param note notes the change for the listener
     * @return null if nothing was changed: then the change has to be tried as a step
     */
    <R> @Nullable R atOnce(Statement statement, Statements.Row<R> reader, Step<?> note) {
        checkChangeable();
        return Statements.uninterrupted(() -> {
            lock.lock();
            try {
                checkOpen();
                // The interrupt of a virtual thread closes its connection, and a step can be repeated then.
                R found = Thread.currentThread().isVirtual() || alone.isOpen() || quiet.hasThis()
                        || log.isAwaitedElsewhere() ? null : committed(statement, reader, note);
                publish();
                return found;
            } catch (SQLException e) {
                throw ServerErrors.of(server(), e);
            } finally {
                lock.unlock();
            }
        });
    }

    private <R> @Nullable R committed(Statement statement, Statements.Row<R> reader, Step<?> note) throws SQLException {
        Statements connection = pool.borrow();
        try {
            // The statement sees what was committed before the query got the lock.
            R found = connection.second("SELECT 1 FROM " + locks.change(false) + "; " + statement.sql(),
                    statement.parameters(), reader);
            if (found != null) {
                note.run(connection);
            }
            return found;
        } catch (SQLException e) {
            if (ServerErrors.isUndone(e)) {
                return null;
            }
            if (ServerErrors.isConnection(e)) {
                throw ServerErrors.ofCommit(server(), e);
            }
            throw e;
        } finally {
            giveBack(connection);
        }
    }

    /** Adds the condition that nothing is past its end, and that no other process waits or watches. */
    Where undisturbed(Where where) {
        return where.and(
                "NOT EXISTS (SELECT 1 FROM " + names.watchers() + " WHERE client <> ?) AND NOT EXISTS (SELECT 1 FROM "
                        + names.transactions() + " WHERE expires <= " + clock.sql() + access.andMine() + ")",
                client);
    }

    /** Runs a step and commits its changes, while the lock is held; again if it has done nothing. */
    <R> R repeated(Step<R> step, boolean isAlone) throws SQLException {
        boolean wasInterrupted = false;
        boolean isReady = isAlone;
        try {
            for (int tries = 1;; tries++) {
                int noted = log.size();
                Statements connection = null;
                boolean hasFoundNothing = false;
                try {
                    connection = begun(limited(isAlone), isReady || log.isWatchedElsewhere());
                    R result = run(step, connection);
                    hasFoundNothing = result instanceof Attempt<?> attempt && !(attempt instanceof Attempt.Hit)
                            || result instanceof List<?> taken && taken.isEmpty();
                    Statements own = connection;
                    connection = null;
                    commit(own, noted);
                    return result;
                } catch (UnreadyException e) {
                    undo(connection, noted, e);
                    isReady = true;
                } catch (SQLException e) {
                    undo(connection, noted, e);
                    pool.checkRepeatable(tries, e);
                    // The driver would close the next connection of an interrupted virtual thread too.
                    wasInterrupted |= Thread.interrupted();
                } catch (RuntimeException | Error e) {
                    undo(connection, noted, e);
                    // The outcome of a commit without a change does not matter: who waits for a tuple goes on waiting.
                    if (tries >= TRIES || !hasFoundNothing || !(e instanceof SpaceException)) {
                        throw e;
                    }
                }
            }
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Runs a step in a transaction that has begun; on a quiet thread, its changes are no events. */
    <R> R run(Step<R> step, Statements connection) throws SQLException {
        return run(step, connection, quiet.hasThis());
    }

    /** Runs a step in a transaction that has begun. */
    <R> R run(Step<R> step, Statements connection, boolean isQuiet) throws SQLException {
        log.beQuiet(isQuiet);
        try {
            return step.run(connection);
        } finally {
            log.beQuiet(false);
        }
    }

    // Others would wait for the locks of a process that is stopped in the middle of a step until it goes on.
    private String limited(boolean isAlone) {
        return locks.change(isAlone) + ", " + Pool.limitOfPauses();
    }

    /**
     * Calls {@link #begun}, again if the connection was broken. Between the statements of the transaction, a caller may
     * do what takes any time.
     */
    Statements begunAlone() throws SQLException {
        for (int tries = 1;; tries++) {
            try {
                return begun(locks.change(true), true);
            } catch (SQLException e) {
                pool.checkRepeatable(tries, e);
            }
        }
    }

    /** Work must precede the statements of a step: they have to be undone, and to run again after it. */
    private static final class UnreadyException extends SQLException {
        private static final long serialVersionUID = 1;
    }

    /**
     * Returns a connection in a transaction in which a step can run: what is past its end has ended.
     *
     * @param lock gets the lock for changes, as an item of FROM
     * @param isReady whether the transaction begins at once. Otherwise it begins in the same exchange with the server
     *        as the first statement of the step, which fails with {@link UnreadyException} in the rare case that
     *        something has to be done before
     */
    private Statements begun(String lock, boolean isReady) throws SQLException {
        Statements connection = pool.borrow();
        int noted = log.size();
        try {
            log.begin();
            // The second statement sees what was committed before the first one got the lock.
            long[] due = {0};
            connection.begin(new Statements.Opening(
                    "SELECT 1 FROM " + lock + "; SELECT (SELECT count(*) FROM " + names.transactions()
                            + " WHERE expires <= " + clock.sql() + access.andMine() + "), count(*),"
                            + " count(*) FILTER (WHERE events) FROM " + names.watchers() + " WHERE client <> ?",
                    List.of(client), row -> {
                        due[0] = isToRead ? 0 : row.getLong(1);
                        log.watched(row.getLong(2), row.getLong(3));
                        if (!isReady && (due[0] > 0 || log.isWatchedElsewhere())) {
                            throw new UnreadyException();
                        }
                        return true;
                    }));
            if (isReady) {
                connection.open();
                log.lock(connection);
            }
            if (due[0] > 0) {
                new Transactions(this).endDue(connection);
            }
            return connection;
        } catch (SQLException | RuntimeException | Error e) {
            undo(connection, noted, e);
            throw e;
        }
    }

    /**
     * Commits the transaction of a connection and gives the connection back.
     *
     * @param noted number of noted changes before the transaction
     * @throws SpaceException IO when the connection breaks, so that the outcome is unknown
     */
    void commit(Statements connection, int noted) throws SQLException {
        boolean isEnding = false;
        try {
            log.end(connection);
            isEnding = true;
            connection.commit();
        } catch (SQLException e) {
            undo(connection, noted, e);
            if (isEnding && ServerErrors.isConnection(e) && !ServerErrors.isPaused(e)) {
                throw ServerErrors.ofCommit(server(), e);
            }
            throw e;
        } catch (RuntimeException | Error e) {
            undo(connection, noted, e);
            throw e;
        }
        tables.committed();
        giveBack(connection);
    }

    private void giveBack(Statements connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            LOG.debug("{}: a connection could not be given back: {}", server(), e.toString());
        }
    }

    /** Rolls a transaction back, drops the changes that it noted, and gives the connection back. */
    void undo(@Nullable Statements connection, int noted, @Nullable Throwable reason) {
        log.forgetAfter(noted);
        tables.forgetNew();
        discard(connection, reason == null ? new IllegalStateException("rolled back") : reason);
    }

    /** Rolls the transaction of a connection back, and gives the connection back. */
    static void discard(@Nullable Statements connection, Throwable reason) {
        if (connection != null) {
            connection.rollback(reason);
            try {
                connection.close();
            } catch (SQLException e) {
                reason.addSuppressed(e);
            }
        }
    }

    /** Reports committed changes to the listener. */
    void publish() {
        if (!alone.isOpen()) {
            log.publish();
        }
    }

    /** Calls {@link KnownTables#toRead}. */
    @Nullable Table tableToRead(Statements connection, TupleType<?> type, boolean isStep) throws SQLException {
        return tables.toRead(connection, type, isStep, wider -> {
            if (isToRead) {
                throw RecordClasses.outdated(server().toString(), wider);
            }
            return isStep
                    ? tables.toWrite(connection, wider)
                    : alone.isOwn()
                            ? alone.run(own -> tables.toWrite(own, wider))
                            : run(own -> tables.toWrite(own, wider));
        });
    }

    /** Returns the names of the record classes whose tuples a template may match. */
    List<String> types(Statements connection) throws SQLException {
        return new ArrayList<>(tables.types(connection));
    }

    void close() {
        lock.lock();
        try {
            // Closed within atomically(...): its end cannot release the lock any more.
            alone.leave();
            isClosed = true;
        } finally {
            lock.unlock();
        }
    }
}
