// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.treehaul.cli.args.FreeText;
import org.treehaul.cli.common.Session;
import org.treehaul.core.copy.CopyLayout;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.event.Event;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.PlanAhead;
import org.treehaul.core.plan.PlanClaim;
import org.treehaul.core.plan.PlanRequest;
import org.treehaul.core.plan.PlanSummary;
import org.treehaul.core.plan.Planner;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.plan.format.PlannedFailure;
import org.treehaul.core.transfer.CopyPlans;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.Timing;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.operation.Operation;

/** Creates and plans the transfer of a copy: in the command itself, in a job, or in the first of several ranks. */
final class CopyPlanning {

    private CopyPlanning() {}

    /**
     * Creates a transfer that records the request, so that it can be planned and resumed.
     *
     * @param said the options for jobs
     */
    static TransferDirectory create(CpCommand cp, Transfers transfers, Map<String, List<String>> said)
            throws IOException {
        TransferDirectory transfer = transfers.create(new Operation.Copy(),
                "cp " + PlanArguments.display(FreeText.unshield(cp.line())), Timing.defaults());
        PlanArguments.write(transfer, cp.line());
        PlanArguments.keepPlace(transfer, cp);
        JobOrders.remember(transfer, said);
        if (cp.select.listsByStandardInput()) {
            cp.select.filesFrom = PlanArguments.keepList(transfer, System.in);
        }
        return transfer;
    }

    /**
     * Plans a copy into its transfer.
     *
     * @param claim tells whether this process must still plan it
     * @return the summary of the plan; not complete if planning was interrupted
     */
    static PlanSummary plan(CpCommand cp, TransferDirectory transfer, PlanClaim claim, Session session)
            throws PlanException, CopyRefusedException {
        FileSystemCalls calls = Linux.calls();
        Optional<Path> ahead = cp.planAhead();
        if (ahead.isPresent()) {
            PlanSummary summary = carry(calls, ahead.get(), transfer, claim, session);
            check(cp, transfer, session);
            return summary;
        }
        CopyOptions asked = cp.options();
        CopyLayout layout = CopyLayout.of(calls, cp.cp.arguments(cp.operands, cp.select), asked);
        CopyOptions copy = layout.adapt(asked);
        layout.notices().forEach(notice -> session.onEvent(new Event.Notice(notice)));
        layout.failures().forEach(failure -> session.onEvent(new Event.Failed(failure)));
        if (layout.pairs().isEmpty()) {
            throw new CopyRefusedException("there is nothing to copy");
        }
        int jobs = cp.workers();
        PlanRequest request = CopyPlans.request(transfer.id().text(), layout, copy, cp.cp.batchChunkBytes(),
                cp.batches.batching(), cp.batches.limits(jobs), jobs);
        PlanSummary summary = Planner.of(calls, request)
                .plan(transfer.plan(), claim, session, session.progress(), session.cancellation());
        Neighbours.of(calls, transfer).forEach(notice -> session.onEvent(new Event.Notice(notice)));
        if (summary.isComplete()) {
            check(cp, transfer, session);
        }
        return summary;
    }

    private static PlanSummary carry(FileSystemCalls calls, Path ahead, TransferDirectory transfer, PlanClaim claim,
            Session session) throws PlanException {
        PlanAhead.carry(calls, ahead, transfer.plan(), transfer.id().text(), claim);
        Plan plan = Plan.open(transfer.plan());
        try (PlanRecords<PlannedFailure> failures = plan.failures()) {
            for (PlannedFailure failure = failures.next(); failure != null; failure = failures.next()) {
                session.onEvent(new Event.Failed(failure.failure()));
            }
        }
        Neighbours.of(calls, transfer).forEach(notice -> session.onEvent(new Event.Notice(notice)));
        return new PlanSummary(true, plan.batchCount(), plan.totals().orElseThrow());
    }

    // The batches of a streamed plan leave at once, so some are already in progress.
    private static void check(CpCommand cp, TransferDirectory transfer, Session session)
            throws PlanException, CopyRefusedException {
        Plan plan = Plan.open(transfer.plan());
        boolean isBegun = cp.planAhead().isEmpty() && cp.batches.batching().isStreaming();
        RoomReport.check(plan, cp.batches.checksSpace() && !isBegun,
                notice -> session.onEvent(new Event.Notice(notice)));
    }
}
