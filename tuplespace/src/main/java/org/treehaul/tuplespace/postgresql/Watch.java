// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.tuplespace.postgresql.connection.LeaseClock;
import org.treehaul.tuplespace.postgresql.connection.ServerErrors;
import org.treehaul.tuplespace.postgresql.connection.Statements;
import org.treehaul.tuplespace.postgresql.sql.Names;
import org.treehaul.tuplespace.sql.KeptChanges;
import org.treehaul.tuplespace.store.Change;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.StoreListener;

/**
 * The connection of a process that has transactions, waits or watches. The server knows by its lock that the process
 * lives, and sends it notifications of changes by others. A notification is only a hint, and one may be missed: each is
 * followed by a query, and so is each second without one.
 */
final class Watch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Watch.class);
    /** Milliseconds between two queries without a notification. */
    private static final int POLL = 1000;
    private static final long IDLE = Duration.ofSeconds(3).toNanos();
    /** Nanoseconds without interest after which other processes are no longer asked to notify this one. */
    private static final long LINGER = Duration.ofSeconds(30).toNanos();
    /** Nanoseconds between two attempts to connect again. */
    private static final long RETRY = Duration.ofMillis(200).toNanos();
    /** Number of polls for which changes wait for a full queue; after that, its events are lost. */
    private static final int PATIENCE = 500;

    private enum Mode {
        NONE,
        /** Others notify this process. */
        HINTS,
        /** Others also keep their changes for it. */
        EVENTS
    }

    private final Writer writer;
    private final Names names;
    private final StoreListener listener;
    private final Duration patience;
    private final Thread thread;
    private volatile boolean isClosed;
    private volatile @Nullable Statements session;

    // Guarded by the writer's lock.
    private Mode mode = Mode.NONE;
    private long lastSequence = -1;
    private boolean isMore;
    private int waited;
    private long wanted = System.nanoTime();

    // Used by the thread only.
    private boolean isLocked;
    private long lostAt;
    private long askedAt;

    Watch(Writer writer, StoreListener listener, Duration patience) {
        this.writer = writer;
        this.listener = listener;
        this.patience = patience;
        names = writer.names;
        thread = Thread.ofPlatform().daemon().name("tuplespace-watch").unstarted(this::run);
    }

    /**
     * Returns the number of this process, for transactions that end with it. Called while the writer's lock is held.
     */
    long client() {
        if (writer.client == 0) {
            session = Statements.uninterrupted(() -> {
                try {
                    return connected();
                } catch (SQLException e) {
                    throw ServerErrors.of(writer.server(), e);
                }
            });
            start();
        }
        return writer.client;
    }

    private void start() {
        if (thread.getState() == Thread.State.NEW) {
            thread.start();
        }
    }

    /** Called while the writer's lock is held. */
    void interestChanged() {
        if (!listener.wantsEvents()) {
            // Changes until the next registration are of no interest.
            lastSequence = -1;
        } else if (lastSequence < 0) {
            watch();
        }
        if (listener.isInterested()) {
            start();
            LockSupport.unpark(thread);
        }
    }

    /** Begins to watch: no change that began before is still running then. */
    private void watch() {
        if (!writer.access.isShared()) {
            writer.checkChangeable();
        }
        long client = client();
        lastSequence = writer.runUnchecked(connection -> {
            connection.update("INSERT INTO " + names.watchers() + " VALUES (?, true) ON CONFLICT (client)"
                    + " DO UPDATE SET events = true", client);
            return connection.number("SELECT changes FROM " + names.space());
        }, true);
        mode = Mode.EVENTS;
    }

    /** Connects, and takes the lock by which the server knows that this process lives. */
    private Statements connected() throws SQLException {
        Statements opened = writer.pool.connect();
        try {
            long number = writer.client != 0
                    ? writer.client
                    : opened.number("SELECT nextval(?::regclass)", names.clientIds());
            // The server may not have noticed yet that an earlier connection is broken.
            isLocked = opened.number(writer.locks.client(number)) == 1;
            if (opened.update("UPDATE " + names.clients() + " SET lost = NULL WHERE id = ?", number) == 0) {
                opened.update("INSERT INTO " + names.clients() + " VALUES (?, NULL)", number);
                forgotten();
            }
            opened.run("LISTEN " + Names.quote(names.channel()));
            writer.client = number;
            return opened;
        } catch (SQLException | RuntimeException | Error e) {
            opened.close();
            throw e;
        }
    }

    /** Other processes have removed this one, which was not connected for too long. */
    private void forgotten() {
        writer.lock.lock();
        try {
            boolean isWatching = mode == Mode.EVENTS && lastSequence >= 0;
            mode = Mode.NONE;
            if (isWatching) {
                lastSequence = -1;
                listener.lost();
            }
        } finally {
            writer.lock.unlock();
        }
    }

    private void run() {
        while (!isClosed) {
            try {
                step();
                lostAt = 0;
            } catch (SQLException | RuntimeException | Error e) {
                if (!isClosed) {
                    LOG.debug("{}: cannot watch changes by other processes: {}", writer.server(), e.toString());
                    lost();
                    LockSupport.parkNanos(RETRY);
                }
            }
        }
    }

    private void step() throws SQLException {
        boolean isInterested = listener.isInterested();
        if (isUnknown()) {
            LockSupport.parkNanos(isInterested ? POLL * 1_000_000L : IDLE);
        } else {
            Statements own = own();
            if (own == null) {
                return;
            }
            if (!isLocked) {
                isLocked = own.number(writer.locks.client(writer.client)) == 1;
            }
            if (isInterested) {
                // The first time at once: something may have changed before this process was known.
                own.isNotified(mode == Mode.NONE || isMore ? 1 : POLL);
                if (System.nanoTime() - askedAt > IDLE) {
                    // A client that only listens does not notice that the server has ended the connection and its lock.
                    own.number("SELECT 1");
                    askedAt = System.nanoTime();
                }
            } else {
                LockSupport.parkNanos(IDLE);
                own.isNotified(1);
                own.number("SELECT 1");
            }
        }
        poll();
    }

    /** Returns whether other processes need not know of this one: it only reads, and no events are wanted. */
    private boolean isUnknown() {
        return writer.isToRead && mode != Mode.EVENTS && !(writer.access.isShared() && listener.wantsEvents());
    }

    /** Returns the connection; makes the first one, or another if it broke. */
    private @Nullable Statements own() throws SQLException {
        Statements own = session;
        if (own != null) {
            return own;
        }
        writer.lock.lock();
        try {
            if (isClosed) {
                return null;
            }
            if (writer.client == 0) {
                client();
                return session;
            }
        } finally {
            writer.lock.unlock();
        }
        own = connected();
        session = own;
        if (isClosed) {
            own.abort();
        }
        return own;
    }

    /**
     * Drops a broken connection. If there is none for too long, those that wait try again, over the other connections:
     * they fail if the server is away, and they are not forgotten if it only refuses this one.
     */
    private void lost() {
        Statements own = session;
        session = null;
        if (own != null) {
            try {
                own.abort();
            } catch (SQLException e) {
                LOG.trace("{}: already closed", writer.server(), e);
            }
        }
        long now = System.nanoTime();
        lostAt = lostAt == 0 ? now : lostAt;
        if (now - lostAt > patience.toNanos()) {
            lostAt = now;
            try {
                writer.exclusively(() -> {
                    listener.changedElsewhere();
                    return true;
                });
            } catch (SpaceException | IllegalStateException e) {
                LOG.debug("{}: {}", writer.server(), e.toString());
            }
        }
    }

    private void poll() throws SQLException {
        try {
            if (!writer.lock.tryLock(1, TimeUnit.SECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        try {
            if (isClosed) {
                return;
            }
            boolean wantsEvents = listener.wantsEvents();
            if (wantsEvents || listener.isInterested() && mode != Mode.EVENTS) {
                wanted = System.nanoTime();
            }
            register(wantsEvents);
            if (!listener.isInterested() || wantsEvents && !listener.hasRoom() && ++waited < PATIENCE) {
                return;
            }
            waited = 0;
            isMore = false;
            List<Change> changes = wantsEvents ? changes() : List.of();
            if (!changes.isEmpty()) {
                listener.changed(changes);
            }
            listener.changedElsewhere();
            writer.publish();
        } finally {
            writer.lock.unlock();
        }
    }

    /** Asks other processes for what this one wants, or for less if it has not wanted it for a while. */
    private void register(boolean wantsEvents) throws SQLException {
        if (isUnknown()) {
            return;
        }
        if (wantsEvents && lastSequence < 0) {
            watch();
        } else if (listener.isInterested() && mode == Mode.NONE) {
            connect(connection -> connection.update(
                    "INSERT INTO " + names.watchers() + " VALUES (?, false) ON CONFLICT (client) DO NOTHING",
                    writer.client));
            mode = Mode.HINTS;
        } else if (mode != Mode.NONE && !wantsEvents && System.nanoTime() - wanted > LINGER) {
            connect(connection -> connection.update("DELETE FROM " + names.watchers() + " WHERE client = ?",
                    writer.client));
            mode = Mode.NONE;
        }
    }

    private interface Use {
        long with(Statements connection) throws SQLException;
    }

    private void connect(Use use) throws SQLException {
        try (Statements connection = writer.pool.borrow()) {
            use.with(connection);
        }
    }

    private List<Change> changes() throws SQLException {
        KeptChanges kept = new KeptChanges(writer.log.self, lastSequence);
        connect(connection -> {
            long given = connection.number("SELECT changes FROM " + names.space());
            kept.given(given);
            if (writer.access.isApart()) {
                kept.removedUntil(given - ChangeLog.KEPT);
            }
            // A member can store a change with a number that was not given yet, after which no other would be read.
            connection.each(KeptChanges.sql(names.changes()), List.of(kept.last(), given), kept::add);
            kept.readUntil(given);
            return 0;
        });
        if (kept.isGap()) {
            listener.lost();
        }
        lastSequence = kept.last();
        isMore = kept.isMore();
        return kept.changes();
    }

    /**
     * Ends the transactions and watches of processes whose connections ended a while ago, and removes old changes.
     */
    void removeLost() {
        if (writer.pool.read(connection -> connection.number("SELECT count(*) FROM " + names.clients())) == 0) {
            return;
        }
        if (writer.access.isShared()) {
            writer.run(connection -> {
                connection.each("SELECT " + names.removeLost() + "()", List.of(), row -> true);
                return true;
            });
            return;
        }
        writer.run(connection -> {
            List<Long> over = new ArrayList<>();
            connection.update("UPDATE " + names.clients() + " SET lost = CASE WHEN id NOT IN (" + writer.locks.clients()
                    + ") THEN coalesce(lost, " + LeaseClock.SERVER + ") END WHERE (lost IS NULL) <> (id IN ("
                    + writer.locks.clients() + "))");
            connection.each("DELETE FROM " + names.clients() + " WHERE lost < " + LeaseClock.SERVER + " - "
                    + LeaseClock.GRACE + " RETURNING id", List.of(), row -> over.add(row.getLong(1)));
            for (long client : over) {
                new Transactions(writer).rollBack(connection, "client = ?", List.of(client));
                connection.update("DELETE FROM " + names.watchers() + " WHERE client = ?", client);
            }
            return connection.update("DELETE FROM " + names.changes() + " WHERE NOT EXISTS (SELECT 1 FROM "
                    + names.watchers() + " WHERE events)");
        });
    }

    @Override
    public void close() {
        isClosed = true;
        LockSupport.unpark(thread);
        Statements own = session;
        if (own == null) {
            return;
        }
        try {
            own.abort();
            // Transactions that were left open end with the process's entry; see removeLost.
            connect(connection -> connection.update("DELETE FROM " + names.watchers() + " WHERE client = ?",
                    writer.client)
                    + connection
                            .update("DELETE FROM " + names.clients() + " WHERE id = ? AND NOT EXISTS (SELECT 1 FROM "
                                    + names.transactions() + " WHERE client = ?)", writer.client, writer.client));
        } catch (SQLException e) {
            LOG.debug("{}: cannot record the end of watching: {}", writer.server(), e.toString());
        }
    }
}
