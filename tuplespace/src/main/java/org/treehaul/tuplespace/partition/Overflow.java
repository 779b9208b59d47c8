// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.function.IntToLongFunction;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.tuplespace.store.SpaceException;

/**
 * Splits partitions that have more tuples than the limit, in a thread of its own. To count the tuples takes time, so
 * that happens only after as many writes of this process as a part of what is left. Thread-safe.
 */
final class Overflow implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Overflow.class);
    /** The least share of the limit between two counts. */
    private static final long SHARE = 16;

    private final long limit;
    private final IntToLongFunction count;
    private final IntConsumer split;
    /** The writes until the next count of each partition; the first write causes the first one. */
    private final AtomicLongArray left = new AtomicLongArray(PartitionMap.MOST);
    private final Thread thread = Thread.ofPlatform().daemon().name("tuplespace-splits").unstarted(this::run);
    private volatile boolean isDue;
    private volatile boolean isStopped;

    /**
     * Creates the watch over the sizes of partitions.
     *
     * @param limit most tuples of a partition; 0 if there is no limit
     * @param count returns the number of tuples of a partition
     * @param split splits a partition
     */
    Overflow(long limit, IntToLongFunction count, IntConsumer split) {
        this.limit = limit;
        this.count = count;
        this.split = split;
    }

    boolean isStopped() {
        return isStopped;
    }

    /** Stops a split as soon as possible, and begins no other. */
    synchronized void stop() {
        isStopped = true;
        LockSupport.unpark(thread);
    }

    /** Notes that this process has written tuples to a partition. */
    void wrote(int partition, int tuples) {
        if (limit > 0 && left.addAndGet(partition, -tuples) < 0) {
            isDue = true;
            start();
            LockSupport.unpark(thread);
        }
    }

    private synchronized void start() {
        if (thread.getState() == Thread.State.NEW && !isStopped) {
            thread.start();
        }
    }

    private void run() {
        while (!isStopped) {
            if (!isDue) {
                LockSupport.park(this);
                continue;
            }
            isDue = false;
            for (int partition = 0; partition < PartitionMap.MOST && !isStopped; partition++) {
                if (left.get(partition) < 0) {
                    left.set(partition, next(partition));
                }
            }
        }
    }

    /** Splits a partition if it is due, and returns after how many writes to count again. */
    private long next(int partition) {
        long least = limit / SHARE + 1;
        try {
            long tuples = count.applyAsLong(partition);
            if (tuples <= limit) {
                return Math.max(least, (limit - tuples) / 4);
            }
            split.accept(partition);
            return least;
        } catch (SpaceException e) {
            if (!isStopped && (e.reason() == SpaceException.Reason.ABSENT || e.reason() == SpaceException.Reason.DENIED
                    || e.reason() == SpaceException.Reason.DAMAGED)) {
                LOG.info("partition {} has more than {} tuples: {}", partition, limit, e.getMessage());
                return Long.MAX_VALUE;
            }
            if (!isStopped && e.reason() == SpaceException.Reason.FULL) {
                LOG.warn("partition {} has more than {} tuples: {}", partition, limit, e.getMessage());
                // It copies until the disk is full, each time.
                return limit;
            }
            LOG.debug("partition {} is to be split later: {}", partition, e.toString());
            return least;
        } catch (RuntimeException e) {
            LOG.warn("partition {} cannot be split: {}", partition, e.toString());
            return Long.MAX_VALUE;
        }
    }

    /** Stops, and waits for the thread; called without the gate, which the thread may need. */
    @Override
    public void close() {
        stop();
        boolean wasInterrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
