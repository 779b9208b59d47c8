// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.common;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.treehaul.core.event.Cancellation;

/** Waits for the end of a user's command, and ends it if it takes too long. */
public final class BoundedWait {

    /** How a command ended. */
    public enum Ending {
        /** It ended by itself. */
        ENDED,
        /** This process ended it, because it took too long. */
        TOO_LONG,
        /** This process ended it, because this process itself has to end. */
        STOPPED
    }

    private static final long TICK_MILLIS = 100;

    private BoundedWait() {}

    /**
     * Waits for a command. If it does not end by itself, it gets TERM, as do all processes that it has started, and
     * those that have not ended after the patience get KILL. None of them is left when this method returns, except
     * those that are no longer descendants of the command.
     *
     * @param most the longest time that the command may take
     * @param patience the time between TERM and KILL
     */
    public static Ending await(Process process, Duration most, Duration patience, Cancellation cancellation)
            throws InterruptedException {
        long begin = System.nanoTime();
        try {
            while (!process.waitFor(TICK_MILLIS, TimeUnit.MILLISECONDS)) {
                boolean isStopped = cancellation.isCancelled();
                if (isStopped || System.nanoTime() - begin > most.toNanos()) {
                    end(process, patience);
                    return isStopped ? Ending.STOPPED : Ending.TOO_LONG;
                }
            }
            return Ending.ENDED;
        } catch (InterruptedException e) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            throw e;
        }
    }

    private static void end(Process process, Duration patience) throws InterruptedException {
        // Collected first: a process whose parent has ended is no descendant any more.
        List<ProcessHandle> all = Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
        all.forEach(ProcessHandle::destroy);
        long begin = System.nanoTime();
        while (all.stream().anyMatch(ProcessHandle::isAlive) && System.nanoTime() - begin < patience.toNanos()) {
            Thread.sleep(TICK_MILLIS);
        }
        all.forEach(ProcessHandle::destroyForcibly);
        process.waitFor();
    }
}
