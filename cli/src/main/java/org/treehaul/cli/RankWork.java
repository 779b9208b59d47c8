// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;

import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.Plan;
import org.treehaul.core.plan.PlannedBatch;
import org.treehaul.core.transfer.Finishing;
import org.treehaul.core.transfer.TransferDirectory;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.Troubles;
import org.treehaul.core.transfer.WorkResult;
import org.treehaul.core.transfer.Worker;
import org.treehaul.core.walk.Cancellation;
import org.treehaul.strategies.ranks.BatchRank;
import org.treehaul.strategies.ranks.Communicator;
import org.treehaul.strategies.ranks.Distribution;
import org.treehaul.strategies.ranks.RanksException;

/** The part that one rank has in the batches of a transfer. */
final class RankWork {

    // A batch of few large files is as much work as one of many small ones: what is read and written while one is made.
    private static final long BYTES_OF_AN_ENTRY = 256 << 10;
    // Telling must not keep a rank from its end where the state directory hangs.
    private static final long LONGEST_TELLING = 1000;

    private final TransferDirectory transfer;
    private final int generation;
    private final RankOptions ranks;

    RankWork(TransferDirectory transfer, int generation, RankOptions ranks) {
        this.transfer = transfer;
        this.generation = generation;
        this.ranks = ranks;
    }

    /**
     * Does it, and returns when the batches of all ranks are done.
     *
     * @throws RanksException when the group breaks, or this rank cannot go on: then the others cannot either
     */
    WorkResult run(Session session, CommonOptions common, Communicator communicator) {
        Cancellation stop = Cancellation.of(session.cancellation());
        Distribution distribution = RankOptions.distribution(ranks.distribution(), common);
        try {
            List<PlannedBatch> batches = Plan.open(transfer.plan()).batches();
            BatchRank.Outcome<WorkResult> outcome = BatchRank.of(communicator, distribution)
                    .run(batches.size(), batch -> weight(batches.get(batch)), stop,
                            share -> Worker.of(Linux.calls(), transfer, generation)
                                    .withThreads(common.threads)
                                    .withShare(share)
                                    .work(session, session.progress(), stop));
            if (!outcome.isWhole()) {
                throw new RanksException(reason(outcome.result()));
            }
            return outcome.result();
        } catch (IOException e) {
            throw new RanksException(String.valueOf(e.getMessage()), e);
        } catch (ExecutionException e) {
            switch (Objects.requireNonNull(e.getCause())) {
                case IOException told -> throw new RanksException(String.valueOf(told.getMessage()), told);
                case RuntimeException fault -> throw fault;
                case Error fault -> throw fault;
                default -> throw new IllegalStateException(e.getCause());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RanksException("was interrupted", e);
        }
    }

    private static long weight(PlannedBatch batch) {
        return batch.entries() + batch.bytes() / BYTES_OF_AN_ENTRY;
    }

    private static String reason(WorkResult result) {
        return switch (result.ending()) {
            case DONE, STOPPED -> "was stopped";
            case SUPERSEDED -> "the transfer was resumed or cancelled since";
            case GAVE_UP, PLANNER_DIED -> result.problem();
        };
    }

    private boolean isFinished() {
        try {
            TransferStatus.State state = Transfers.reading(transfer.stateDirectory()).status(transfer).state();
            return state == TransferStatus.State.COMPLETE || state == TransferStatus.State.PARTIAL;
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Has the user, and whoever asks for the transfer later, told why the group broke.
     *
     * @param isLast whether no job follows that finishes
     */
    void tellTroubles(boolean isLast) {
        ranks.onTrouble(reason -> {
            if (isFinished()) {
                return reason + "; that was after transfer " + transfer.id() + " was finished";
            }
            String told = reason + "; 'treehaul resume " + transfer.id() + "' goes on";
            Thread telling = Thread.ofPlatform().daemon().name("treehaul-trouble").start(() -> {
                try {
                    Troubles.of(transfer, generation).tell(ranks.rank(), reason);
                    if (isLast) {
                        Finishing.of(Linux.calls(), transfer, generation).giveUp(reason);
                    }
                } catch (IOException e) {
                    // The user is told, and resume finds out what is missing by itself.
                }
            });
            try {
                telling.join(LONGEST_TELLING);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return told;
        });
    }
}
