// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.threads;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

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

    /** Work with files that returns a result. */
    @FunctionalInterface
    public interface FileWork<T> {
        /** Does the work. */
        T run() throws IOException;
    }

    /**
     * Does work on a thread of its own, and returns when it has ended. An interrupt of the calling thread does not
     * reach the files that the work writes, which Java would close; the calling thread is interrupted when this method
     * returns.
     *
     * @param name the name of the thread
     * @param onInterrupt asks the work to end early
     */
    public static <T> T apart(String name, Runnable onInterrupt, FileWork<T> work) throws IOException {
        FutureTask<T> task = new FutureTask<>(work::run);
        Thread.ofPlatform().name(name).daemon(true).start(task);
        boolean isInterrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException e) {
                    isInterrupted = true;
                    onInterrupt.run();
                }
            }
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case IOException failure -> throw failure;
                case RuntimeException fault -> throw fault;
                case Error fault -> throw fault;
                case null, default -> throw new IllegalStateException(e);
            }
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
