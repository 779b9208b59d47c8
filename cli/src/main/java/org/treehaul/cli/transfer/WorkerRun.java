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
import org.treehaul.core.event.Event;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.work.WorkResult;
import org.treehaul.schedulers.batch.JobWork;
import org.treehaul.schedulers.batch.RankWork;
import org.treehaul.tuplespace.transfer.LivePublisher;
import org.treehaul.tuplespace.transfer.Publication;

/** Runs the work of one job of a transfer, and prints its results. */
record WorkerRun(Session session, CommonOptions common, JobWork work) {

    static WorkerRun of(Session session, CommonOptions common, TransferDirectory transfer, int generation) {
        return new WorkerRun(session, common,
                new JobWork(transfer, generation, common.threads, TransferCommand.jobs(transfer)));
    }

    /** Works as an independent worker with a number, and returns the exit code. */
    ExitCode run(int index) throws IOException {
        Optional<LivePublisher> publisher = Publication.live(work.transfer(), this::note);
        WorkResult result;
        try {
            result = publisher.isPresent()
                    ? work.work(index, publisher.get(), session, session.progress(), session.cancellation())
                    : work.work(index, session, session.progress(), session.cancellation());
        } finally {
            publisher.ifPresent(LivePublisher::close);
        }
        boolean isStopped = finish(result);
        ExitCode code = end(result);
        return isStopped ? ExitCode.INTERRUPTED : code;
    }

    /** Works as one of several ranks, of which rank 0 finishes, and returns the exit code. */
    int runAsRank(RankOptions ranks) {
        RankWork shared = new RankWork(work.transfer(), work.generation(), common.threads);
        RankErrors.report(ranks, shared, false);
        AtomicReference<@Nullable WorkResult> worked = new AtomicReference<>();
        Optional<LivePublisher> publisher = ranks.rank() == 0
                ? Publication.liveForAll(work.transfer(), this::note)
                : Optional.empty();
        int code;
        try {
            code = ranks.run(session, communicator -> {
                WorkResult result = shared.work(communicator, ranks.distribution(), session, session.progress(),
                        session.cancellation());
                worked.set(result);
                return end(result).code();
            });
        } finally {
            publisher.ifPresent(LivePublisher::close);
        }
        WorkResult result = worked.get();
        boolean isStopped = ranks.rank() == 0 && result != null && finish(result);
        return isStopped ? ExitCode.INTERRUPTED.code() : code;
    }

    private void note(String problem) {
        session.onEvent(new Event.Notice(problem));
    }

    // Returns whether finishing was begun and stopped.
    private boolean finish(WorkResult worked) {
        try {
            Optional<TransferResult> result = work.finishIfLast(worked, session, session.progress(),
                    session.cancellation());
            result.ifPresent(ended -> {
                session.screen().note(FinishCommand.text(work.transfer(), ended));
                Publication.update(work.transfer(), this::note);
            });
            return result.filter(ended -> ended.state() == TransferResult.State.STOPPED).isPresent()
                    && session.cancellation().isCancelled();
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
