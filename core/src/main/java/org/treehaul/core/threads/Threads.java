// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.threads;

/** Waits for threads. */
public final class Threads {

    private Threads() {}

    /**
     * Waits until a thread has ended. An interrupt does not end the wait; the calling thread is interrupted when this
     * method returns.
     */
    public static void join(Thread thread) {
        boolean isInterrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
