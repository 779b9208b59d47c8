// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Makes durable what an attempt has copied, every so often and whenever so much was copied, on a thread of its own: a
 * sync may take minutes. The kernel tells an error of writing back only once, so after one that failed nothing later
 * may be called durable: the attempt ends.
 */
final class Durability implements AutoCloseable {

    // How often it is looked whether it is time.
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
     * Starts.
     *
     * @param bytes tells how much was copied so far
     * @param onFailure ends the attempt
     */
    Durability(JournalWriter journal, JournalWriter.Sync sync, Timing timing, LongSupplier bytes, Runnable onFailure) {
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
                    // Kept in "failure".
                }
            }
        }
    }

    /**
     * Makes durable what was noted until now.
     *
     * @throws IOException when this or an earlier time failed
     */
    void make() throws IOException {
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

    /** Returns what failed, if anything did. */
    Optional<IOException> failure() {
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
