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

/**
 * Publishes a transfer while it is carried out, on a thread of its own, so that no worker ever waits for the space:
 * either the batches of one worker, which reports them, or from time to time all that has changed. A batch that changes
 * several times before it is published is published once. While the space cannot be used, the batches wait; the queue
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
    private final Thread thread;
    // Guarded by this.
    private final LinkedHashSet<Integer> changed = new LinkedHashSet<>();
    private boolean isClosed;
    // Used by the thread only.
    private boolean isReported;
    private long nextWhole = System.nanoTime();

    private LivePublisher(Publication publication, TransferDirectory transfer, Consumer<String> problems,
            boolean isOfAll) {
        this.publication = publication;
        this.transfer = transfer;
        this.problems = problems;
        this.thread = new Thread(isOfAll ? this::runForAll : this::run, "publisher");
        thread.setDaemon(true);
    }

    /**
     * Starts to publish.
     *
     * @param isOfAll whether to find out what other processes have changed, instead of publishing reported batches
     */
    static LivePublisher start(Publication publication, TransferDirectory transfer, Consumer<String> problems,
            boolean isOfAll) {
        LivePublisher publisher = new LivePublisher(publication, transfer, problems, isOfAll);
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
                isWhole = publish(this::publishChanged);
            }
        } catch (InterruptedException e) {
            // The worker ends, and waits no longer.
        }
    }

    private void runForAll() {
        try {
            boolean isPublished = true;
            for (Duration pause = PAUSE; sleep(pause);) {
                long start = System.nanoTime();
                isPublished = publish(publisher -> publisher.publish(transfer));
                long share = (System.nanoTime() - start) * SHARE;
                pause = isPublished ? Duration.ofNanos(Math.max(PAUSE.toNanos(), share)) : RETRY;
            }
            if (isPublished) {
                publish(publisher -> publisher.publish(transfer));
            }
        } catch (InterruptedException e) {
            // The process ends, and waits no longer.
        }
    }

    /** Waits for a while; returns false at the end. */
    private synchronized boolean sleep(Duration pause) throws InterruptedException {
        long end = System.nanoTime() + pause.toNanos();
        for (long rest = pause.toNanos(); !isClosed && rest > 0; rest = end - System.nanoTime()) {
            wait(Math.max(1, rest / 1_000_000));
        }
        return !isClosed;
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

    private synchronized void forgetChanges() {
        changed.clear();
    }

    private void publishChanged(TransferPublisher publisher) throws IOException {
        for (Integer batch = next(); batch != null; batch = next()) {
            publish(publisher, batch);
        }
    }

    /** Publishes; returns false if the space cannot be used. */
    private boolean publish(Publication.Work work) {
        try (TupleSpace space = publication.open()) {
            if (!publication.publish(space, work)) {
                forgetChanges();
            }
            return true;
        } catch (IOException | RuntimeException e) {
            // Even a programming error in the middle of a copy is not worth more than a notice.
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
