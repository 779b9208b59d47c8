// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.StoreListener;

/**
 * The exclusive section over all partitions, and the delivery of their changes within it.
 * <p>
 * Changes share the gate while no operation waits and no registration exists, so that threads that write to several
 * partitions do not wait for each other. Otherwise each change has the gate for itself until its changes are delivered:
 * operations that wait are then served before any other. Interest begins within the exclusive section only.
 */
final class Gate {
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private final StoreListener listener;
    private final AtomicBoolean isSignalled = new AtomicBoolean();
    final PendingChanges pending;
    private final Thread thread;

    // Guarded by the lock.
    private boolean isClosed;
    /** The transaction of the thread that has the exclusive section until its end; null if there is none. */
    private volatile @Nullable Joint alone;

    Gate(StoreListener listener) {
        this.listener = listener;
        pending = new PendingChanges(listener, this::signal);
        thread = Thread.ofPlatform().daemon().name("tuplespace-partitions").unstarted(this::run);
    }

    /** A change that comes from another process wakes the thread; this process delivers its own changes. */
    private void signal() {
        if (!lock.isWriteLockedByCurrentThread()) {
            isSignalled.set(true);
            LockSupport.unpark(thread);
        }
    }

    /** Called within the exclusive section. */
    void interestChanged() {
        if (listener.isInterested() && thread.getState() == Thread.State.NEW) {
            thread.start();
        }
    }

    private void run() {
        while (true) {
            if (!isSignalled.getAndSet(false)) {
                LockSupport.park(this);
            }
            lock.writeLock().lock();
            try {
                if (isClosed) {
                    return;
                }
                deliver();
            } finally {
                lock.writeLock().unlock();
            }
        }
    }

    private void deliver() {
        if (lock.getWriteHoldCount() == 1 && !isClosed) {
            pending.deliver();
        }
    }

    private void checkOpen() {
        if (isClosed) {
            throw new SpaceException(SpaceException.Reason.CLOSED, "the space is closed");
        }
    }

    <R> R exclusively(Supplier<R> work) {
        lock.writeLock().lock();
        try {
            checkOpen();
            try {
                return work.get();
            } finally {
                deliver();
            }
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** Makes a change in a transaction, or in none. */
    <R> R change(long transaction, Supplier<R> work) {
        Joint own = alone;
        if (lock.isWriteLockedByCurrentThread()) {
            if (own != null && own.id != transaction) {
                throw new IllegalStateException("within atomically(...) only its own operations can write");
            }
            return exclusively(work);
        }
        lock.readLock().lock();
        try {
            if (!listener.isInterested()) {
                checkOpen();
                return work.get();
            }
        } finally {
            lock.readLock().unlock();
        }
        return exclusively(work);
    }

    /** Makes a change, unless other threads have the exclusive section: then returns the other value at once. */
    <R> R changeOr(R other, Supplier<R> work) {
        if (!lock.writeLock().tryLock()) {
            return other;
        }
        try {
            return alone == null ? exclusively(work) : other;
        } finally {
            lock.writeLock().unlock();
        }
    }

    @Nullable Joint alone() {
        return alone;
    }

    /** Gives this thread the exclusive section until {@link #leave}. */
    Joint enter(Supplier<Joint> beginning) {
        lock.writeLock().lock();
        boolean isDone = false;
        try {
            checkOpen();
            if (alone != null) {
                throw new IllegalStateException("atomically(...) within atomically(...)");
            }
            Joint begun = beginning.get();
            alone = begun;
            isDone = true;
            return begun;
        } finally {
            if (!isDone) {
                lock.writeLock().unlock();
            }
        }
    }

    /** Returns whether this thread has the exclusive section until the end of this transaction. */
    boolean isAlone(long transaction) {
        Joint own = alone;
        return own != null && own.id == transaction && lock.isWriteLockedByCurrentThread();
    }

    /** Ends the section that {@link #enter} began. */
    void leave() {
        alone = null;
        try {
            deliver();
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** Closes the gate within the exclusive section, and does the work that closes what is behind it. */
    void close(Runnable work) {
        lock.writeLock().lock();
        try {
            if (!isClosed) {
                isClosed = true;
                if (alone != null) {
                    // Closed within atomically(...): its end cannot leave any more.
                    leave();
                }
                work.run();
            }
        } finally {
            lock.writeLock().unlock();
            LockSupport.unpark(thread);
        }
    }
}
