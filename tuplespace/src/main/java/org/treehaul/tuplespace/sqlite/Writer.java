// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.sql.GroupQueue;
import org.treehaul.tuplespace.sqlite.connection.Errors;
import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;
import org.treehaul.tuplespace.sqlite.connection.Step;
import org.treehaul.tuplespace.sqlite.file.Reserve;
import org.treehaul.tuplespace.sqlite.sql.Table;
import org.treehaul.tuplespace.store.QuietThreads;
import org.treehaul.tuplespace.store.RecordClasses;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * Lets one thread at a time write, each in the {@link SqliteTransaction}.
 * <p>
 * Group commit: a thread that requests a change adds it to the queue, then tries to get the lock. The thread that gets
 * the lock executes the whole queue in one SQLite transaction, with one sync of the disk, and wakes the threads whose
 * changes it made. They need no lock, so the next group consists of all changes that arrived in the meantime. A single
 * thread executes its own change at once, without switching threads.
 */
final class Writer implements AutoCloseable {
    /** Nanoseconds after which a waiting thread checks again whether the lock is free. */
    private static final long LONGEST_PARK = 1_000_000;

    final Path file;
    final StoreOptions options;
    final SqliteConnection connection;
    final boolean isToRead;
    final String self;
    final ReentrantLock lock = new ReentrantLock();
    /** Used within steps only, which run while the lock is held. */
    final SqliteTransaction current;
    private final Reserve reserve;
    final AloneTransaction alone;
    final QuietThreads quiet = new QuietThreads();
    private final GroupQueue<Pending<?>> queue = new GroupQueue<>(this::perform);
    private volatile boolean isClosed;

    Writer(Path file, StoreOptions options, StoreListener listener, SqliteConnection connection, boolean isToRead) {
        this.isToRead = isToRead;
        this.file = file;
        this.options = options;
        this.connection = connection;
        // A reader leaves no traces, and random numbers take 8 ms of CPU at a start.
        this.self = isToRead ? "" : UUID.randomUUID().toString();
        reserve = new Reserve(file, connection);
        current = new SqliteTransaction(file, options, listener, connection, self, reserve);
        alone = new AloneTransaction(this, reserve);
    }

    long now() {
        return options.clock().millis();
    }

    <R> R exclusively(Supplier<R> work) {
        lock.lock();
        try {
            checkOpen();
            return work.get();
        } finally {
            unlock();
        }
    }

    void checkOpen() {
        if (isClosed) {
            throw new SpaceException(Reason.CLOSED, "the space is closed");
        }
    }

    void checkChangeable() {
        if (isToRead) {
            throw new SpaceException(Reason.DENIED, file + " is open for reading only");
        }
    }

    /** Runs a step, whose changes are durable when it returns. It adds no tuples, so it works even on a full disk. */
    <R> R run(Step<R> step) {
        return run(step, false);
    }

    /** Runs a step that may add tuples; its changes are durable when it returns. */
    <R> R run(Step<R> step, boolean isAdding) {
        checkChangeable();
        Pending<R> pending = new Pending<>(step, isAdding, quiet.hasThis());
        if (lock.isHeldByCurrentThread()) {
            if (alone.isOpen()) {
                throw new IllegalStateException("within atomically(...) only its own operations can write");
            }
            // No step of another thread may run in between: an operation that is about to wait would miss its change.
            perform(List.of(pending));
        } else {
            queue.add(pending);
            awaitDone(pending);
        }
        return pending.outcome(file);
    }

    /** Runs a step at once, while the lock is held; returns false if another process locks the file. */
    boolean attempt(Step<?> step) {
        if (alone.isOpen()) {
            return false;
        }
        Pending<?> pending = new Pending<>(step, false, false);
        try {
            connection.withoutWaiting(() -> {
                performAll(List.of(pending));
                return true;
            });
        } catch (SQLException e) {
            throw Errors.of(file, e);
        }
        publish();
        if (pending.failure() instanceof SQLException e && Errors.code(e) == Errors.BUSY) {
            return false;
        }
        pending.outcome(file);
        return true;
    }

