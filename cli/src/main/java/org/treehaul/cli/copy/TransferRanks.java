// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.io.IOException;
import java.util.Optional;
import java.util.Set;

import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.RankOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Text;
import org.treehaul.cli.transfer.RankErrors;
import org.treehaul.cli.transfer.ResultReport;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.event.Event;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.PlanSummary;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.Generations;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.finish.Finishing;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.schedulers.batch.CopyPlanning;
import org.treehaul.schedulers.batch.RankWork;
import org.treehaul.strategies.ranks.communicator.Broadcast;
import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.RanksException;
import org.treehaul.tuplespace.transfer.LivePublisher;
import org.treehaul.tuplespace.transfer.Publication;

/**
 * A transfer by ranks that the user starts; this process is one of them. Rank 0 creates the transfer, plans it and
 * sends its id to the others. All ranks share the batches. Rank 0 finishes the transfer, and all ranks exit with its
 * code.
 *
 * @param work creates and plans the transfer, in rank 0
 */
public record TransferRanks(CommonOptions common, RankOptions ranks, TransferOptions options, Work work) {

    /** The options for batches and plans, which ranks need as well as jobs. */
    public static final Set<String> OPTIONS = Set.of("--strategy", "--batches", "--batch-files", "--batch-bytes",
            "--locality", "--plan", "--no-space-check");

    /** The operation of the transfer. */
    public interface Work {

        /**
         * Creates the transfer, not planned yet.
         *
         * @param session receives operands that are refused; the exit code reports them
         * @return the transfer; empty if no operand is left
         * @throws CopyRefusedException if the operands are refused as a whole
         */
        Optional<TransferDirectory> create(Session session, Transfers transfers, JobOptions jobs)
                throws IOException, CopyRefusedException;

        /**
         * Plans the transfer.
         *
         * @return the summary; not complete if planning was interrupted
         * @throws CopyRefusedException if there is nothing to do, or it does not fit into the destination
         */
        PlanSummary plan(TransferDirectory transfer, Session session) throws IOException, CopyRefusedException;

        /**
         * Ends the session without a transfer, because nothing is left to do, and returns the exit code of all ranks.
         */
        default ExitCode endWithoutTransfer(Session session) {
            session.end(session.problems().counts(), true);
            return session.problems().counts().isEmpty() ? ExitCode.DONE : ExitCode.TROUBLE;
        }
    }

    /** Plans a transfer that copies, as {@link Work#plan} requires. */
    public static PlanSummary planCopy(TransferDirectory transfer, Session session)
            throws IOException, CopyRefusedException {
        return new CopyPlanning(transfer, transfer.generations()::isOnlyOfCreator, session, session.progress(),
                session.cancellation()).plan(CopyRequests.read(transfer));
    }

    /** Checks that the options for ranks agree with those for jobs. */
    public static void check(CommonOptions common, RankOptions ranks, TransferOptions transfer) {
        if (!ranks.areGiven()) {
            return;
        }
        if (transfer.isTransfer() && ranks.isProcess()) {
            throw common.usage(
                    "--meet is for ranks that you start yourself; it cannot be combined with --scheduler and --jobs");
        }
        if (common.isGiven("--transport") && !ranks.isMpj()) {
            throw common.usage("ranks in separate processes need --transport mpj");
        }
        if (common.isGiven("--profile")) {
            throw common
                    .usage("--profile is for ranks in one process; it cannot be combined with --scheduler and --meet");
        }
        if (common.isGiven("--jobs") || common.isGiven("--max-running")) {
            throw common
                    .usage("--ranks N means N jobs that run at the same time; it cannot be combined with --jobs and "
                            + "--max-running");
        }
    }

    /** Does the part of this rank and returns the exit code. */
    public int run() {
        // Only the first rank shows progress, for all of them.
        if (ranks.rank() > 0 && common.progress == CommonOptions.When.auto) {
            common.progress = CommonOptions.When.never;
        }
        try (Session session = Session.begin(common, false)) {
            return ranks.run(session, communicator -> asRank(session, communicator));
        }
    }

    private int asRank(Session session, Communicator communicator) {
        boolean isFirst = communicator.rank() == 0;
        try {
            Transfers transfers = Transfers.in(options.stateDirectory());
            String begun = isFirst ? begin(session, transfers) : "";
            Broadcast.Delivered delivered = Broadcast.fromFirst(communicator, begun, session.cancellation());
            String[] words = delivered.text().split(" ", 3);
            if (words.length == 1) {
                ranks.needNoOthers();
                session.close();
                return Integer.parseInt(words[0]);
            }
            TransferDirectory transfer = transfers.open(new TransferId(words[0]));
            int generation = Integer.parseInt(words[1]);
            int operands = Integer.parseInt(words[2]);
            RankWork shared = new RankWork(transfer, generation, common.threads);
            if (!isFirst) {
                RankErrors.report(ranks, shared, true);
            }
            Optional<LivePublisher> publisher = isFirst
                    ? Publication.liveForAll(transfer, problem -> note(session, problem))
                    : Optional.empty();
            try {
                shared.work(delivered.communicator(), ranks.distribution(), session, session.progress(),
                        session.cancellation());
            } finally {
                publisher.ifPresent(LivePublisher::close);
            }
            // All batches are done, so losing a rank undoes nothing.
            ranks.needNoOthers();
            int code;
            if (isFirst) {
                code = code(finish(session, transfers, transfer, generation), operands);
                ranks.settle(code);
                Broadcast.fromFirst(communicator, Integer.toString(code), session.cancellation());
                Publication.update(transfer, problem -> note(session, problem));
            } else {
                code = codeOfFirst(session, communicator, transfer, generation, operands);
            }
            session.close();
            return code;
        } catch (IOException e) {
            throw new RanksException(StateDirectory.reason(e), e);
        }
    }

