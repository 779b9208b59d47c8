// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.io.IOException;

import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.transfer.RankWork;
import org.treehaul.cli.transfer.ResultReport;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.PlanSummary;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.Generations;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.finish.Finishing;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.schedulers.batch.CopyPlanning;
import org.treehaul.strategies.ranks.communicator.Broadcast;
import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.RanksException;

/**
 * A copy by ranks that the user starts; this process is one of them. Rank 0 creates the transfer, plans it and sends
 * its id to the others. All ranks share the batches. Rank 0 finishes the transfer, and all ranks exit with its code.
 */
final class CopyRanks {

    private final CpCommand cp;

    CopyRanks(CpCommand cp) {
        this.cp = cp;
    }

    /** Does the part of this rank and returns the exit code. */
    int run() {
        // Only the first rank shows progress, for all of them.
        if (cp.ranks.rank() > 0 && cp.common.progress == CommonOptions.When.auto) {
            cp.common.progress = CommonOptions.When.never;
        }
        try (Session session = Session.begin(cp.common, false)) {
            return cp.ranks.run(session, communicator -> asRank(session, communicator));
        }
    }

    private int asRank(Session session, Communicator communicator) {
        boolean isFirst = communicator.rank() == 0;
        try {
            Transfers transfers = Transfers.in(cp.transfer.stateDirectory());
            Broadcast.Delivered delivered = Broadcast.fromFirst(communicator, isFirst ? begin(session, transfers) : "",
                    session.cancellation());
            String[] begun = delivered.text().split(" ", 2);
            TransferDirectory transfer = transfers.open(new TransferId(begun[0]));
            int generation = Integer.parseInt(begun[1]);
            RankWork work = new RankWork(transfer, generation, cp.ranks);
            if (!isFirst) {
                work.reportErrors(true);
            }
            work.run(session, cp.common, delivered.communicator());
            // All batches are done, so losing a rank undoes nothing.
            cp.ranks.needNoOthers();
            int code;
            if (isFirst) {
                code = finish(session, transfers, transfer, generation);
                cp.ranks.settle(code);
                Broadcast.fromFirst(communicator, Integer.toString(code), session.cancellation());
            } else {
                code = codeOfFirst(session, communicator, transfer, generation);
            }
            session.close();
            return code;
        } catch (IOException e) {
            throw new RanksException(String.valueOf(e.getMessage()), e);
        }
    }

    // If the group breaks before rank 0 has announced the code, the state directory provides it: finishing waits for the
    // rank that finishes, and continues in its place if that one is lost.
    private int codeOfFirst(Session session, Communicator communicator, TransferDirectory transfer, int generation)
            throws IOException {
        try {
            return Integer.parseInt(Broadcast.fromFirst(communicator, "", session.cancellation()).text());
        } catch (RanksException e) {
            TransferResult result = finish(session, transfer, generation);
            boolean isTried = result.state() != TransferResult.State.INCOMPLETE;
            return ExitCode.of(result.failures(), isTried, false).code();
        }
    }

    private String begin(Session session, Transfers transfers) throws IOException {
        TransferDirectory transfer = CopyRequests.create(cp, transfers, jobs());
        Generations generations = transfer.generations();
        boolean isPlanned = false;
        try {
            PlanSummary summary = new CopyPlanning(transfer, generations::isMakers, session, session.progress(),
                    session.cancellation()).plan(CopyRequests.read(transfer));
            isPlanned = summary.isComplete();
            generations.requireNewest(0);
            if (!isPlanned) {
                throw new RanksException("interrupted while planning; no copy was started");
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
        new RankWork(transfer, generation, cp.ranks).reportErrors(true);
        tell(session, transfer, generation);
        return transfer.id() + " " + generation;
    }

    // A user who resumes the transfer may no longer have these nodes, nor know another scheduler.
    private JobOptions jobs() {
        return JobOptions.of("local");
    }

    private void tell(Session session, TransferDirectory transfer, int generation) throws PlanException {
        int batches = Plan.open(transfer.plan()).batchCount();
        if (session.json().isPresent()) {
            JsonLines json = session.json().get();
            synchronized (json) {
                json.begin("begun")
                        .text("id", transfer.id().text())
                        .number("generation", generation)
                        .number("ranks", cp.ranks.ranks())
                        .number("batches", batches)
                        .end();
                json.flush();
            }
        } else {
            session.output().line(transfer.id().text());
            session.screen()
                    .note(cp.ranks.ranks() + " ranks share " + batches + " batches; 'treehaul status " + transfer.id()
                            + "' shows their progress");
        }
        session.output().flush();
    }

    private TransferResult finish(Session session, TransferDirectory transfer, int generation) throws IOException {
        TransferResult result = Finishing.of(Linux.calls(), transfer, generation)
                .withThreads(cp.common.threads)
                .finish(session, session.progress(), session.cancellation());
        session.end(session.problems().counts(), true);
        if (result.state() == TransferResult.State.STOPPED || result.state() == TransferResult.State.SUPERSEDED) {
            throw new RanksException(result.problem().isEmpty() ? "finishing was stopped" : result.problem());
        }
        return result;
    }

    private int finish(Session session, Transfers transfers, TransferDirectory transfer, int generation)
            throws IOException {
        finish(session, transfer, generation);
        return new ResultReport(transfer, cp.common).print(transfers.status(transfer), generation).code();
    }
}
