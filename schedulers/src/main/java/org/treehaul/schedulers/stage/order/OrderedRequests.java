// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.order;

import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

import org.treehaul.strategies.collective.order.CollectiveRequest;
import org.treehaul.strategies.collective.order.RequestOrder;
import org.treehaul.strategies.collective.order.RequestQueue;
import org.treehaul.strategies.collective.order.Windows;

/**
 * Gives the requests that wait at a server to its threads in another order than that of their arrival. The server has
 * memory for each of them in its budget, so that their number is bounded by it. Thread-safe.
 */
public final class OrderedRequests {

    // More requests of different applications wait for the next window. Sorting as many takes some 50 µs.
    private static final int WIDTH = 256;

    private final Executor threads;
    private final RequestQueue<Task> queue;
    private final ServiceTimes times;
    private final LongSupplier clock;
    private long single;
    private long takenAt;

    private record Task(Runnable work, int bytes) {}

    /**
     * Creates an empty queue.
     *
     * @param order of requests that may be carried out at the same time
     * @param most the most requests that wait at a time
     * @param number the number of the threads, each of which carries out one request at a time
     */
    public OrderedRequests(RequestOrder order, int most, Executor threads, int number) {
        this(order, most, threads, number, System::nanoTime);
    }

    OrderedRequests(RequestOrder order, int most, Executor threads, int number, LongSupplier clock) {
        this.threads = threads;
        this.queue = new RequestQueue<>(Windows.flexible(WIDTH), order, most);
        this.times = new ServiceTimes(number);
        this.clock = clock;
    }

    /**
     * Adds a request.
     *
     * @param origin the application and access of the request, 0 for none; its service time is predicted here
     * @param bytes of the request and its answer
     * @throws java.util.concurrent.RejectedExecutionException if the threads take nothing more; it was not added then
     */
    public synchronized void add(CollectiveRequest origin, int bytes, Runnable work) {
        // Each run takes one request, whichever comes first then; it has to wait until this one is in the queue.
        threads.execute(this::runNext);
        // A request that belongs to no collective access is one of its own.
        long access = origin.access() == 0 ? --single : origin.access();
        if (!queue.add(new CollectiveRequest(origin.application(), access, times.predicted(bytes), origin.hint()),
                clock.getAsLong(), new Task(work, bytes))) {
            throw new IllegalStateException("more requests than memory for them");
        }
    }

    private void runNext() {
        Task task;
        long begun;
        synchronized (this) {
            begun = clock.getAsLong();
            queue.took(begun - takenAt);
            takenAt = begun;
            task = queue.next().orElseThrow();
        }
        task.work.run();
        long took = clock.getAsLong() - begun;
        synchronized (this) {
            times.took(task.bytes, took);
        }
    }

    /** Predicts how long requests keep the server from others: a time for each, and one for each byte. */
    private static final class ServiceTimes {
        private static final int MEMORY = 16;
        private static final int SMALL = 16 * 1024;
        private final int threads;
        // Until requests have been carried out: about those of a disk.
        private double eachNanos = 100_000;
        private double byteNanos = 10;
        private int small;
        private int large;

        ServiceTimes(int threads) {
            this.threads = threads;
        }

        // Threads that share a disk each take as much longer.
        long predicted(int bytes) {
            return Math.round((eachNanos + bytes * byteNanos) / threads);
        }

        void took(int bytes, long nanos) {
            if (bytes < SMALL) {
                small = Math.min(MEMORY, small + 1);
                eachNanos += (nanos - eachNanos) / small;
            } else {
                large = Math.min(MEMORY, large + 1);
                byteNanos += (Math.max(0, nanos - eachNanos) / bytes - byteNanos) / large;
            }
        }
    }
}
