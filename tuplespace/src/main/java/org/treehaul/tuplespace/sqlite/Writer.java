// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * The one connection that writes, for one thread at a time.
 * <p>
 * Group commit: a thread that wants a change puts it into the queue, then tries to get the lock. Whoever gets it does
 * all that is in the queue in one transaction of SQLite, with one sync of the disk, and wakes those whose work that
 * was: they need no lock, so that the next group is as large as what came in meanwhile. Alone, a thread does its own
 * work at once, without a change of threads.
 */
final class Writer implements AutoCloseable {
    /** So many changes share a commit; more would keep the first of them waiting. */
    private static final int GROUP = 500;
    /** Nanoseconds after which a thread that waits looks again whether the lock is free. */
    private static final long LONGEST_PARK = 1_000_000;

    private static final Logger LOG = LoggerFactory.getLogger(Writer.class);

    final Path file;
    final StoreOptions options;
    final Link link;
    /** Whether nothing may be changed. */
    final boolean isToRead;
    final String self = UUID.randomUUID().toString();
    final ReentrantLock lock = new ReentrantLock();
    private final Feed feed;
    private final Reserve reserve;
    private final Queue<Pending<?>> queue = new ConcurrentLinkedQueue<>();
    /** Those of which it is certain that they are in the file and fit. */
    private final Map<Class<?>, Table> tables = new ConcurrentHashMap<>();

    // Guarded by the lock.
    private final Map<Class<?>, Table> newTables = new HashMap<>();
    private List<String> names = List.of();
    private long seenVersion = -1;
    private long lastId;
    private boolean isIdUsed;
    private long nextTransactionEnd;
    private boolean isAlone;
    private boolean isAloneBroken;
    private boolean isAloneAdding;
    private boolean isReserveGivenUp;
    private long usedBefore;
    private volatile boolean isClosed;

    /**
     * A step that changes the store. Where it refuses, with an exception that is not of SQL, it has changed nothing.
     */
    @FunctionalInterface
    interface Step<R> {
        R run() throws SQLException;
    }

    private static final class Pending<R> {
        private final Step<R> step;
        private final boolean isAdding;
        private @Nullable R result;
        private @Nullable Throwable failure;
        private final Thread waiter = Thread.currentThread();
        private volatile boolean isDone;

        Pending(Step<R> step, boolean isAdding) {
            this.step = step;
            this.isAdding = isAdding;
        }

        void done() {
            isDone = true;
            LockSupport.unpark(waiter);
        }

        void run() throws SQLException {
            failure = null;
            try {
                result = step.run();
            } catch (SpaceException | IllegalArgumentException refused) {
                failure = refused;
            }
        }
    }

