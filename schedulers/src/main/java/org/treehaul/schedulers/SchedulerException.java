// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import java.util.List;
import java.util.regex.Pattern;

/** Thrown if a scheduler is missing, does not answer or refuses. The message contains its output. */
public final class SchedulerException extends Exception {
    private static final long serialVersionUID = 1;

    // The request may have arrived, with only the answer lost.
    private static final Pattern LOST = Pattern.compile("(?i)timed out|timeout|connect|communication|end of file");

    /** The exit code if the command did not end, or none was run. */
    public static final int NO_CODE = -1;

    private final transient List<String> command;
    private final int exitCode;
    private final transient List<String> submitted;

    public SchedulerException(String message, List<String> command, int exitCode, List<String> submitted) {
        super(message);
        this.command = List.copyOf(command);
        this.exitCode = exitCode;
        this.submitted = List.copyOf(submitted);
    }

    /** Creates an exception of a scheduler that is missing or refuses before a command was run. */
    public SchedulerException(String message) {
        this(message, List.of(), NO_CODE, List.of());
    }

    /** Creates an exception with its cause. */
    public SchedulerException(String message, Throwable cause) {
        this(message);
        initCause(cause);
    }

    public SchedulerException withSubmitted(List<String> ids) {
        SchedulerException same = new SchedulerException(String.valueOf(getMessage()), command, exitCode, ids);
        same.setStackTrace(getStackTrace());
        return same;
    }

    /** Returns the command that failed; empty if none was run. */
    public List<String> command() {
        return command;
    }

    /** Returns its exit code, or {@link #NO_CODE}. */
    public int exitCode() {
        return exitCode;
    }

    /**
     * Returns whether the scheduler certainly has no job of the failed request: its program answered, the answer was
     * not a lost connection, and jobs submitted before were cancelled.
     */
    boolean isRefusal() {
        return exitCode > 0 && getSuppressed().length == 0 && !LOST.matcher(String.valueOf(getMessage())).find();
    }

    /** Returns the ids of the jobs of the same request that were submitted before the failure and remain submitted. */
    public List<String> submitted() {
        return submitted;
    }
}
