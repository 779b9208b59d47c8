// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.transfer.directory.Pause;
import org.treehaul.core.transfer.directory.Timing;
import org.treehaul.core.transfer.journal.JournalWriter;

/**
 * Makes the copied data durable, periodically and after a given number of bytes, on its own thread, because a sync may
 * take minutes. The kernel reports a write-back error only once; after a failed sync nothing may be marked durable any
 * more, so the attempt ends.
 */
public final class Durability implements AutoCloseable {

    // Interval between checks whether a sync is due.
    private static final Duration LOOK = Duration.ofMillis(100);

    private final JournalWriter journal;
    private final JournalWriter.Sync sync;
    private final Timing timing;
    private final LongSupplier bytes;
    private final Runnable onFailure;
    private final Pause pause = new Pause();
    private final Thread thread;
    private volatile @Nullable IOException failure;
    private volatile long lastTime = System.nanoTime();
    private volatile long lastBytes;

    /**
     * Starts the thread.
     *
     * @param bytes returns the number of bytes copied so far
     * @param onFailure ends the attempt
     */
    public Durability(JournalWriter journal, JournalWriter.Sync sync, Timing timing, LongSupplier bytes,
            Runnable onFailure) {
        this.journal = journal;
        this.sync = sync;
        this.timing = timing;
        this.bytes = bytes;
        this.onFailure = onFailure;
        this.thread = Thread.ofPlatform().daemon().name("treehaul-sync").start(this::loop);
    }

    private void loop() {
        while (pause.sleep(LOOK)) {
            boolean isTime = System.nanoTime() - lastTime >= timing.durableTime().toNanos()
                    || bytes.getAsLong() - lastBytes >= timing.durableBytes();
            if (isTime && failure == null) {
                try {
                    make();
                } catch (IOException e) {
                    // The field keeps the exception.
                }
            }
        }
    }

    /**
     * Makes durable all records written so far.
     *
     * @throws IOException if this or an earlier sync failed
     */
    public void make() throws IOException {
        IOException earlier = failure;
        if (earlier != null) {
            throw new IOException(earlier.getMessage(), earlier);
        }
        long soFar = bytes.getAsLong();
        try {
            journal.makeDurable(() -> {
                try {
                    sync.sync();
                } catch (IOException e) {
                    failure = e;
                    throw e;
                }
            });
        } catch (IOException e) {
            failure = e;
            onFailure.run();
            throw e;
        }
        lastBytes = soFar;
        lastTime = System.nanoTime();
    }

    /** Returns the first failure, if any. */
    public Optional<IOException> failure() {
        return Optional.ofNullable(failure);
    }

    @Override
    public void close() {
        pause.end();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
