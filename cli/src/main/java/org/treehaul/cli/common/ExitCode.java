// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.common;

import java.util.Map;

import org.treehaul.core.event.EntryFailure;

/** The exit codes of commands: those of rsync where it has equivalents, those of cmp(1) for {@code cmp}. */
public enum ExitCode {
    /** All done; for {@code cmp}, no difference. */
    DONE(0),
    /** {@code cmp} found differences. */
    DIFFERENT(1),
    /** Wrong usage, or nothing could be done; for {@code cmp}, any trouble. */
    TROUBLE(2),
    /** Stopped by a signal, or because the reader of the output has gone. */
    INTERRUPTED(20),
    /** Some entries failed; the rest is done. */
    PARTIAL(23),
    /** Some entries vanished or changed during the work; nothing else went wrong. */
    UNSETTLED(24),
    /** The limit of deletions was reached. */
    DELETE_LIMIT(25);

    private final int code;

    ExitCode(int code) {
        this.code = code;
    }

    /** Returns the exit code of the process. */
    public int code() {
        return code;
    }

    /**
     * Returns the code for work that was begun.
     *
     * @param failures number of failed entries of each kind; kinds without failures are left out
     * @param isComplete whether the work ran to its end
     * @param isInterrupted whether it was asked to stop early
     */
    public static ExitCode of(Map<EntryFailure.Kind, Long> failures, boolean isComplete, boolean isInterrupted) {
        if (isComplete && failures.isEmpty()) {
            return DONE;
        }
        if (isInterrupted) {
            return INTERRUPTED;
        }
        boolean onlyUnsettled = isComplete && !failures.containsKey(EntryFailure.Kind.ERROR)
                && !failures.containsKey(EntryFailure.Kind.CORRUPT);
        return onlyUnsettled ? UNSETTLED : PARTIAL;
    }

    /** Returns this code, or {@code TROUBLE} if entries failed and none was processed. */
    public ExitCode ifAny(long processed) {
        return processed == 0 && (this == PARTIAL || this == UNSETTLED) ? TROUBLE : this;
    }
}
