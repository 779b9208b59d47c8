// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.async.backend.Backend;
import org.treehaul.core.async.backend.IoThread;
import org.treehaul.core.async.backend.Request;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.ring.RingUnavailableException;

/**
 * Carries out requests by a ring, which one thread uses: other threads would take their requests with them when they
 * end, because the kernel cancels those. They add to a queue instead, and wake the thread if it waits in the kernel.
 */
final class RingBackend implements Backend {

    private final Queue<Request> incoming = new ConcurrentLinkedQueue<>(); // as long as the depth at most
    private final IoThread thread;
    private final RingSource source;
    private final int counter;
    private volatile boolean isWaiting;
    private volatile boolean isEnding;
    private volatile boolean isBroken;

    private RingBackend(RingSource source, int counter, int number, int depth,
            CompletableFuture<@Nullable Void> started) {
        this.source = source;
        this.counter = counter;
        this.thread = new IoThread(() -> work(depth, started), "treehaul-ring-" + number);
    }

    /**
     * Starts the thread, and waits until it has its ring.
     *
     * @param depth the most requests at once
     */
    static RingBackend start(RingSource source, int number, int depth) throws RingUnavailableException {
        int counter = source.counter();
        if (counter < 0) {
            throw new RingUnavailableException("eventfd", -counter);
        }
        CompletableFuture<@Nullable Void> started = new CompletableFuture<>();
        RingBackend backend = new RingBackend(source, counter, number, depth, started);
        try {
            backend.thread.start();
            started.join();
            return backend;
        } catch (CompletionException e) {
            backend.thread.await();
            source.close(counter);
            if (e.getCause() instanceof RingUnavailableException unavailable) {
                throw unavailable;
            }
            throw e;
        } catch (OutOfMemoryError e) { // no further thread
            source.close(counter);
            throw e;
        }
    }

    @Override
    public void submit(Request request) {
        incoming.add(request);
        // Here the request is added before the flag is read; the thread sets the flag before it looks for requests.
        if (isBroken) {
            LockSupport.unpark(thread);
        } else if (isWaiting && Thread.currentThread() != thread) {
            isWaiting = false;
            source.wake(counter);
        }
    }

    private void work(int depth, CompletableFuture<@Nullable Void> started) {
        RingRequests requests;
        try {
            requests = new RingRequests(source.open(), source, counter, depth);
        } catch (RingUnavailableException | RuntimeException | Error e) {
            started.completeExceptionally(e);
            return;
        }
        started.complete(null);
        boolean isDone = false;
        try {
            isDone = serve(requests);
        } catch (RuntimeException | Error e) {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
        } finally {
            isBroken = true;
            try {
                if (isDone || requests.drain()) {
                    requests.close();
                } else {
                    requests.abandon(-Errno.EIO);
                }
            } finally {
                refuseUntilEnd();
            }
        }
    }

    // Here and not in the threads that add requests: a callback must not run within a call, nor within the callback of
    // another operation, and so on for each that waits.
    private void refuseUntilEnd() {
        while (true) {
            refuseIncoming();
            if (isEnding && incoming.isEmpty()) {
                return;
            }
            if (!Thread.interrupted()) { // a callback may have interrupted its thread
                LockSupport.park(this);
            }
        }
    }

    /** Returns whether all was done; false if the ring can no longer be used. */
    private boolean serve(RingRequests requests) {
        while (true) {
            move(requests);
            if (isEnding && requests.isIdle() && incoming.isEmpty()) {
                return true;
            }
            isWaiting = true;
            boolean mayWait = incoming.isEmpty() && !isEnding || !requests.mayAdd();
            int result = requests.enter(mayWait ? 1 : 0);
            isWaiting = false;
            int reaped = requests.reap();
            if (result < 0 && !isTransient(-result)) {
                return false;
            }
            if (result < 0 && result != -Errno.EINTR && reaped == 0 && !requests.refused(result)) {
                source.pause();
            }
        }
    }

    // EBUSY: results that the kernel keeps must be reaped first. EAGAIN: it lacks memory.
    private static boolean isTransient(int errno) {
        return errno == Errno.EINTR || errno == Errno.EAGAIN || errno == Errno.EBUSY;
    }

    private void move(RingRequests requests) {
        for (Request request = incoming.peek(); request != null && requests.add(request); request = incoming.peek()) {
            incoming.remove();
        }
    }

    private void refuseIncoming() {
        for (Request request = incoming.poll(); request != null; request = incoming.poll()) {
            Request refused = request;
            int result = refused.kind() == Request.Kind.CLOSE ? source.close(refused.descriptor()) : -Errno.EIO;
            IoThread.runSafely(() -> refused.answered().answered(result));
        }
    }

    @Override
    public void end() {
        isEnding = true;
        source.wake(counter);
        LockSupport.unpark(thread);
        thread.await();
        source.close(counter);
    }
}
