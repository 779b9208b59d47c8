// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.tuplespace.store.Change;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.RecordClasses;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.TupleCodec;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * Notices what other processes commit, while somebody here waits or wants events: SQLite tells by a number that the
 * file was changed, and the processes keep a list of changes as long as one of them has said in the file that it wants
 * it.
 */
final class Notifier implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Notifier.class);
    /** Asking takes some microseconds. */
    private static final long INTERVAL = Duration.ofMillis(10).toNanos();
    private static final long IDLE = Duration.ofSeconds(5).toNanos();
    /** A process that dies makes the others keep a list for so long. */
    private static final long WATCH = Duration.ofSeconds(60).toMillis();
    private static final int PORTION = 1000;
    /** A queue that stays full so long is told less. */
    private static final int PATIENCE = 500;

    private final Writer writer;
    private final StoreListener listener;
    private final Thread thread;
    private volatile boolean isClosed;

    // Guarded by the writer's lock.
    private long toldVersion = -1;
    private long lastSequence = -1;
    private long watchedUntil;
    private boolean isMore;
    private int waited;

    Notifier(Writer writer, StoreListener listener) {
        this.writer = writer;
        this.listener = listener;
        thread = Thread.ofPlatform().daemon().name("tuplespace-notifier").unstarted(this::run);
    }

    /** Called while the writer's lock is held. */
    void interestChanged() {
        if (listener.isInterested()) {
            // What was committed since somebody's last look counts as news.
            toldVersion = -1;
            watch();
            if (thread.getState() == Thread.State.NEW) {
                thread.start();
            }
            LockSupport.unpark(thread);
        }
    }

    private void watch() {
        if (!listener.wantsEvents()) {
            lastSequence = -1;
            return;
        }
        long now = writer.now();
        if (lastSequence < 0 || watchedUntil - now < WATCH / 2) {
            long until = now + WATCH;
            long last = writer.run(() -> {
                writer.link.update("INSERT INTO " + Names.WATCHERS + " VALUES (?, ?) ON CONFLICT DO UPDATE SET expires"
                        + " = excluded.expires", writer.self, until);
                return writer.link.number("SELECT seq FROM sqlite_sequence WHERE name = ?", "$changes");
            });
            watchedUntil = until;
            lastSequence = lastSequence < 0 ? last : lastSequence;
        }
    }

    private void run() {
        while (!isClosed) {
            boolean isInterested = listener.isInterested();
            if (isInterested) {
                try {
                    poll();
                } catch (SQLException | RuntimeException e) {
                    if (!isClosed) {
                        LOG.warn("{}: changes by other processes cannot be noticed: {}", writer.file, e.toString());
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
            watch();
            long version = writer.link.number("PRAGMA data_version");
            if (version == toldVersion && !isMore) {
                return;
            }
            if (listener.wantsEvents() && !listener.hasRoom() && ++waited < PATIENCE) {
                return;
            }
            waited = 0;
            toldVersion = version;
            isMore = false;
            if (listener.wantsEvents()) {
                List<Change> changes = changes();
                if (!changes.isEmpty()) {
                    listener.changed(changes);
                }
            }
            listener.changedElsewhere();
            writer.tell();
        } finally {
            writer.unlock();
        }
    }

    private List<Change> changes() throws SQLException {
        List<Change> changes = new ArrayList<>();
        long[] read = {0, lastSequence};
        long first = writer.link.number("SELECT min(sequence) FROM " + Names.CHANGES);
        if (first > lastSequence + 1 && lastSequence > 0) {
            listener.lost();
        }
        writer.link.each("SELECT sequence, origin, kind, type, tuple FROM " + Names.CHANGES
                + " WHERE sequence > ? ORDER BY sequence LIMIT " + PORTION, List.of(lastSequence), row -> {
                    read[0]++;
                    read[1] = row.getLong(1);
                    if (!row.getString(2).equals(writer.self)) {
                        Change change = change(row.getString(3), row.getString(4), row.getBytes(5));
                        if (change != null) {
                            changes.add(change);
                        }
                    }
                    return true;
                });
        lastSequence = read[1];
        isMore = read[0] == PORTION;
        return changes;
    }

    /** Records that are not on the class path here, or are of another version, have nobody who wants them. */
    private static @Nullable Change change(String kind, String type, byte[] tuple) {
        try {
            TupleType<?> found = RecordClasses.find(type);
            return new Change(EventKind.valueOf(kind), TupleCodec.decode(found, Bytes.of(tuple)));
        } catch (SpaceException | IllegalArgumentException e) {
            LOG.debug("a change of {} cannot be read here: {}", type, e.toString());
            return null;
        }
    }

    @Override
    public void close() {
        isClosed = true;
        LockSupport.unpark(thread);
        if (watchedUntil > 0) {
            try {
                writer.run(() -> writer.link.update("DELETE FROM " + Names.WATCHERS + " WHERE id = ?", writer.self));
            } catch (SpaceException | IllegalStateException e) {
                LOG.debug("{}: its end of watching is not noted: {}", writer.file, e.toString());
            }
        }
    }
}
