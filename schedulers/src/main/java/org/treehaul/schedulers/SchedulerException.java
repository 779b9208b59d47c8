// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import java.util.List;

/** A scheduler that is missing, does not answer or refuses. The message shows what it said. */
public final class SchedulerException extends Exception {
    private static final long serialVersionUID = 1;

    /** The exit code of a command that did not end, or of none. */
    public static final int NO_CODE = -1;

    private final transient List<String> command;
    private final int exitCode;
    private final transient List<String> submitted;

    SchedulerException(String message, List<String> command, int exitCode, List<String> submitted) {
        super(message);
        this.command = List.copyOf(command);
        this.exitCode = exitCode;
        this.submitted = List.copyOf(submitted);
    }

    SchedulerException(String message) {
        this(message, List.of(), NO_CODE, List.of());
    }

    SchedulerException withSubmitted(List<String> ids) {
        SchedulerException same = new SchedulerException(String.valueOf(getMessage()), command, exitCode, ids);
        same.setStackTrace(getStackTrace());
        return same;
    }

    /** Returns the command that failed; empty where none was run. */
    public List<String> command() {
        return command;
    }

    /** Returns its exit code, or {@link #NO_CODE}. */
    public int exitCode() {
        return exitCode;
    }

    /** Returns the ids of the jobs of the same request that were submitted before the failure, and stand. */
    public List<String> submitted() {
        return submitted;
    }
}
