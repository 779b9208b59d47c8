// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import org.treehaul.core.fs.CallTimes;

/**
 * What the time of one worker went into: calls, its handler beside them, waiting for work; the rest is the walk itself.
 * Used by its thread; others may read it when the walk has ended.
 */
public final class WorkerTimes {

    private final CallTimes calls = new CallTimes();
    private final long began = System.nanoTime();
    private long ended = began;
    private long callback;
    private long waiting;

    // A handler that releases a directory is called to leave it, from within.
    private int depth;
    private long enteredAt;
    private long callsBefore;

    /** Returns the calls, those of the walk and those of the handler. */
    public CallTimes calls() {
        return calls;
    }

    /** Returns the nanoseconds that the handler took, without the calls that it made. */
    public long callbackNanos() {
        return callback;
    }

    /** Returns the nanoseconds in which there was no work for this worker. */
    public long waitingNanos() {
        return waiting;
    }

    /** Returns the nanoseconds from the worker's beginning to its end. */
    public long nanos() {
        return ended - began;
    }

    void enterCallback() {
        if (depth++ == 0) {
            callsBefore = calls.nanos();
            enteredAt = System.nanoTime();
        }
    }

    void leaveCallback() {
        if (--depth == 0) {
            callback += System.nanoTime() - enteredAt - (calls.nanos() - callsBefore);
        }
    }

    <D> void run(ForkedTask<D> task, WalkWorker<D> worker) {
        enterCallback();
        try {
            task.run(worker);
        } finally {
            leaveCallback();
        }
    }

    void waitedSince(long start) {
        waiting += System.nanoTime() - start;
    }

    void end() {
        ended = System.nanoTime();
    }
}
