// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import org.treehaul.core.threads.Threads;

/** Keeps every carrier of virtual threads in this JVM busy until it is closed, so that no other virtual thread runs. */
public final class BusyCarriers implements AutoCloseable {

    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean isClosed;

    /** Returns when all carriers are busy. */
    public BusyCarriers() throws InterruptedException {
        int carriers = Integer.getInteger("jdk.virtualThreadScheduler.parallelism",
                Runtime.getRuntime().availableProcessors());
        CountDownLatch started = new CountDownLatch(carriers);
        for (int i = 0; i < carriers; i++) {
            threads.add(Thread.ofVirtual().start(() -> {
                started.countDown();
                while (!isClosed) {
                    Thread.onSpinWait();
                }
            }));
        }
        started.await();
    }

    @Override
    public void close() {
        isClosed = true;
        threads.forEach(Threads::join);
    }
}
