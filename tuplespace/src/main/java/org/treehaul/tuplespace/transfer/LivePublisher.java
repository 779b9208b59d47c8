// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.store.SpaceException;

/**
 * Publishes the batches of a worker while it works, on a thread of its own, so that the worker never waits for the
 * space. A batch that changes again before that is published once. While the space cannot be used, they wait; the queue
 * holds each batch of the transfer at most once. Thread-safe.
 */
@Internal
public final class LivePublisher implements IntConsumer, AutoCloseable {

    /** The space is open only for a moment, because a server has few connections for hundreds of workers. */
    private static final Duration PAUSE = Duration.ofSeconds(5);
    private static final Duration RETRY = Duration.ofSeconds(30);
    /** A worker that has ended waits no longer than this for a space that is slow or gone. */
    private static final Duration LAST = Duration.ofSeconds(20);
    /** The status of a whole transfer is read at most this often, and for at most a twentieth of the time. */
    private static final long WHOLE_NANOS = Duration.ofSeconds(5).toNanos();
    private static final int SHARE = 20;

    private final Publication publication;
    private final TransferDirectory transfer;
    private final Consumer<String> problems;
    private final Thread thread = new Thread(this::run, "publisher");
    // Guarded by this.
    private final LinkedHashSet<Integer> changed = new LinkedHashSet<>();
    private boolean isClosed;
    // Used by the thread only.
    private boolean isReported;
    private long nextWhole = System.nanoTime();

    private LivePublisher(Publication publication, TransferDirectory transfer, Consumer<String> problems) {
        this.publication = publication;
        this.transfer = transfer;
        this.problems = problems;
        thread.setDaemon(true);
    }

    static LivePublisher start(Publication publication, TransferDirectory transfer, Consumer<String> problems) {
        LivePublisher publisher = new LivePublisher(publication, transfer, problems);
        publisher.thread.start();
        return publisher;
    }

    /** Has a batch published soon, because an attempt at it has begun or ended. */
    @Override
    public synchronized void accept(int batch) {
        changed.add(batch);
        notifyAll();
    }

    /** Publishes what is left, unless the space cannot be used, and ends the thread. */
    @Override
    public void close() {
        synchronized (this) {
            isClosed = true;
            notifyAll();
        }
        try {
            if (!thread.join(LAST)) {
                thread.interrupt();
            }
        } catch (InterruptedException e) {
            thread.interrupt();
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            boolean isWhole = true;
            while (await(isWhole ? PAUSE : RETRY) && (isWhole || !isClosed())) {
                isWhole = publish();
            }
        } catch (InterruptedException e) {
            // The worker ends, and waits no longer.
        }
    }

    private synchronized boolean isClosed() {
        return isClosed;
    }

    /** Waits for work and at least for a while; returns false if all is done at the end. */
    private synchronized boolean await(Duration pause) throws InterruptedException {
        long end = System.nanoTime() + pause.toNanos();
        while (!isClosed && (changed.isEmpty() || System.nanoTime() - end < 0)) {
            wait(changed.isEmpty() ? 0 : Math.max(1, (end - System.nanoTime()) / 1_000_000));
        }
        return !changed.isEmpty();
    }

    private synchronized @Nullable Integer next() {
        return changed.isEmpty() ? null : changed.removeFirst();
    }

    private synchronized void giveBack(int batch) {
        changed.add(batch);
    }

    /** Publishes until nothing is left; returns false if the space cannot be used. */
    private boolean publish() {
        try (TupleSpace space = publication.open()) {
            TransferPublisher publisher = publication.publisher(space);
            for (Integer batch = next(); batch != null; batch = next()) {
                publish(publisher, batch);
            }
            publication.removeIfForgotten(space);
            return true;
        } catch (IOException | SpaceException e) {
            if (!isReported) {
                problems.accept(Publication.text(e));
                isReported = true;
            }
            return false;
        }
    }

    private void publish(TransferPublisher publisher, int batch) throws IOException {
        boolean isPublished = false;
        try {
            publisher.publishBatch(transfer, batch);
            long start = System.nanoTime();
            if (start - nextWhole >= 0) {
                publisher.publishTransfer(transfer);
                long now = System.nanoTime();
                nextWhole = now + Math.max(WHOLE_NANOS, (now - start) * SHARE);
            }
            isPublished = true;
        } finally {
            if (!isPublished) {
                giveBack(batch);
            }
        }
    }
}