    Writer(Path file, StoreOptions options, StoreListener listener, Link link, boolean isToRead) {
        this.isToRead = isToRead;
        this.file = file;
        this.options = options;
        this.link = link;
        feed = new Feed(link, listener, self, options.clock());
        reserve = new Reserve(file, link);
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

    private void checkOpen() {
        if (isClosed) {
            throw new SpaceException(Reason.CLOSED, "the space is closed");
        }
    }

    private void checkChangeable() {
        if (isToRead) {
            throw new SpaceException(Reason.DENIED, file + " is open for reading only");
        }
    }

    /** Does a step, durably when it returns. It does not add tuples, so it works on a full disk, too. */
    <R> R run(Step<R> step) {
        return run(step, false);
    }

    /** Does a step that may add tuples, durably when it returns. */
    <R> R run(Step<R> step, boolean isAdding) {
        checkChangeable();
        Pending<R> pending = new Pending<>(step, isAdding);
        if (lock.isHeldByCurrentThread()) {
            if (isAlone) {
                throw new IllegalStateException("within atomically(...) only its own operations can write");
            }
            // Nobody else's step may come in between here: whoever joins those who wait would miss its change.
            perform(List.of(pending));
        } else {
            queue.add(pending);
            awaitDone(pending);
        }
        return outcome(pending);
    }

    /**
     * Does a step at once, while the lock is held, unless another process keeps the file; tells whether it was done.
     */
    boolean attempt(Step<?> step) {
        if (isAlone) {
            return false;
        }
        Pending<?> pending = new Pending<>(step, false);
        try {
            link.withoutWaiting(() -> {
                performAll(List.of(pending));
                return true;
            });
        } catch (SQLException e) {
            throw Errors.of(file, e);
        }
        tell();
        if (pending.failure instanceof SQLException e && Errors.code(e) == Errors.BUSY) {
            return false;
        }
        outcome(pending);
        return true;
    }

    @SuppressWarnings("NullAway") // a step that is done has the result that its type says
    private <R> R outcome(Pending<R> pending) {
        return switch (pending.failure) {
            case null -> pending.result;
            case SQLException e -> throw Errors.of(file, e);
            // A new one, with the stack of whoever asked.
            case SpaceException e -> throw new SpaceException(e.reason(), String.valueOf(e.getMessage()), e);
            case Error e -> throw e;
            case Throwable e -> throw new IllegalArgumentException(e.getMessage(), e);
        };
    }

    private void awaitDone(Pending<?> pending) {
        boolean wasInterrupted = false;
        while (!pending.isDone) {
            if (lock.tryLock()) {
                try {
                    while (!pending.isDone) {
                        perform(nextGroup());
                    }
                } finally {
                    unlock();
                }
            } else {
                // Not only until somebody wakes it: the lock is also held for what is no step.
                LockSupport.parkNanos(this, LONGEST_PARK);
                wasInterrupted |= Thread.interrupted();
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private List<Pending<?>> nextGroup() {
        List<Pending<?>> group = new ArrayList<>();
        for (Pending<?> next = queue.poll(); next != null; next = group.size() < GROUP ? queue.poll() : null) {
            group.add(next);
        }
        return group;
    }

    /** Releases the lock. Somebody else has to do what came in meanwhile, and may not know that he can. */
    void unlock() {
        lock.unlock();
        Pending<?> next = queue.peek();
        if (next != null) {
            LockSupport.unpark(next.waiter);
        }
    }

    private void perform(List<Pending<?>> group) {
        try {
            performAll(group);
        } finally {
            // Whatever happened: who is in no queue any more would wait for ever.
            group.forEach(Pending::done);
        }
        tell();
    }

    // An Error, too, belongs to whoever's step it is: a class that cannot be initialized, no memory left for so much.
    private void performAll(List<Pending<?>> group) {
        try {
            commit(group);
        } catch (Throwable e) {
            // One of them failed, and with it all: each alone shows which.
            for (Pending<?> one : group) {
                try {
                    if (group.size() == 1) {
                        throw e;
                    }
                    commit(List.of(one));
                } catch (Throwable failure) {
                    one.failure = failure instanceof RuntimeException && !(failure instanceof SpaceException)
                            && !(failure instanceof IllegalArgumentException)
                                    ? new IllegalArgumentException(failure)
                                    : failure;
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
            // With the reserve the log can be copied back, which it could not before.
            reserve.checkpoint();
            commit(group, false, true);
        } finally {
            reserve.settle();
        }
    }

    private void commit(List<Pending<?>> group, boolean isAdding, boolean isFromReserve) throws SQLException {
        int told = feed.size();
        try {
            begin(isFromReserve);
            if (isAdding) {
                reserve.require();
            }
            for (Pending<?> one : group) {
                one.run();
            }
            if (isAdding) {
                reserve.checkGrowth();
            }
            end();
        } catch (Throwable e) {
            feed.forgetAfter(told);
            rollback();
            throw e;
        }
    }

    private void begin(boolean isFromReserve) throws SQLException {
        link.update("BEGIN IMMEDIATE");
        if (isFromReserve) {
            reserve.release();
        }
        long now = now();
        // Only others' commits change it.
        long version = link.number("PRAGMA data_version");
        if (version != seenVersion) {
            lastId = link.number("SELECT last FROM " + Names.COUNTER);
            reloadNames();
            reloadTransactions();
            feed.reloadWatchers();
            seenVersion = version;
        }
        feed.begin(now);
        if (now >= nextTransactionEnd) {
            List<Long> ended = new ArrayList<>();
            link.each("SELECT id FROM " + Names.TRANSACTIONS + " WHERE expires <= ?", List.of(now),
                    row -> ended.add(row.getLong(1)));
            Transactions transactions = new Transactions(this);
            for (long transaction : ended) {
                transactions.end(transaction, false);
            }
            reloadTransactions();
        }
    }

    void reloadTransactions() throws SQLException {
        Long first = link.first("SELECT min(expires) FROM " + Names.TRANSACTIONS, List.of(), Link::number);
        nextTransactionEnd = first == null ? Store.NEVER : first;
    }

    private void reloadNames() throws SQLException {
        List<String> found = new ArrayList<>();
        link.each("SELECT name FROM " + Names.TYPES, List.of(), row -> found.add(row.getString(1)));
        names = found;
    }

    private void end() throws SQLException {
        if (isIdUsed) {
            link.update("UPDATE " + Names.COUNTER + " SET last = ?", lastId);
        }
        feed.end();
        link.update("COMMIT");
        isIdUsed = false;
        tables.putAll(newTables);
        newTables.clear();
    }

    private void rollback() {
        seenVersion = -1;
        isIdUsed = false;
        newTables.clear();
        try {
            link.clear();
            link.update("ROLLBACK");
        } catch (SQLException already) {
            // SQLite rolls some failures back by itself.
            LOG.trace("{}: nothing to roll back", file, already);
        }
    }

    /** Begins a transaction of this thread, until {@link #endAlone}. */
    void beginAlone() {
        checkChangeable();
        lock.lock();
        try {
            checkOpen();
            if (isAlone) {
                throw new IllegalStateException("atomically(...) within atomically(...)");
            }
            try {
                begin(false);
            } catch (SQLException e) {
                if (!Errors.isFull(e)) {
                    throw e;
                }
                rollback();
                begin(true);
                isReserveGivenUp = true;
            }
            usedBefore = reserve.usedPages();
            isAlone = true;
            isAloneBroken = false;
            isAloneAdding = false;
        } catch (SQLException e) {
            rollback();
            unlock();
            throw Errors.of(file, e);
        } catch (RuntimeException | Error e) {
            if (!isAlone) {
                rollback();
            }
            unlock();
            throw e;
        }
    }

    /** Does a step that changes something within the transaction of this thread. */
    <R> R changeAlone(Step<R> step, boolean isAdding) {
        return runAlone(() -> {
            if (isAdding) {
                isAloneAdding = true;
            } else if (!isReserveGivenUp && reserve.isScarce()) {
                // Ahead: where there is no room SQLite undoes the transaction, which cannot be repeated.
                isReserveGivenUp = true;
                reserve.release();
            }
            return step.run();
        });
    }

    <R> R runAlone(Step<R> step) {
        if (!isAlone || !lock.isHeldByCurrentThread() || isAloneBroken) {
            throw new SpaceException(Reason.TRANSACTION_ENDED,
                    "this transaction belongs to another thread, has ended, or failed before");
        }
        try {
            return step.run();
        } catch (SQLException e) {
            // SQLite may have undone all of it.
            isAloneBroken = true;
            throw Errors.of(file, e);
        } catch (Error e) {
            // It may have come in the midst of the step.
            isAloneBroken = true;
            throw e;
        }
    }

    boolean endAlone(boolean isCommit) {
        if (!isAlone || !lock.isHeldByCurrentThread()) {
            return false;
        }
        boolean isDone = false;
        try {
            if (isCommit && isAloneBroken) {
                throw new SpaceException(Reason.TRANSACTION_ENDED, "an operation failed before, so nothing was done");
            }
            if (isCommit) {
                if (isAloneAdding && reserve.usedPages() > usedBefore) {
                    reserve.require();
                    reserve.checkGrowth();
                }
                end();
                isDone = true;
            }
        } catch (SQLException e) {
            throw Errors.of(file, e);
        } finally {
            try {
                leaveAlone(isDone);
                tell();
            } finally {
                unlock();
            }
        }
        return true;
    }

    private void leaveAlone(boolean isDone) {
        isAlone = false;
        if (!isDone) {
            feed.forgetAfter(0);
            rollback();
        }
        boolean isReserveDue = isReserveGivenUp;
        isReserveGivenUp = false;
        try {
            if (isReserveDue) {
                reserve.settle();
            } else {
                reserve.committed();
            }
        } catch (SQLException e) {
            LOG.debug("{}: the reserve is filled later: {}", file, e.toString());
        }
    }

    /** Tells what was committed. */
    void tell() {
        if (!isAlone) {
            feed.tell();
        }
    }

    /** Tells whether anybody wants to know of changes, here or in another process. Within a step. */
    boolean isWatched() {
        return feed.isWatched();
    }

    /** Within a step: this will be so when it is committed. */
    void note(EventKind kind, TupleType<?> type, Record tuple) throws SQLException {
        feed.note(kind, type, tuple);
    }

    long nextId() {
        isIdUsed = true;
        return ++lastId;
    }

    List<String> names() {
        return names;
    }

    /** Within a step: the table of a type, made where there is none. */
    Table tableToWrite(TupleType<?> type) throws SQLException {
        Table known = tables.get(type.recordClass());
        known = known == null ? newTables.get(type.recordClass()) : known;
        if (known == null) {
            var kept = Schema.kept(link, type.name());
            if (kept == null || !Schema.fits(type, kept)) {
                Schema.ensure(link, type, options, true);
                reloadNames();
            }
            known = Table.of(link, type);
            newTables.put(type.recordClass(), known);
        }
        return known;
    }

    /** The table of a type, null where there is none. Of another version it is fitted first. */
    @Nullable Table tableToRead(Link reader, TupleType<?> type) throws SQLException {
        Table known = tables.get(type.recordClass());
        if (known != null) {
            return known;
        }
        var kept = Schema.kept(reader, type.name());
        if (kept == null) {
            return null;
        }
        if (!Schema.fits(type, kept)) {
            if (isToRead) {
                throw new SpaceException(Reason.VERSION, type.name()
                        + " has gained components; its owner has to open the space once before it can be read");
            }
            return isAlone && lock.isHeldByCurrentThread() || reader == link
                    ? tableToWrite(type)
                    : run(() -> tableToWrite(type));
        }
        Table found = Table.of(reader, type);
        if (reader != link) {
            tables.put(type.recordClass(), found);
        }
        return found;
    }

    @Override
    public void close() throws SQLException {
        lock.lock();
        try {
            if (isAlone) {
                // Closed within atomically(...): the lock must not stay with what cannot end any more.
                leaveAlone(false);
                unlock();
            }
            if (!isClosed) {
                isClosed = true;
                link.close();
            }
        } finally {
            unlock();
        }
    }
}
