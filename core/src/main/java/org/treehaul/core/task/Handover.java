// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import java.util.ArrayDeque;
import java.util.Deque;

import org.jspecify.annotations.Nullable;

/** Items that some threads find and others take, in their order. At most a given number wait. Thread-safe. */
final class Handover<T> {

    private final int most;
    private final Deque<T> items = new ArrayDeque<>();
    private boolean isEnded;
    private boolean isClosed;

    Handover(int most) {
        this.most = most;
    }

    /** Adds an item; waits while there are too many. Returns false if no more are wanted. */
    synchronized boolean put(T item) {
        try {
            while (items.size() >= most && !isClosed) {
                wait();
            }
        } catch (InterruptedException e) {
            interrupted();
        }
        if (!isClosed) {
            items.add(item);
            notifyAll();
        }
        return !isClosed;
    }

    /** Returns the next item; waits for it. Returns null after the last one. */
    synchronized @Nullable T take() {
        try {
            while (items.isEmpty() && !isEnded && !isClosed) {
                wait();
            }
        } catch (InterruptedException e) {
            interrupted();
        }
        notifyAll();
        return isClosed ? null : items.poll();
    }

    // An interrupt ends the work.
    private void interrupted() {
        isClosed = true;
        Thread.currentThread().interrupt();
    }

    /** Records that there are no further items. */
    synchronized void end() {
        isEnded = true;
        notifyAll();
    }

    /** Discards the items: no more are wanted. */
    synchronized void close() {
        isClosed = true;
        items.clear();
        notifyAll();
    }
}
