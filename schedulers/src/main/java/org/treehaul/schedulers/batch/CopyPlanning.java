// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Optional;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.copy.CopyArguments;
import org.treehaul.core.copy.CopyLayout;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileInput;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.Batching;
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
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.request.CopyRequest;
import org.treehaul.core.walk.options.PathList;
import org.treehaul.core.walk.options.SelectedPaths;
import org.treehaul.strategies.Strategies;

/**
 * Plans the request of a copy into its transfer: in the process of the user, in a job, or in the first of several
 * ranks. The process must run in the working directory of the request if that has relative paths.
 *
 * @param transfer the transfer
 * @param claim returns whether this process must still plan it
 * @param listener receives notices and entries that cannot be read
 * @param progress counts what is planned
 * @param cancellation interrupts planning
 */
@Internal
public record CopyPlanning(TransferDirectory transfer, PlanClaim claim, EventListener listener, Progress progress,
        Cancellation cancellation) {

    /**
     * Plans a copy for the first time.
     *
     * @return the summary of the plan; not complete if planning was interrupted
     * @throws CopyRefusedException if there is nothing to copy, its list of paths cannot be read, or it does not fit
     *         into the destination
     */
    public PlanSummary plan(CopyRequest request) throws PlanException, CopyRefusedException {
        return plan(request, request.arguments());
    }

    /**
     * Plans a copy that an earlier attempt may have planned, and partly copied, before. An existing destination is then
     * still the copy itself.
     */
    public PlanSummary planAgain(CopyRequest request) throws PlanException, CopyRefusedException {
        return plan(request, request.argumentsToReplan());
    }

    private PlanSummary plan(CopyRequest request, CopyArguments arguments) throws PlanException, CopyRefusedException {
        FileSystemCalls calls = Linux.calls();
        Optional<Path> ahead = request.plan();
        if (ahead.isPresent()) {
            PlanSummary summary = carry(calls, ahead.get());
            checkRoom(request.checksSpace());
            return summary;
        }
        Batching batching = Strategies.named(request.batching().strategy());
        Optional<CopyRequest.ListFile> list = CopyTransfers.list(request, transfer);
        CopyLayout layout = CopyLayout.of(calls,
                list.isPresent() ? arguments.withSelection(read(list.get())) : arguments, request.options(), progress);
        CopyOptions copy = layout.adapt(request.options());
        layout.report(listener);
        if (layout.pairs().isEmpty()) {
            throw new CopyRefusedException("there is nothing to copy");
        }
        PlanRequest planned = CopyPlans
                .request(transfer.id().text(), layout, copy, request.batching().chunkBytes(), batching,
                        request.batching().limits(), request.workers())
                .withIdentities(transfer.operation() instanceof Operation.Move)
                .withServers(request.batching().byServers());
        PlanSummary summary = Planner.of(calls, planned).plan(transfer.plan(), claim, listener, progress, cancellation);
        Neighbours.of(calls, transfer).forEach(notice -> listener.onEvent(new Event.Notice(notice)));
        if (summary.isComplete()) {
            // The batches of a streamed plan leave at once, so some are already in progress.
            checkRoom(request.checksSpace() && !batching.isStreaming());
        }
        return summary;
    }

    private PlanSummary carry(FileSystemCalls calls, Path ahead) throws PlanException {
        PlanAhead.carry(calls, ahead, transfer.plan(), transfer.id().text(), claim);
        Plan plan = Plan.open(transfer.plan());
        try (PlanRecords<PlannedFailure> failures = plan.failures()) {
            for (PlannedFailure failure = failures.next(); failure != null; failure = failures.next()) {
                listener.onEvent(new Event.Failed(failure.failure()));
            }
        }
        Neighbours.of(calls, transfer).forEach(notice -> listener.onEvent(new Event.Notice(notice)));
        return new PlanSummary(true, plan.batchCount(), plan.totals().orElseThrow());
    }

    private void checkRoom(boolean mayRefuse) throws PlanException, CopyRefusedException {
        RoomReport.check(Plan.open(transfer.plan()), mayRefuse, notice -> listener.onEvent(new Event.Notice(notice)));
    }

    private static SelectedPaths read(CopyRequest.ListFile list) throws CopyRefusedException {
        try (InputStream in = new BufferedInputStream(FileInput.open(Linux.calls(), list.path()), 64 * 1024)) {
            return list.isMarked()
                    ? PathList.readMarked(in, list.path().toString())
                    : PathList.read(in, list.isNulSeparated(), list.path().toString());
        } catch (IllegalArgumentException | IOException e) {
            throw new CopyRefusedException("--files-from " + list.path() + ": " + e.getMessage());
        }
    }
}
