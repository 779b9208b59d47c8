// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import java.io.IOException;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.PlanRequest;
import org.treehaul.core.plan.PlanSummary;
import org.treehaul.core.plan.Planner;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.batch.RemovalPlans;
import org.treehaul.core.transfer.directory.Timing;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.core.transfer.request.TransferRequest;
import org.treehaul.schedulers.Launch;

/** Creates and plans transfers that remove trees, for jobs and for ranks. */
@Internal
public final class RemovalTransfers {

    private RemovalTransfers() {}

    /**
     * Creates a transfer that is not planned yet.
     *
     * @param jobs the jobs that carry it out, or continue it
     * @param title the text by which lists of transfers show it
     */
    public static TransferDirectory create(Transfers transfers, RemoveRequest removal, JobOptions jobs, String title)
            throws IOException {
        TransferDirectory transfer = transfers.create(new Operation.Remove(), title, Timing.defaults());
        Launch.writeCaller(transfer.path(), removal.directory(), removal.umask());
        TransferRequest.of(jobs).write(transfer);
        return transfer;
    }

    /**
     * Plans a transfer to its end; nothing is removed.
     *
     * @param workers the number of jobs or ranks that will share the work
     * @param listener receives entries that cannot be read
     * @param progress counts what is planned
     * @return the summary of the plan; not complete if planning was interrupted
     */
    public static PlanSummary plan(TransferDirectory transfer, RemoveRequest removal, int workers,
            EventListener listener, Progress progress, Cancellation cancellation) throws IOException {
        FileSystemCalls calls = Linux.calls();
        PlanRequest planned = RemovalPlans.request(calls, transfer.id().text(), removal.roots(), removal.walk(),
                removal.batching(), removal.limits(), workers);
        return Planner.of(calls, planned)
                .plan(transfer.plan(), transfer.generations()::isMakers, listener, progress, cancellation);
    }
}
