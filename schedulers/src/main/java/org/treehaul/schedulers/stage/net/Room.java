// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The bytes of requests and answers that a client may have on the way to a server. Threads wait for room, or leave
 * behind what is to be done once there is room. Threads have precedence, because they wait for less. Thread-safe.
 */
final class Room {

    private final Semaphore bytes = new Semaphore(0, true);
    // As long as the operations in progress, which their caller bounds.
    private final Queue<Later> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger turns = new AtomicInteger();

    private record Later(int cost, Runnable granted) {}

    /** Takes room if there is enough. */
    boolean tryTake(int cost) {
        return bytes.tryAcquire(cost);
    }

    /** Waits until there is room, and takes it. */
    void take(int cost) {
        bytes.acquireUninterruptibly(cost);
    }

    /**
     * Takes room if there is enough, and otherwise once there is.
     *
     * @param granted called when room was taken later, by a thread that gives some; must not throw
     * @return whether room was taken now
     */
    boolean takeOrLater(int cost, Runnable granted) {
        if (waiting.isEmpty() && bytes.tryAcquire(cost)) {
            return true;
        }
        waiting.add(new Later(cost, granted));
        serve();
        return false;
    }

    /** Gives room back, or more of it. */
    void give(int cost) {
        bytes.release(cost);
        if (!waiting.isEmpty()) {
            serve();
        }
    }

    // One thread at a time serves the requests of all; a request that gets its room may itself take or give room.
    private void serve() {
        if (turns.getAndIncrement() > 0) {
            return;
        }
        int seen;
        do {
            seen = turns.get();
            Later next = waiting.peek();
            while (next != null && !bytes.hasQueuedThreads() && bytes.tryAcquire(next.cost)) {
                waiting.remove();
                next.granted.run();
                next = waiting.peek();
            }
        } while (!turns.compareAndSet(seen, 0));
    }
}
