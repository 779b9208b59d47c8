// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition.gate;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.StandInClasses;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreListener;

/**
 * The exclusive section over all partitions, and the delivery of their changes within it.
 * <p>
 * Changes share the gate while no operation waits and no registration exists, so that threads that write to several
 * partitions do not wait for each other. Otherwise each change has the gate for itself until its changes are delivered:
 * operations that wait are then served before any other. Interest begins within the exclusive section only.
 */
public final class Gate {
    /** Other threads wait as long as this one waits for a change that takes longer. */
    private static final long WAIT = 100;
    /** Nanoseconds since the last turn of {@link #changeOr} after which it waits. */
    private static final long OVERDUE = TimeUnit.SECONDS.toNanos(5);

    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private final StoreListener listener;
    private final AtomicBoolean isSignalled = new AtomicBoolean();
    private final PendingChanges pending;
    private final Thread thread;

    private volatile long turn = System.nanoTime() - OVERDUE;

    // Guarded by the lock.
    private boolean isClosed;
    /** The transaction of the thread that has the exclusive section until its end; {@link Store#NONE} for none. */
    private volatile long alone = Store.NONE;

    public Gate(StoreListener listener) {
        this.listener = listener;
        pending = new PendingChanges(listener, this::signal);
        thread = Thread.ofPlatform().daemon().name("tuplespace-partitions").unstarted(this::run);
    }

    /** Returns the changes to be delivered. */
    public PendingChanges pending() {
        return pending;
    }

    /** A change that comes from another process wakes the thread; this process delivers its own changes. */
    private void signal() {
        if (!lock.isWriteLockedByCurrentThread()) {
            isSignalled.set(true);
            LockSupport.unpark(thread);
        }
    }

    /** Called within the exclusive section. */
    public void interestChanged() {
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
            // The thread of a split serves waiting operations, whose templates may be of all classes of an interface.
            StandInClasses.outside(pending::deliver);
        }
    }

    private void checkOpen() {
        if (isClosed) {
            throw new SpaceException(SpaceException.Reason.CLOSED, "the space is closed");
        }
    }

    /** Does work during which no other thread of this process changes the space, then delivers the changes. */
    public <R> R exclusively(Supplier<R> work) {
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
    public <R> R change(long transaction, Supplier<R> work) {
        long own = alone;
        if (lock.isWriteLockedByCurrentThread()) {
            if (own != Store.NONE && own != transaction) {
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

    /** Makes a change, unless other threads have the exclusive section for long: then returns the other value. */
    public <R> R changeOr(R other, Supplier<R> work) {
        if (!tryLock()) {
            return other;
        }
        try {
            turn = System.nanoTime();
            return alone == Store.NONE ? exclusively(work) : other;
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** Waits a little now and then: where threads make changes all the time, there is no moment without one. */
    private boolean tryLock() {
        try {
            return lock.writeLock().tryLock()
                    || System.nanoTime() - turn > OVERDUE && lock.writeLock().tryLock(WAIT, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * Returns the transaction of the thread that has the exclusive section until its end; {@link Store#NONE} for none.
     */
    public long alone() {
        return alone;
    }

    /** Gives this thread the exclusive section until {@link #leave}, in a transaction that begins there. */
    public long enter(LongSupplier beginning) {
        lock.writeLock().lock();
        boolean isDone = false;
        try {
            checkOpen();
            if (alone != Store.NONE) {
                throw new IllegalStateException("atomically(...) within atomically(...)");
            }
            long begun = beginning.getAsLong();
            alone = begun;
            isDone = true;
            return begun;
        } finally {
            if (!isDone) {
                lock.writeLock().unlock();
            }
        }
    }

    /** Returns whether this thread has the exclusive section. */
    public boolean isOwn() {
        return lock.isWriteLockedByCurrentThread();
    }

    /** Returns whether this thread has the exclusive section until the end of this transaction. */
    public boolean isAlone(long transaction) {
        return alone == transaction && transaction != Store.NONE && lock.isWriteLockedByCurrentThread();
    }

    /** Ends the section that {@link #enter} began. */
    public void leave() {
        alone = Store.NONE;
        try {
            deliver();
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** Closes the gate within the exclusive section, and does the work that closes what is behind it. */
    public void close(Runnable work) {
        lock.writeLock().lock();
        try {
            if (!isClosed) {
                isClosed = true;
                if (alone != Store.NONE) {
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