    private void awaitDone(Pending<?> pending) {
        boolean wasInterrupted = false;
        while (!pending.isDone()) {
            if (lock.tryLock()) {
                try {
                    queue.runUntilDone(pending);
                } finally {
                    unlock();
                }
            } else {
                // With a timeout, because the lock is also held for work that is not a step and wakes no thread.
                LockSupport.parkNanos(this, LONGEST_PARK);
                wasInterrupted |= Thread.interrupted();
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Releases the lock, and wakes the next thread in the queue to execute the steps that arrived in the meantime. */
    void unlock() {
        lock.unlock();
        Pending<?> next = queue.first();
        if (next != null) {
            LockSupport.unpark(next.waiter());
        }
    }

    private void perform(List<Pending<?>> group) {
        try {
            performAll(group);
        } finally {
            // In any case: the steps are no longer in the queue, so their threads would wait forever.
            group.forEach(Pending::done);
        }
        publish();
    }

    // An Error also belongs to the thread of the step: a class that cannot be initialized, or too little memory.
    private void performAll(List<Pending<?>> group) {
        try {
            commit(group);
        } catch (Throwable e) {
            // One step failed, and rolled all of them back; running each alone shows which one.
            for (Pending<?> one : group) {
                try {
                    if (group.size() == 1) {
                        throw e;
                    }
                    commit(List.of(one));
                } catch (Throwable failure) {
                    one.failed(failure instanceof RuntimeException && !(failure instanceof SpaceException)
                            && !(failure instanceof IllegalArgumentException)
                                    ? new IllegalArgumentException(failure)
                                    : failure);
                }
            }
        }
    }

    private void commit(List<Pending<?>> group) throws SQLException {
        checkOpen();
        boolean isAdding = group.stream().anyMatch(one -> one.isAdding);
        try {
            commit(group, isAdding, false);
        } catch (SQLException e) {
            if (group.size() > 1 || !Errors.isFull(e)) {
                throw e;
            }
            reserve.settle();
            if (isAdding) {
                commit(group, true, false);
            } else {
                commitFromReserve(group);
            }
        }
        reserve.committed();
    }

    private void commitFromReserve(List<Pending<?>> group) throws SQLException {
        try {
            commit(group, false, true);
        } catch (SQLException e) {
            if (!Errors.isFull(e)) {
                throw e;
            }
            // With the reserve released, the log can be copied back, which failed before.
            reserve.checkpoint();
            commit(group, false, true);
        } finally {
            reserve.settle();
        }
    }

    private void commit(List<Pending<?>> group, boolean isAdding, boolean isFromReserve) throws SQLException {
        int noted = current.noted();
        try {
            current.begin(isFromReserve);
            if (isAdding) {
                reserve.require();
            }
            for (Pending<?> one : group) {
                one.run(current);
            }
            if (isAdding) {
                reserve.checkGrowth();
            }
            current.commit();
        } catch (Throwable e) {
            current.rollback(noted);
            throw e;
        }
    }

    /** Reports committed changes to the listener. */
    void publish() {
        if (!alone.isOpen()) {
            current.publish();
        }
    }

    /** Calls {@link KnownTables#toRead}. */
    @Nullable Table tableToRead(SqliteConnection reader, TupleType<?> type) throws SQLException {
        return current.tables.toRead(reader, type, wider -> {
            if (isToRead) {
                throw RecordClasses.outdated(file.toString(), wider);
            }
            return alone.isOwn() || reader == connection ? current.table(wider) : run(() -> current.table(wider));
        });
    }

    @Override
    public void close() throws SQLException {
        lock.lock();
        try {
            if (alone.isOpen()) {
                // Closed within atomically(...): its end cannot release the lock any more.
                alone.leave(false);
                unlock();
            }
            if (!isClosed) {
                isClosed = true;
                connection.close();
            }
        } finally {
            unlock();
        }
    }
}
