// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import org.treehaul.core.fs.CallTimes;

/**
 * The time of one worker by purpose: calls, its handler without calls, waiting for work; the rest is the walk itself.
 * Updated by its thread; other threads may read it after the walk has ended.
 */
public final class WorkerTimes {

    private final CallTimes calls = new CallTimes();
    private final long began = System.nanoTime();
    private long ended = began;
    private long callback;
    private long waiting;

    // Calls can nest: a handler that releases a directory is called to leave it.
    private int depth;
    private long enteredAt;
    private long callsBefore;

    /** Returns the times of the calls of the walk and of the handler. */
    public CallTimes calls() {
        return calls;
    }

    /** Returns the nanoseconds spent in the handler, without the calls that it made. */
    public long callbackNanos() {
        return callback;
    }

    /** Returns the nanoseconds spent waiting for work. */
    public long waitingNanos() {
        return waiting;
    }

    /** Returns the nanoseconds from the worker's start to its end. */
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

    void waitedSince(long start) {
        waiting += System.nanoTime() - start;
    }

    void end() {
        ended = System.nanoTime();
    }
}
