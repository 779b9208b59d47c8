// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

import org.treehaul.core.entry.ByteString;

/**
 * The tasks that a worker may run at a time, shared by its attempts at batches: when an attempt has no further entry to
 * begin, those of the next batch take the slots that become free, so that one long task keeps one slot busy and not the
 * whole worker. Thread-safe.
 */
public final class TaskSlots {

    private static final long WATCH_MILLIS = 200;

    private final int most;
    private final Set<Attempt> attempts = ConcurrentHashMap.newKeySet();
    // All guarded by this: the slots in use, the entries that were taken and wait for one, and the attempts that may take more.
    private int used;
    private int waiting;
    private int taking;

    /**
     * Creates slots.
     *
     * @param most how many tasks may run at a time
     */
    public TaskSlots(int most) {
        this.most = most;
    }

    /** Begins an attempt, which must be closed. */
    public Attempt open() {
        Attempt attempt = new Attempt();
        attempts.add(attempt);
        synchronized (this) {
            taking++;
        }
        return attempt;
    }

    /**
     * Returns whether a further attempt may begin: a slot is free for which no attempt has an entry, and there are
     * fewer attempts than slots. Those that only wait for their journals count as well.
     */
    public synchronized boolean isFree() {
        return taking == 0 && used + waiting < most && attempts.size() < most;
    }

    /**
     * Waits until a slot {@linkplain #isFree is free}, or something else has happened.
     *
     * @param other what else may happen; looked at when an attempt is closed
     */
    public synchronized void awaitFree(BooleanSupplier other) throws InterruptedException {
        while (!isFree() && !other.getAsBoolean()) {
            wait();
        }
    }

    /** Returns the entries that tasks are running for, printable. */
    public List<String> busy() {
        return attempts.stream().flatMap(attempt -> attempt.busy().stream()).toList();
    }

    /** The part of one attempt. Thread-safe. */
    public final class Attempt implements AutoCloseable {

        private final Set<ByteString> busy = ConcurrentHashMap.newKeySet();
        // Both guarded by the slots.
        private boolean hasMore = true;
        private int notBegun;

        private Attempt() {}

        /** Returns how many tasks may run at a time. */
        int most() {
            return most;
        }

        /** Records that an entry was taken; a task for it begins next. */
        void taken() {
            synchronized (TaskSlots.this) {
                waiting++;
                notBegun++;
            }
        }

        /** Records that there is no further entry to take. */
        void last() {
            synchronized (TaskSlots.this) {
                taking -= hasMore ? 1 : 0;
                hasMore = false;
                TaskSlots.this.notifyAll();
            }
        }

        /**
         * Takes a slot for an entry that was taken; waits for one.
         *
         * @param mayGoOn whether the attempt may still begin tasks
         * @return whether there is a slot, which {@link #end} gives back
         */
        boolean begin(ByteString label, BooleanSupplier mayGoOn) {
            if (!awaitSlot(mayGoOn)) {
                return false;
            }
            busy.add(label);
            return true;
        }

        // The thread is needed until its entry is settled, so an interrupt is deferred.
        private boolean awaitSlot(BooleanSupplier mayGoOn) {
            boolean isInterrupted = false;
            boolean isFree;
            synchronized (TaskSlots.this) {
                while (used >= most && mayGoOn.getAsBoolean()) {
                    try {
                        TaskSlots.this.wait(WATCH_MILLIS);
                    } catch (InterruptedException e) {
                        isInterrupted = true;
                    }
                }
                // Slots become free when tasks are ended; a task that began then would be recorded as begun in vain.
                isFree = used < most && mayGoOn.getAsBoolean();
                waiting--;
                notBegun--;
                used += isFree ? 1 : 0;
                TaskSlots.this.notifyAll();
            }
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
            return isFree;
        }

        /** Gives a slot back. */
        void end(ByteString label) {
            busy.remove(label);
            synchronized (TaskSlots.this) {
                used--;
                TaskSlots.this.notifyAll();
            }
        }

        /** Returns the entries of the attempt that tasks are running for, printable. */
        public List<String> busy() {
            return busy.stream().map(ByteString::toString).toList();
        }

        /** Ends the attempt: none of its tasks is running. */
        @Override
        public void close() {
            attempts.remove(this);
            synchronized (TaskSlots.this) {
                // Entries that were taken before an exception.
                waiting -= notBegun;
                notBegun = 0;
            }
            last();
        }
    }
}
