// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import java.util.concurrent.Semaphore;

import org.treehaul.core.async.backend.IoThread;

/** Bounds the operations that are in progress or wait. */
final class Admission {

    private final int depth;
    private final Semaphore permits;
    private volatile boolean isClosed;

    Admission(int depth) {
        this.depth = depth;
        this.permits = new Semaphore(depth);
    }

    /**
     * Admits an operation; waits for room, but not on a thread that carries out operations.
     *
     * @return whether there is room
     * @throws IllegalStateException if no more operations are admitted
     */
    boolean enter() {
        if (isClosed) {
            throw closed();
        }
        if (!permits.tryAcquire()) {
            if (IoThread.isCurrent()) {
                return false;
            }
            permits.acquireUninterruptibly();
        }
        // Closed in the meantime: without this room, close() would wait for ever.
        if (isClosed) {
            permits.release();
            throw closed();
        }
        return true;
    }

    private static IllegalStateException closed() {
        return new IllegalStateException("these asynchronous files were closed");
    }

    /** Makes room for another operation. */
    void leave() {
        permits.release();
    }

    /** Admits no more operations, and waits until all have left. Returns false if that was done before. */
    boolean close() {
        synchronized (this) {
            if (isClosed) {
                return false;
            }
            isClosed = true;
        }
        permits.acquireUninterruptibly(depth);
        // Those that wait for room find that there is none any more.
        permits.release(depth);
        return true;
    }
}