    // If the group breaks before rank 0 has announced the code, the state directory provides it: finishing waits for the
    // rank that finishes, and continues in its place if that one is lost.
    private int codeOfFirst(Session session, Communicator communicator, TransferDirectory transfer, int generation,
            int operands) throws IOException {
        try {
            return Integer.parseInt(Broadcast.fromFirst(communicator, "", session.cancellation()).text());
        } catch (RanksException e) {
            TransferResult result = finish(session, transfer, generation);
            Publication.update(transfer, problem -> note(session, problem));
            return code(ResultReport.code(result), operands);
        }
    }

    private static int code(ExitCode result, int operands) {
        return result == ExitCode.DONE ? operands : result.code();
    }

    private static void note(Session session, String problem) {
        session.onEvent(new Event.Notice(problem));
    }

    /**
     * Creates and plans the transfer, and returns its id, its generation and the exit code for the operands that were
     * refused; or only the exit code of all ranks, if there is nothing to do.
     */
    private String begin(Session session, Transfers transfers) throws IOException {
        Optional<TransferDirectory> created;
        try {
            created = work.create(session, transfers, jobs());
        } catch (CopyRefusedException e) {
            throw new RanksException(String.valueOf(e.getMessage()), e);
        }
        if (created.isEmpty()) {
            int code = work.endWithoutTransfer(session).code();
            ranks.settle(code);
            return Integer.toString(code);
        }
        ExitCode operands = ExitCode.of(session.problems().counts(), true, false);
        TransferDirectory transfer = created.get();
        options.publish(transfer);
        Generations generations = transfer.generations();
        boolean isPlanned = false;
        try {
            PlanSummary summary = work.plan(transfer, session);
            isPlanned = summary.isComplete();
            generations.requireNewest(0);
            if (!isPlanned) {
                throw new RanksException("interrupted while planning; nothing was started");
            }
        } catch (CopyRefusedException e) {
            throw new RanksException(String.valueOf(e.getMessage()), e);
        } finally {
            // Unless another command continues it.
            if (!isPlanned && generations.isNewest(0)) {
                transfers.forget(transfer);
            }
        }
        int generation = transfers.start(transfer);
        // Recorded from now on, because other ranks may fail before they have received the id.
        RankErrors.report(ranks, new RankWork(transfer, generation, common.threads), true);
        announce(session, transfer, generation);
        return transfer.id() + " " + generation + " " + operands.code();
    }

    // A user who resumes the transfer may no longer have these nodes, nor know another scheduler.
    private JobOptions jobs() {
        return JobOptions.of("local");
    }

    private void announce(Session session, TransferDirectory transfer, int generation) throws PlanException {
        int batches = Plan.open(transfer.plan()).batchCount();
        if (session.json().isPresent()) {
            JsonLines json = session.json().get();
            synchronized (json) {
                json.begin("begun")
                        .text("id", transfer.id().text())
                        .number("generation", generation)
                        .number("ranks", ranks.ranks())
                        .number("batches", batches)
                        .end();
                json.flush();
            }
        } else {
            session.output().line(transfer.id().text());
            session.screen()
                    .note(Text.count(ranks.ranks(), "rank shares ", "ranks share ")
                            + Text.count(batches, "batch", "batches") + "; 'treehaul status " + transfer.id()
                            + "' shows their progress");
        }
        session.output().flush();
    }

    private TransferResult finish(Session session, TransferDirectory transfer, int generation) throws IOException {
        TransferResult result = Finishing.of(Linux.calls(), transfer, generation)
                .withThreads(common.threads)
                .finish(session, session.progress(), session.cancellation());
        session.end(session.problems().counts(), true);
        if (result.state() == TransferResult.State.STOPPED || result.state() == TransferResult.State.SUPERSEDED) {
            throw new RanksException(result.problem().isEmpty() ? "finishing was stopped" : result.problem());
        }
        return result;
    }

    private ExitCode finish(Session session, Transfers transfers, TransferDirectory transfer, int generation)
            throws IOException {
        finish(session, transfer, generation);
        return new ResultReport(transfer, common).print(transfers.status(transfer), generation);
    }
}
