// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
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

/**
 * The work of one rank on the batches of a transfer.
 *
 * @param generation the generation to which the group of ranks belongs
 * @param threads the number of threads; 0 for the options of the transfer
 */
@Internal
public record RankWork(TransferDirectory transfer, int generation, int threads) {

    // A batch with few large files can be as much work as one with many small files: creating an entry takes as long as
    // reading and writing this number of bytes.
    private static final long BYTES_OF_AN_ENTRY = 256 << 10;
    // A state directory that hangs must not keep a rank from ending.
    private static final long STATE_TIMEOUT = 1000;

    /**
     * Does the work of this rank, and returns when the batches of all ranks are done.
     *
     * @param communicator connects the ranks of the group, which all call this method
     * @param distribution the way in which they share the batches, the same for all
     * @param listener receives failures and notices, on any thread
     * @throws RanksException if the group breaks or this rank cannot continue, and therefore the others cannot either
     */
    public WorkResult work(Communicator communicator, Distribution distribution, EventListener listener,
            Progress progress, Cancellation cancellation) {
        Cancellation stop = Cancellation.of(cancellation);
        try {
            Plan plan = Plan.open(transfer.plan());
            List<PlannedBatch> batches = plan.batches();
            BatchRank.Outcome<WorkResult> outcome = BatchRank.of(communicator, distribution)
                    .run(batches.size(), batch -> weight(batches.get(batch)), plan::servers, stop,
                            share -> Worker.of(Linux.calls(), transfer, generation)
                                    .withThreads(threads)
                                    .withIndex(communicator.rank())
                                    .withShare(share)
                                    .work(listener, progress, stop));
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

    /**
     * Returns whether the transfer was finished, so that a group that breaks later undoes nothing; false if the state
     * directory does not answer within a second.
     */
    public boolean isFinished() {
        AtomicBoolean isFinished = new AtomicBoolean();
        briefly("treehaul-look", () -> {
            TransferStatus.State state = Transfers.reading(transfer.stateDirectory()).status(transfer).state();
            isFinished.set(state == TransferStatus.State.COMPLETE || state == TransferStatus.State.PARTIAL);
        });
        return isFinished.get();
    }

    /**
     * Records why the group broke, for later requests of the status. Returns after a second even if the state directory
     * does not answer.
     *
     * @param rank the number of this rank
     * @param isLast whether no finishing job follows, so that the generation ends with this reason
     */
    public void recordBreak(int rank, String reason, boolean isLast) {
        briefly("treehaul-record-break", () -> {
            WorkerErrors.of(transfer, generation).record(rank, reason);
            if (isLast) {
                Finishing.of(Linux.calls(), transfer, generation).giveUp(reason);
            }
        });
    }

    /** Uses the state directory. */
    @FunctionalInterface
    private interface Use {
        void run() throws IOException;
    }

    private static void briefly(String name, Use use) {
        Thread thread = Thread.ofPlatform().daemon().name(name).start(() -> {
            try {
                use.run();
            } catch (IOException e) {
                // The caller has the reason, and resume detects by itself what is missing.
            }
        });
        try {
            thread.join(STATE_TIMEOUT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
