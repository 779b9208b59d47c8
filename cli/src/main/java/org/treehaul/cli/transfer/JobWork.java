// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.RankOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.directory.WorkerErrors;
import org.treehaul.core.transfer.finish.Finishing;
import org.treehaul.core.transfer.work.WorkResult;
import org.treehaul.core.transfer.work.Worker;

/** The work of one job of a transfer: batches, and finishing by the job that ends last. */
record JobWork(Session session, CommonOptions common, TransferDirectory transfer, int generation) {

    /** Works as an independent worker with a number, and returns the exit code. */
    ExitCode run(int index) throws IOException {
        try {
            WorkResult result = Worker.of(Linux.calls(), transfer, generation)
                    .withThreads(common.threads)
                    .withIndex(index)
                    .work(session, session.progress(), session.cancellation());
            recordProblem(index, result.problem());
            boolean isStopped = finish(result);
            ExitCode code = end(result);
            return isStopped ? ExitCode.INTERRUPTED : code;
        } catch (IOException e) {
            recordProblem(index, StateDirectory.reason(e));
            throw e;
        }
    }

    /** Works as one of several ranks, of which rank 0 finishes, and returns the exit code. */
    int runAsRank(RankOptions ranks) {
        RankWork work = new RankWork(transfer, generation, ranks);
        work.reportErrors(false);
        AtomicReference<@Nullable WorkResult> worked = new AtomicReference<>();
        int code = ranks.run(session, communicator -> {
            WorkResult result = work.run(session, common, communicator);
            worked.set(result);
            return end(result).code();
        });
        WorkResult result = worked.get();
        boolean isStopped = ranks.rank() == 0 && result != null && finish(result);
        return isStopped ? ExitCode.INTERRUPTED.code() : code;
    }

    // If batches remain, finishing reports this reason, so that users need not search the output of all jobs.
    private void recordProblem(int index, String problem) {
        if (problem.isEmpty()) {
            return;
        }
        try {
            WorkerErrors.of(transfer, generation).record(index, problem);
        } catch (IOException e) {
            // The output of this job contains it.
        }
    }

    // Otherwise the copy would stay unfinished while the finishing job, or a worker, waits in a queue.
    private boolean finish(WorkResult worked) {
        if (worked.ending() != WorkResult.Ending.DONE) {
            return false;
        }
        try {
            Optional<TransferResult> result = Finishing.of(Linux.calls(), transfer, generation)
                    .withThreads(common.threads)
                    .finishIfLast(session, session.progress(), session.cancellation());
            if (result.isEmpty()) {
                return false;
            }
            session.screen().note(FinishCommand.text(transfer, result.get()));
            boolean isFinished = result.get().state() == TransferResult.State.COMPLETE
                    || result.get().state() == TransferResult.State.PARTIAL;
            if (isFinished) {
                TransferCommand.endWaiting(transfer, generation);
            }
            return result.get().state() == TransferResult.State.STOPPED && session.cancellation().isCancelled();
        } catch (IOException e) {
            session.screen()
                    .note("the last job has to finish the transfer, because this one could not: "
                            + StateDirectory.reason(e));
            return false;
        }
    }

    private ExitCode end(WorkResult result) {
        ExitCode code = session.end(result.failures(), result.ending() == WorkResult.Ending.DONE);
        session.screen()
                .note(result.batches() + (result.batches() == 1 ? " batch, " : " batches, ")
                        + switch (result.ending()) {
                            case DONE -> "no work is left";
                            case STOPPED -> "stopped";
                            case SUPERSEDED -> "the transfer has been resumed or cancelled";
                            case GAVE_UP, PLANNER_DIED -> result.problem();
                        });
        return switch (result.ending()) {
            case DONE, GAVE_UP, PLANNER_DIED -> code;
            case STOPPED, SUPERSEDED -> ExitCode.INTERRUPTED;
        };
    }
}
