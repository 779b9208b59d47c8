// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.treehaul.core.fs.SystemCallException;

/** The end of a process, or of a run of a Java class. */
public sealed interface TaskEnd {

    /** Ended by itself. */
    record Exited(int code) implements TaskEnd {}

    /** Ended by a signal. */
    record Killed(int signal) implements TaskEnd {}

    /** Ended because its time was over. */
    record TimedOut(Duration limit) implements TaskEnd {}

    /** Ended because all processes were asked to, so that the entry counts as not begun. */
    record Stopped() implements TaskEnd {}

    /** Ended by an exception of a Java class, with its text. */
    record Threw(String text) implements TaskEnd {}

    /** Did not begin. */
    record NotStarted(int errno) implements TaskEnd {}

    /** Ended, but something else has collected its status. */
    record Unknown() implements TaskEnd {}

    // From signal.h; equal on x86-64 and aarch64.
    List<String> SIGNALS = List.of("", "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1",
            "SEGV", "USR2", "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG",
            "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS");

    /**
     * Returns the end that a status means.
     *
     * @param status as wait(2) encodes it
     */
    static TaskEnd of(int status) {
        int signal = status & 0x7f;
        return signal == 0 ? new Exited(status >> 8 & 0xff) : new Killed(signal);
    }

    /** Returns whether the command succeeded. */
    default boolean isSuccess() {
        return this instanceof Exited exited && exited.code == 0;
    }

    /** Returns whether another process may succeed. */
    default boolean mayRepeat() {
        return !isSuccess() && !(this instanceof Stopped) && !(this instanceof NotStarted);
    }

    /** Returns the failure; empty if the command succeeded. */
    default Optional<SystemCallException> failure() {
        return switch (this) {
            case Exited exited when exited.code == 0 -> Optional.empty();
            case Exited exited -> failure("the command ended with " + exited.code);
            case Killed killed -> failure("the command was ended by signal " + killed.signal + name(killed.signal));
            case TimedOut timedOut -> failure("the command did not end within " + text(timedOut.limit));
            case Stopped stopped -> failure("the command was stopped");
            case Threw threw -> failure("the task failed: " + threw.text);
            case NotStarted none -> Optional.of(new SystemCallException("start the command", none.errno));
            case Unknown unknown -> failure("the exit code of the command is unknown");
        };
    }

    private static Optional<SystemCallException> failure(String words) {
        return Optional.of(new SystemCallException(words, 0));
    }

    private static String name(int signal) {
        return signal < SIGNALS.size() ? " (SIG" + SIGNALS.get(signal) + ")" : "";
    }

    private static String text(Duration limit) {
        return limit.toMillis() % 1000 == 0 ? limit.toSeconds() + " s" : limit.toMillis() + " ms";
    }
}
