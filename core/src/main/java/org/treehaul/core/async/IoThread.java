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

    /** Passes an exception to the handler of this thread, whose own exceptions are ignored, as those of all threads. */
    private static void report(Throwable e) {
        Thread thread = Thread.currentThread();
        try {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
        } catch (Throwable ignored) {
            // It must not end the thread either.
        }
    }

    /** Runs work that must not end this thread. */
    static void runSafely(Runnable work) {
        try {
            work.run();
        } catch (Throwable e) {
            report(e);
        }
    }
}
