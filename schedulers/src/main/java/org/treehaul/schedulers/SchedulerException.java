// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import java.util.List;
import java.util.regex.Pattern;

/** Thrown if a scheduler is missing, does not answer or refuses. The message contains its output. */
public final class SchedulerException extends Exception {
    private static final long serialVersionUID = 1;

    // The request may have arrived, with only the answer lost. Slurm's words are those of slurm_strerror.
    private static final Pattern LOST = Pattern
            .compile("(?i)timed out|timeout|connect|unable to contact|communication|end of file|message|receive");

    /** The exit code if the command did not end, or none was run. */
    public static final int NO_CODE = -1;

    private static final int LARGEST_CODE = 255;

    private final transient List<String> command;
    private final int exitCode;
    private final transient List<String> submitted;

    /**
     * Creates an exception of a command that failed; {@link #refused} checks the arguments of a refusal.
     *
     * @param command the command; empty if none was run
     * @param exitCode its exit code, or {@link #NO_CODE}
     * @param submitted the ids of jobs of the same request that remain submitted
     */
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

    /**
     * Creates an exception of a scheduler whose program refused a request. After the refusal of a submission TreeHaul
     * records that no job of it exists, unless the message reports a lost connection, after which the request may have
     * arrived.
     *
     * @param message the program and its output
     * @param command the command that was run
     * @param exitCode its exit code, 1 to 255
     * @throws IllegalArgumentException if the command is empty or the exit code is outside its range
     */
    public static SchedulerException refused(String message, List<String> command, int exitCode) {
        if (command.isEmpty() || exitCode < 1 || exitCode > LARGEST_CODE) {
            throw new IllegalArgumentException("not the refusal of a command: " + command + ", exit code " + exitCode);
        }
        return new SchedulerException(message, command, exitCode, List.of());
    }

    /** Creates an exception with its cause. */
    public SchedulerException(String message, Throwable cause) {
        this(message);
        initCause(cause);
    }

    /** Returns the same exception for a request of which jobs with these ids remain submitted. */
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
    public boolean isRefusal() {
        return exitCode > 0 && getSuppressed().length == 0 && !LOST.matcher(String.valueOf(getMessage())).find();
    }

    /** Returns the ids of the jobs of the same request that were submitted before the failure and remain submitted. */
    public List<String> submitted() {
        return submitted;
    }
}
