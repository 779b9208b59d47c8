// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.tuplespace.files.EntrySum;
import org.treehaul.tuplespace.files.FileTuple;

/**
 * The entries found in a directory, or in a part of it.
 *
 * @param place the directory, whose parts belong together
 * @param directory absolute path of the directory
 * @param entries entries found and not passed on before
 * @param failures names of entries that could not be read completely, not passed on before
 * @param extent how much of the directory is known with this listing
 * @param weight approximate bytes of memory that the listing takes
 * @param sum sum of the {@link EntrySum} of all entries of the directory; null unless the listing is whole and the sum
 *        was asked for
 */
record Listing(Place place, ByteString directory, List<FileTuple> entries, Map<ByteString, EntryFailure.Kind> failures,
        Extent extent, long weight, @Nullable Long sum) {

    /** The extent of a listing. */
    enum Extent {
        /** A part; more follows. */
        PART,
        /** The end of a listing that an error cut short. */
        CUT,
        /** The end of a complete listing. */
        WHOLE
    }

    /** Returns a copy with other entries. */
    Listing with(List<FileTuple> others) {
        return new Listing(place, directory, others, failures, extent, weight, sum);
    }

    /** Returns the entries to store once nothing follows, with a mark on directories that could not be read. */
    List<FileTuple> settled() {
        if (failures.isEmpty()) {
            return entries;
        }
        List<FileTuple> settled = new ArrayList<>(entries.size());
        for (FileTuple entry : entries) {
            settled(entry, failures.get(entry.name())).ifPresent(settled::add);
        }
        return settled;
    }

    /** Returns an entry as it should be stored after this failure: a directory is marked as unread, or is gone. */
    static Optional<FileTuple> settled(FileTuple entry, EntryFailure.@Nullable Kind failure) {
        if (failure == null || entry.kind() != EntryKind.DIRECTORY) {
            return Optional.of(entry);
        }
        return failure == EntryFailure.Kind.VANISHED
                ? Optional.empty()
                : Optional.of(entry.withUnread(true, entry.generation()));
    }

    /** Returns the failure to keep of two with the same name: after an error, more is unknown. */
    static EntryFailure.Kind worse(EntryFailure.Kind one, EntryFailure.Kind other) {
        return one == EntryFailure.Kind.ERROR ? one : other;
    }

    /**
     * The listings on the way from the threads of a walk to the thread that stores them, up to a number of bytes.
     * <p>
     * The storing thread is woken when enough waits for it, when a thread of the walk needs room, and at the end. To
     * wake it for each listing takes longer than to recognize that the listing is unchanged. Thread-safe.
     */
    static final class Queue {

        /**
         * Entries that are stored at once: many directories are small, and each lookup in a space costs a statement.
         */
        private static final int AT_ONCE = 1024;
        /** The same limit in bytes, for long paths. */
        private static final long BYTES_AT_ONCE = 1 << 20;
        /** Bytes for which the storing thread is woken: those of some thirty small directories. */
        private static final long ENOUGH = 256 << 10;

        private final long most;
        private final long enough;
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition isToStore = lock.newCondition();
        private final Condition hasRoom = lock.newCondition();

        // All guarded by the lock.
        private final Deque<Listing> waiting = new ArrayDeque<>();
        private long waitingBytes;
        /** Bytes of the listings that wait, and of those that were taken but not stored yet. */
        private long heldBytes;
        /** Threads of the walk that wait for room. */
        private int blocked;
        private boolean isEnded;
        private boolean isStopped;

        /**
         * Creates an empty queue.
         *
         * @param most bytes of the listings that are here at once; a larger listing is here alone
         */
        Queue(long most) {
            this.most = most;
            this.enough = Math.min(ENOUGH, most / 4);
        }

        private long weight(Listing listing) {
            return Math.min(most, listing.weight());
        }

        /** Adds a listing; waits while there is no room. After {@link #stop} listings are dropped. */
        void put(Listing listing) {
            long bytes = weight(listing);
            lock.lock();
            try {
                while (!isStopped && heldBytes + bytes > most) {
                    blocked++;
                    isToStore.signal();
                    hasRoom.awaitUninterruptibly();
                    blocked--;
                }
                if (!isStopped) {
                    waiting.add(listing);
                    waitingBytes += bytes;
                    heldBytes += bytes;
                    if (waitingBytes >= enough) {
                        isToStore.signal();
                    }
                }
            } finally {
                lock.unlock();
            }
        }

        /** Reports that no listing will be added. */
        void end() {
            lock.lock();
            try {
                isEnded = true;
                isToStore.signal();
            } finally {
                lock.unlock();
            }
        }

        /**
         * Moves the listings to store next into an empty list; waits until it is worthwhile. The caller, one thread,
         * passes them to {@link #stored} afterwards.
         *
         * @return whether more may follow
         */
        boolean take(List<Listing> into) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                while (!isEnded && (waiting.isEmpty() || blocked == 0 && waitingBytes < enough)) {
                    isToStore.await();
                }
                int entries = 0;
                long bytes = 0;
                while (!waiting.isEmpty() && entries < AT_ONCE && bytes < BYTES_AT_ONCE) {
                    Listing next = waiting.remove();
                    into.add(next);
                    entries += next.entries().size() + 1;
                    bytes += next.weight();
                    waitingBytes -= weight(next);
                }
                return !isEnded || !waiting.isEmpty();
            } finally {
                lock.unlock();
            }
        }

        /**
         * Makes room, because listings that were taken are stored. Threads of the walk wake when half of the room is
         * free, so that they do not wait again at once.
         */
        void stored(List<Listing> taken) {
            lock.lock();
            try {
                for (Listing listing : taken) {
                    heldBytes -= weight(listing);
                }
                if (heldBytes <= most / 2) {
                    hasRoom.signalAll();
                }
            } finally {
                lock.unlock();
            }
        }

        /** Reports that no listing will be taken: no thread waits for room any more. */
        void stop() {
            lock.lock();
            try {
                isStopped = true;
                waiting.clear();
                hasRoom.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }
}
