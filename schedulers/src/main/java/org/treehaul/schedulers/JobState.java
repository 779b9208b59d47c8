// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

/**
 * What a scheduler says of a job. It is no proof of what the job did: that stands in the journals of its attempts only.
 */
public enum JobState {
    /** Not started yet, or held back. */
    WAITING,
    /** Started and not ended, whether it proceeds or not. */
    RUNNING,
    /** Not known, so it may still run: a local job of another host, or one that PBS leaves out of its answer. */
    UNKNOWN,
    /** Ended with exit code 0. */
    SUCCEEDED,
    /** Ended with another exit code or by a signal. */
    FAILED,
    /** Cancelled before its end. */
    CANCELLED,
    /** Ended by the scheduler at its limit of time. */
    TIMED_OUT,
    /** Ended with its node. */
    LOST,
    /** The scheduler says that it does not know it, or does not know how it ended. */
    GONE;

    /** Returns true for a job that may run now or later. */
    public boolean mayRun() {
        return this == WAITING || this == RUNNING || this == UNKNOWN;
    }
}
