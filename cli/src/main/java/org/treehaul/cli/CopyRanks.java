// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.treehaul.cli.report.JsonLines;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.Plan;
import org.treehaul.core.plan.PlanException;
import org.treehaul.core.plan.PlanSummary;
import org.treehaul.core.transfer.Finishing;
import org.treehaul.core.transfer.Generations;
import org.treehaul.core.transfer.TransferDirectory;
import org.treehaul.core.transfer.TransferId;
import org.treehaul.core.transfer.TransferResult;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.strategies.ranks.Announcement;
import org.treehaul.strategies.ranks.Communicator;
import org.treehaul.strategies.ranks.RanksException;

/**
 * A copy by ranks that the user starts, of which this process is one. Rank 0 makes the transfer, plans it and tells its
 * id to the others; all share the batches; rank 0 finishes, and all exit with its code.
 */
final class CopyRanks {

    private final CpCommand cp;

    CopyRanks(CpCommand cp) {
        this.cp = cp;
    }

    /** Does the part of this rank and returns the code to exit with. */
    int run() {
        // How far all of them are the first one tells.
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
            Announcement.Heard heard = Announcement.fromFirst(communicator, isFirst ? begin(session, transfers) : "",
                    session.cancellation());
            String[] begun = heard.said().split(" ", 2);
            TransferDirectory transfer = transfers.open(new TransferId(begun[0]));
            int generation = Integer.parseInt(begun[1]);
            RankWork work = new RankWork(transfer, generation, cp.ranks);
            if (!isFirst) {
                work.tellTroubles(true);
            }
            work.run(session, cp.common, heard.communicator());
            String ended = "";
            if (isFirst) {
                int first = finish(session, transfers, transfer, generation);
                cp.ranks.settle(first);
                ended = Integer.toString(first);
            }
            String code = Announcement.fromFirst(communicator, ended, session.cancellation()).said();
            session.close();
            return Integer.parseInt(code);
        } catch (IOException e) {
            throw new RanksException(String.valueOf(e.getMessage()), e);
        }
    }

    private String begin(Session session, Transfers transfers) throws IOException {
        TransferDirectory transfer = CopyPlanning.create(cp, transfers, said());
        Generations generations = transfer.generations();
        boolean isPlanned = false;
        try {
            PlanSummary summary = CopyPlanning.plan(cp, transfer, generations::isMakers, session);
            isPlanned = summary.isComplete();
            generations.requireNewest(0);
            if (!isPlanned) {
                throw new RanksException("interrupted while planning; nothing was begun");
            }
        } catch (CopyRefusedException e) {
            throw new RanksException(String.valueOf(e.getMessage()), e);
        } finally {
            // Unless another command goes on with it.
            if (!isPlanned && generations.isNewest(0)) {
                transfers.forget(transfer);
            }
        }
        int generation = transfers.start(transfer);
        // From now on: the others may go before they have heard of it.
        new RankWork(transfer, generation, cp.ranks).tellTroubles(true);
        tell(session, transfer, generation);
        return transfer.id() + " " + generation;
    }

    // Whoever resumes it may not have these nodes any more, nor know another scheduler.
    private Map<String, List<String>> said() {
        Map<String, List<String>> said = new TreeMap<>(cp.transfer.said());
        said.putIfAbsent("scheduler", List.of("local"));
        return said;
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
                            + "' tells how far they are");
        }
        session.output().flush();
    }

    private int finish(Session session, Transfers transfers, TransferDirectory transfer, int generation)
            throws IOException {
        TransferResult result = Finishing.of(Linux.calls(), transfer, generation)
                .withThreads(cp.common.threads)
                .finish(session, session.progress(), session.cancellation());
        session.end(session.problems().counts(), true);
        if (result.state() == TransferResult.State.STOPPED || result.state() == TransferResult.State.SUPERSEDED) {
            throw new RanksException(result.problem().isEmpty() ? "finishing was stopped" : result.problem());
        }
        return new TransferWait(transfers, transfer, TransferCommand.jobs(transfer), cp.common)
                .end(transfers.status(transfer), generation)
                .code();
    }
}
