// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

/**
 * The state that a scheduler reports for a job. It does not prove what the job did: only the journals of its attempts
 * do.
 */
public enum JobState {
    /** Not started yet, or held back. */
    WAITING,
    /** Started and not ended, whether or not it makes progress. */
    RUNNING,
    /** Unknown, so the job may still run: a local job of another host, or one that PBS omits from its answer. */
    UNKNOWN,
    /** Ended with exit code 0. */
    SUCCEEDED,
    /** Ended with another exit code or by a signal. */
    FAILED,
    /** Cancelled before its end. */
    CANCELLED,
    /** Ended by the scheduler at its time limit. */
    TIMED_OUT,
    /** Ended because its node failed. */
    LOST,
    /** The scheduler does not know the job, or does not know how it ended. */
    GONE;

    /** Returns true for a job that may run now or later. */
    public boolean mayRun() {
        return this == WAITING || this == RUNNING || this == UNKNOWN;
    }
}
