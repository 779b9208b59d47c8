// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.util.Map;

import org.treehaul.core.event.EntryFailure;

/** What a command says to the shell: rsync's numbers where it has them, those of cmp(1) for {@code cmp}. */
enum ExitCode {
    /** All done; for {@code cmp} no difference. */
    DONE(0),
    /** {@code cmp} found differences. */
    DIFFERENT(1),
    /** Wrong usage, or nothing could be done; for {@code cmp} any trouble. */
    TROUBLE(2),
    /** Stopped by a signal, or because nobody reads the results any more. */
    INTERRUPTED(20),
    /** Some entries failed; the rest is done. */
    PARTIAL(23),
    /** Some entries vanished or changed meanwhile; nothing else went wrong. */
    UNSETTLED(24),
    /** The limit of deletions was reached. */
    DELETE_LIMIT(25);

    private final int code;

    ExitCode(int code) {
        this.code = code;
    }

    /** Returns the number that the process exits with. */
    int code() {
        return code;
    }

    /**
     * Returns the code for work that was begun.
     *
     * @param failures how many entries failed in each way; a way that no entry failed in is not in it
     * @param isComplete whether the work went on to its end
     * @param isInterrupted whether it was asked to stop before
     */
    static ExitCode of(Map<EntryFailure.Kind, Long> failures, boolean isComplete, boolean isInterrupted) {
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
}
