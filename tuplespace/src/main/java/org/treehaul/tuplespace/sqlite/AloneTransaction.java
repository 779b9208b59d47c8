// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.sql.SQLException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.tuplespace.sqlite.connection.Errors;
import org.treehaul.tuplespace.sqlite.connection.Step;
import org.treehaul.tuplespace.sqlite.file.Reserve;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;

/**
 * A transaction of one thread that is also one of SQLite: until it ends, it holds the lock of the {@link Writer} and
 * locks other writing processes out of the file.
 */
final class AloneTransaction {
    private static final Logger LOG = LoggerFactory.getLogger(AloneTransaction.class);

    private final Writer writer;
    private final SqliteTransaction current;
    private final Reserve reserve;

    // Guarded by the lock of the writer.
    private boolean isOpen;
    private boolean isBroken;
    private boolean hasAdded;
    private boolean isReserveGivenUp;
    private long usedBefore;
    private int notedBefore;

    AloneTransaction(Writer writer, Reserve reserve) {
        this.writer = writer;
        current = writer.current;
        this.reserve = reserve;
    }

    boolean isOpen() {
        return isOpen;
    }

    /** Returns whether this thread owns the open transaction. */
    boolean isOwn() {
        return isOpen && writer.lock.isHeldByCurrentThread();
    }

    /** Begins a transaction of this thread, which lasts until {@link #end}. */
    void begin() {
        writer.checkChangeable();
        writer.lock.lock();
        try {
            writer.checkOpen();
            if (isOpen) {
                throw new IllegalStateException("atomically(...) within atomically(...)");
            }
            notedBefore = current.noted();
            try {
                current.begin(false);
            } catch (SQLException e) {
                if (!Errors.isFull(e)) {
                    throw e;
                }
                current.rollback(notedBefore);
                current.begin(true);
                isReserveGivenUp = true;
            }
            usedBefore = reserve.usedPages();
            isOpen = true;
            isBroken = false;
            hasAdded = false;
        } catch (SQLException e) {
            current.rollback(notedBefore);
            writer.unlock();
            throw Errors.of(writer.file, e);
        } catch (RuntimeException | Error e) {
            if (!isOpen) {
                current.rollback(notedBefore);
            }
            writer.unlock();
            throw e;
        }
    }

    /** Runs a step that changes something, within this thread's transaction. */
    <R> R change(Step<R> step, boolean isAdding) {
        return run(() -> {
            if (isAdding) {
                hasAdded = true;
            } else if (!isReserveGivenUp && reserve.isScarce()) {
                // In advance: when the disk is full, SQLite rolls the transaction back, and it cannot be repeated.
                isReserveGivenUp = true;
                reserve.release();
            }
            return step.run();
        });
    }

    <R> R run(Step<R> step) {
        if (!isOpen || !writer.lock.isHeldByCurrentThread() || isBroken) {
            throw new SpaceException(Reason.TRANSACTION_ENDED,
                    "this transaction belongs to another thread, has ended, or failed before");
        }
        try {
            return current.run(step, writer.quiet.hasThis());
        } catch (SQLException e) {
            // SQLite may have rolled the whole transaction back.
            isBroken = true;
            throw Errors.of(writer.file, e);
        } catch (Error e) {
            // The error may have occurred in the middle of the step.
            isBroken = true;
            throw e;
        }
    }

    boolean end(boolean isCommit) {
        if (!isOpen || !writer.lock.isHeldByCurrentThread()) {
            return false;
        }
        boolean isDone = false;
        try {
            if (isCommit && isBroken) {
                throw new SpaceException(Reason.TRANSACTION_ENDED, "an operation failed before, so nothing was done");
            }
            if (isCommit) {
                if (hasAdded && reserve.usedPages() > usedBefore) {
                    reserve.require();
                    reserve.checkGrowth();
                }
                current.commit();
                isDone = true;
            }
        } catch (SQLException e) {
            throw Errors.of(writer.file, e);
        } finally {
            try {
                leave(isDone);
                writer.publish();
            } finally {
                writer.unlock();
            }
        }
        return true;
    }

    void leave(boolean isDone) {
        isOpen = false;
        if (!isDone) {
            current.rollback(notedBefore);
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
            LOG.debug("{}: the reserve will be filled later: {}", writer.file, e.toString());
        }
    }
}
