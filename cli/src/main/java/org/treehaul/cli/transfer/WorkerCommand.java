// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
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
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul worker}: the command of a transfer's job, run in the transfer's directory. */
public final class WorkerCommand implements Callable<Integer> {

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final CommonOptions common = new CommonOptions(spec);
    private final RankOptions ranks = new RankOptions(spec, common);
    private int generation;
    private int index;

    /** Defines the command for Picocli. */
    public WorkerCommand() {
        spec.name("worker");
        spec.usageMessage()
                .hidden(true)
                .header("Copy or verify batches of the transfer in the working directory; run by its jobs.")
                .customSynopsis("treehaul worker --generation G [--index I] [--threads N]",
                        "       treehaul worker --generation G --ranks N --transport mpj --meet FILE [--rank R]")
                .footer("%nExit codes: 0 no work is left, 2 nothing could be done, 20 stopped, 23 some entries failed or a "
                        + "batch could not be done, 24 some vanished or changed.");
        spec.addOption(Options.value(Integer.class, value -> generation = value, "--generation")
                .paramLabel("G")
                .required(true)
                .description("Work only while this is the newest generation of the transfer.")
                .build());
        spec.addOption(Options.value(Integer.class, value -> index = value, "--index")
                .paramLabel("I")
                .description("The number of this worker, from 0. Default: 0.")
                .build());
    }

    @Override
    public Integer call() {
        common.check();
        if (index < 0) {
            throw common.usage("--index must be 0 or more, not " + index);
        }
        ranks.check();
        if (ranks.areGiven()) {
            return asRank();
        }
        try (Session session = Session.beginJob(common)) {
            TransferDirectory transfer = TransferDirectory.open(Path.of(""));
            try {
                WorkResult result = Worker.of(Linux.calls(), transfer, generation)
                        .withThreads(common.threads)
                        .withIndex(index)
                        .work(session, session.progress(), session.cancellation());
                recordProblem(transfer, result.problem());
                boolean isStopped = finish(session, transfer, result);
                ExitCode code = end(session, result);
                return (isStopped ? ExitCode.INTERRUPTED : code).code();
            } catch (IOException e) {
                recordProblem(transfer, StateDirectory.reason(e));
                throw e;
            }
        } catch (IOException e) {
            common.screen().error(String.valueOf(e.getMessage()));
            return ExitCode.TROUBLE.code();
        }
    }

    // If batches remain, finishing reports this reason, so that users need not search the output of all jobs.
    private void recordProblem(TransferDirectory transfer, String problem) {
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
    private boolean finish(Session session, TransferDirectory transfer, WorkResult worked) {
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

    private int asRank() {
        if (!ranks.isProcess()) {
            throw common.usage("--ranks needs --meet");
        }
        try (Session session = Session.beginJob(common)) {
            TransferDirectory transfer = TransferDirectory.open(Path.of(""));
            RankWork work = new RankWork(transfer, generation, ranks);
            work.reportErrors(false);
            AtomicReference<@Nullable WorkResult> worked = new AtomicReference<>();
            int code = ranks.run(session, communicator -> {
                WorkResult result = work.run(session, common, communicator);
                worked.set(result);
                return end(session, result).code();
            });
            WorkResult result = worked.get();
            boolean isStopped = ranks.rank() == 0 && result != null && finish(session, transfer, result);
            return isStopped ? ExitCode.INTERRUPTED.code() : code;
        } catch (IOException e) {
            common.screen().error(String.valueOf(e.getMessage()));
            return ExitCode.TROUBLE.code();
        }
    }

    private ExitCode end(Session session, WorkResult result) {
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
