// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import org.treehaul.cli.common.RankOptions;
import org.treehaul.schedulers.batch.RankWork;

/** The message to the user when a group of ranks that share a transfer breaks. */
public final class RankErrors {

    private RankErrors() {}

    /**
     * Reports the reason for a broken group to the user, and records it for later status requests.
     *
     * @param isLast whether no finishing job follows
     */
    public static void report(RankOptions ranks, RankWork work, boolean isLast) {
        ranks.onError(reason -> {
            if (work.isFinished()) {
                return reason + "; that was after transfer " + work.transfer().id() + " was finished";
            }
            work.recordBreak(ranks.rank(), reason, isLast);
            return reason + "; 'treehaul resume " + work.transfer().id() + "' continues it";
        });
    }
}
