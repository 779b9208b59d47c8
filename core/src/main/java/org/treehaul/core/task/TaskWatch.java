// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import java.util.function.BooleanSupplier;

import org.treehaul.core.threads.Threads;

/**
 * Ends tasks when their work must end. A thread of its own looks for that, because the threads of the tasks wait for
 * processes.
 */
public final class TaskWatch implements AutoCloseable {

    private static final long WATCH_MILLIS = 200;

    private final BooleanSupplier mayGoOn;
    private final Runnable end;
    private final Thread thread = Thread.ofPlatform().name("treehaul-watch").daemon(true).unstarted(this::watch);

    private TaskWatch(BooleanSupplier mayGoOn, Runnable end) {
        this.mayGoOn = mayGoOn;
        this.end = end;
    }

    /**
     * Starts a watch.
     *
     * @param mayGoOn whether the work may continue; must not wait for anything
     * @param end ends the tasks; called once, and not after {@link #close} has returned
     */
    public static TaskWatch start(BooleanSupplier mayGoOn, Runnable end) {
        TaskWatch watch = new TaskWatch(mayGoOn, end);
        watch.thread.start();
        return watch;
    }

    private void watch() {
        try {
            while (mayGoOn.getAsBoolean()) {
                Thread.sleep(WATCH_MILLIS);
            }
            end.run();
        } catch (InterruptedException e) {
            // The work has ended.
        }
    }

    /** Ends the watch: what it would end may be closed next. */
    @Override
    public void close() {
        thread.interrupt();
        Threads.join(thread);
    }
}
