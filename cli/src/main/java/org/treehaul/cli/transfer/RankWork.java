// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;

import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.RankOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlannedBatch;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.WorkerErrors;
import org.treehaul.core.transfer.finish.Finishing;
import org.treehaul.core.transfer.work.WorkResult;
import org.treehaul.core.transfer.work.Worker;
import org.treehaul.strategies.ranks.BatchRank;
import org.treehaul.strategies.ranks.Distribution;
import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.RanksException;

/** The work of one rank on the batches of a transfer. */
public final class RankWork {

    // A batch with few large files can be as much work as one with many small files: creating an entry takes as long as
    // reading and writing this number of bytes.
    private static final long BYTES_OF_AN_ENTRY = 256 << 10;
    // Reporting must not keep a rank from ending when the state directory hangs.
    private static final long NOTIFICATION_TIMEOUT = 1000;

    private final TransferDirectory transfer;
    private final int generation;
    private final RankOptions ranks;

    public RankWork(TransferDirectory transfer, int generation, RankOptions ranks) {
        this.transfer = transfer;
        this.generation = generation;
        this.ranks = ranks;
    }

    /**
     * Does the work of this rank, and returns when the batches of all ranks are done.
     *
     * @throws RanksException if the group breaks or this rank cannot continue, and therefore the others cannot either
     */
    public WorkResult run(Session session, CommonOptions common, Communicator communicator) {
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
            throw new RanksException(StateDirectory.reason(e), e);
        } catch (ExecutionException e) {
            switch (Objects.requireNonNull(e.getCause())) {
                case IOException failure -> throw new RanksException(StateDirectory.reason(failure), failure);
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
        return batch.entries() + batch.data() / BYTES_OF_AN_ENTRY;
    }

    private static String reason(WorkResult result) {
        return switch (result.ending()) {
            case DONE, STOPPED -> "was stopped";
            case SUPERSEDED -> "the transfer has been resumed or cancelled";
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
     * Reports the reason for a broken group to the user, and records it for later status requests.
     *
     * @param isLast whether no finishing job follows
     */
    public void reportErrors(boolean isLast) {
        ranks.onError(reason -> {
            if (isFinished()) {
                return reason + "; that was after transfer " + transfer.id() + " was finished";
            }
            String message = reason + "; 'treehaul resume " + transfer.id() + "' continues it";
            Thread notification = Thread.ofPlatform().daemon().name("treehaul-trouble").start(() -> {
                try {
                    WorkerErrors.of(transfer, generation).record(ranks.rank(), reason);
                    if (isLast) {
                        Finishing.of(Linux.calls(), transfer, generation).giveUp(reason);
                    }
                } catch (IOException e) {
                    // The user has been notified, and resume detects by itself what is missing.
                }
            });
            try {
                notification.join(NOTIFICATION_TIMEOUT);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return message;
        });
    }
}
