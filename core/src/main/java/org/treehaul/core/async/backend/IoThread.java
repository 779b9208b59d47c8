// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async.backend;

/** A thread that carries out operations and runs callbacks. */
public final class IoThread extends Thread {

    private static final ThreadLocal<Boolean> LENT = ThreadLocal.withInitial(() -> false);

    /** Creates a thread, a daemon. */
    public IoThread(Runnable work, String name) {
        super(null, work, name);
        setDaemon(true);
    }

    /** Waits until this thread has ended. An interrupt of the caller is kept for later. */
    public void await() {
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
    public static void runSafely(Runnable work) {
        try {
            work.run();
        } catch (Throwable e) {
            report(e);
        }
    }

    /** Runs work that answers requests on this thread, which belongs to others, such as one of a network. */
    public static void lend(Runnable work) {
        boolean before = LENT.get();
        LENT.set(true);
        try {
            runSafely(work);
        } finally {
            LENT.set(before);
        }
    }

    /** Returns whether this thread carries out operations, so that it must not wait for one. */
    public static boolean isCurrent() {
        return Thread.currentThread() instanceof IoThread || LENT.get();
    }
}
