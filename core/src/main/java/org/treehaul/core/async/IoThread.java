// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

/** A thread that carries out operations and runs callbacks. */
final class IoThread extends Thread {

    IoThread(Runnable work, String name) {
        super(null, work, name);
        setDaemon(true);
    }

    /** Waits until this thread has ended. An interrupt of the caller is kept for later. */
    void await() {
        boolean isInterrupted = false;
        while (isAlive()) {
            try {
                join();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Runs work that must not end this thread. */
    static void runSafely(Runnable work) {
        try {
            work.run();
        } catch (Throwable e) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
        }
    }
}
