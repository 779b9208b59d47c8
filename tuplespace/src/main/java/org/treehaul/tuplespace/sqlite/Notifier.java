// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.tuplespace.sql.KeptChanges;
import org.treehaul.tuplespace.sqlite.connection.Errors;
import org.treehaul.tuplespace.sqlite.sql.Names;
import org.treehaul.tuplespace.store.Change;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.StoreListener;

/**
 * Notices commits of other processes while operations wait or registrations exist here. SQLite exposes a number that
 * changes with the file, and the processes keep a list of changes for as long as one of them asks for it in the file.
 */
final class Notifier implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Notifier.class);
    /** Interval of the polls, in nanoseconds; one takes some microseconds. */
    private static final long INTERVAL = Duration.ofMillis(10).toNanos();
    private static final long IDLE = Duration.ofSeconds(5).toNanos();
    /** Milliseconds that a watch lasts: after a process dies, others keep the list for that long. */
    private static final long WATCH = Duration.ofSeconds(60).toMillis();
    /** Number of polls for which changes wait for a full queue; after that, its events are lost. */
    private static final int PATIENCE = 500;
    /** Nanoseconds until the next attempt to renew the watch, which costs more than a poll. */
    private static final long RETRY = Duration.ofMillis(100).toNanos();
    /** Time after which a thread that must end is woken again: it may have waited for something else. */
    private static final Duration AGAIN = Duration.ofMillis(100);

    private final Writer writer;
    private final StoreListener listener;
    private final Thread thread;
    private volatile boolean isClosed;

    // Guarded by the writer's lock.
    private long readVersion = -1;
    private long lastSequence = -1;
    private long watchedUntil;
    /** The version of the file when this process was last certainly watching. */
    private long watchedVersion;
    private boolean isMore;
    private int waited;
    private long nextTry = System.nanoTime();

    Notifier(Writer writer, StoreListener listener) {
        this.writer = writer;
        this.listener = listener;
        thread = Thread.ofPlatform().daemon().name("tuplespace-notifier").unstarted(this::run);
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
            // Commits since the last poll are then read as changes.
            readVersion = -1;
            if (thread.getState() == Thread.State.NEW) {
                thread.start();
            }
            LockSupport.unpark(thread);
        }
    }

    /** Begins to watch, as noted in the file; waits for a process that is writing. */
    private void watch() {
        long[] seen = new long[2];
        lastSequence = writer.run(() -> {
            // The clock is read only now, after that wait.
            seen[0] = writer.now();
            seen[1] = version();
            // Removes the watches of processes that have died.
            writer.connection.update("DELETE FROM " + Names.WATCHERS + " WHERE expires <= ?", seen[0]);
            put(seen[0] + WATCH);
            return writer.connection.number("SELECT seq FROM sqlite_sequence WHERE name = ?", "$changes");
        });
        watchedUntil = seen[0] + WATCH;
        watchedVersion = seen[1];
    }

    /**
     * Returns whether the watch has begun, too: in a space over several stores, the first registration is there a
     * moment before, and must not receive what was written earlier.
     */
    private boolean isWatching() {
        return listener.wantsEvents() && lastSequence >= 0;
    }

    private void put(long until) throws SQLException {
        writer.connection.update("INSERT INTO " + Names.WATCHERS + " VALUES (?, ?) ON CONFLICT DO UPDATE SET expires"
                + " = excluded.expires", writer.self, until);
    }

    /**
     * Renews the watch when it is due. If another process is writing, tries again later: the duration of its
     * transaction does not count.
     */
    private void renewWatch() {
        long now = writer.now();
        if (!isWatching() || watchedUntil - now >= WATCH / 2 || System.nanoTime() - nextTry < 0) {
            return;
        }
        long[] seen = new long[2];
        boolean isDone = writer.attempt(() -> {
            seen[0] = writer.connection.number("SELECT expires FROM " + Names.WATCHERS + " WHERE id = ?", writer.self);
            seen[1] = version();
            put(now + WATCH);
            return true;
        });
        if (!isDone) {
            nextTry = System.nanoTime() + RETRY;
            return;
        }
        // The renewal came too late, for example because this process was stopped, and others have written in the
        // meantime.
        boolean isLost = seen[0] <= now && seen[1] != watchedVersion;
        watchedUntil = now + WATCH;
        watchedVersion = seen[1];
        if (isLost) {
            listener.lost();
        }
    }

    private void run() {
        while (!isClosed) {
            boolean isInterested = listener.isInterested();
            if (isInterested) {
                try {
                    poll();
                } catch (SQLException | RuntimeException | Error e) {
                    if (!isClosed) {
                        LOG.warn("{}: cannot watch changes by other processes: {}", writer.file, e.toString());
                        LockSupport.parkNanos(IDLE);
                    }
                }
            }
            LockSupport.parkNanos(isInterested ? INTERVAL : IDLE);
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
            renewWatch();
            // Does not wait for a process that locks the file: it will release it, and this thread holds the writer's
            // lock.
            Optional<List<Change>> changes = writer.connection.withoutWaiting(this::look);
            if (changes.isPresent()) {
                if (!changes.get().isEmpty()) {
                    listener.changed(changes.get());
                }
                listener.changedElsewhere();
                writer.publish();
            }
        } catch (SQLException e) {
            if (Errors.code(e) != Errors.BUSY) {
                throw e;
            }
        } finally {
            writer.unlock();
        }
    }

    /** Returns the changes of interest that others have made since the last poll; empty if the file is unchanged. */
    private Optional<List<Change>> look() throws SQLException {
        long version = version();
        if (watchedUntil > writer.now()) {
            watchedVersion = version;
        }
        if (version == readVersion && !isMore || listener.wantsEvents() && !listener.hasRoom() && ++waited < PATIENCE) {
            return Optional.empty();
        }
        waited = 0;
        List<Change> changes = List.of();
        if (isWatching()) {
            changes = changes();
        } else {
            isMore = false;
        }
        // Set only after everything was read; after a failure the changes are read again.
        readVersion = version;
        return Optional.of(changes);
    }

    /** Returns a number that changes with every commit of another process, and with none of this process. */
    private long version() throws SQLException {
        return writer.connection.number("PRAGMA data_version");
    }

    private List<Change> changes() throws SQLException {
        KeptChanges kept = new KeptChanges(writer.self, lastSequence);
        writer.connection.each(KeptChanges.sql(Names.CHANGES), List.of(lastSequence, Long.MAX_VALUE), kept::add);
        if (kept.isGap()) {
            listener.lost();
        }
        lastSequence = kept.last();
        isMore = kept.isMore();
        return kept.changes();
    }

    @Override
    public void close() {
        isClosed = true;
        LockSupport.unpark(thread);
        if (watchedUntil > 0) {
            try {
                // Does not wait for another writing process: the entry expires anyway.
                writer.exclusively(() -> writer.attempt(() -> writer.connection
                        .update("DELETE FROM " + Names.WATCHERS + " WHERE id = ?", writer.self)));
            } catch (SpaceException | IllegalStateException e) {
                LOG.debug("{}: cannot record the end of watching: {}", writer.file, e.toString());
            }
        }
        awaitEnd();
    }

    /** Waits until the thread has ended: a poll that has begun reads the file, and so may make files beside it. */
    private void awaitEnd() {
        // A listener may close the store.
        if (thread.getState() == Thread.State.NEW || thread.equals(Thread.currentThread())) {
            return;
        }
        boolean wasInterrupted = false;
        while (thread.isAlive()) {
            LockSupport.unpark(thread);
            try {
                thread.join(AGAIN);
            } catch (InterruptedException e) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
