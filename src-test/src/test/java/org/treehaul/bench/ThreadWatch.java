// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Records how many threads of a walk the descendants of this process have started, from the outside. Closing it ends
 * its thread.
 */
final class ThreadWatch implements AutoCloseable {

    private static final String NAME = "treehaul-walk-";
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

    private final long start = System.nanoTime();
    private final List<String> steps = new ArrayList<>();
    private final Thread thread = Thread.ofPlatform().daemon(true).unstarted(this::watch);
    private volatile boolean isClosed;

    private ThreadWatch() {}

    /** Begins to watch. */
    static ThreadWatch begin() {
        ThreadWatch watch = new ThreadWatch();
        watch.thread.start();
        return watch;
    }

    private void watch() {
        int most = 0;
        while (!isClosed) {
            int now = ProcessHandle.current().descendants().mapToInt(ThreadWatch::threads).sum();
            if (now > most) {
                most = now;
                steps.add("%d after %.1f s".formatted(most, (System.nanoTime() - start) / 1e9));
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private static int threads(ProcessHandle process) {
        int count = 0;
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/" + process.pid() + "/task"))) {
            for (Path task : tasks) {
                if (Files.readString(task.resolve("comm")).startsWith(NAME)) {
                    count++;
                }
            }
        } catch (IOException | RuntimeException e) {
            // The process or one of its threads has ended.
            return count;
        }
        return count;
    }

    /** Returns each number that was more than all before, with its time from the beginning; call it after the end. */
    List<String> steps() {
        return List.copyOf(steps);
    }

    @Override
    public void close() {
        isClosed = true;
        LockSupport.unpark(thread);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
