// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.entries;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

import org.treehaul.cli.common.Session;
import org.treehaul.cli.copy.TransferRanks;
import org.treehaul.core.plan.PlanSummary;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.core.walk.options.Root;
import org.treehaul.schedulers.batch.OperationRequest;
import org.treehaul.schedulers.batch.OperationTransfers;

/** The transfer of a command by ranks that the user starts. Only rank 0 creates and plans it. */
final class EntryRanks implements TransferRanks.Work {

    private final EntryInput input;
    private final EntryTask task;
    private List<Root> roots = List.of();

    EntryRanks(EntryInput input, EntryTask task) {
        this.input = input;
        this.task = task;
    }

    @Override
    public Optional<TransferDirectory> create(Session session, Transfers transfers, JobOptions jobs)
            throws IOException {
        roots = task.roots(session, session.progress());
        return roots.isEmpty()
                ? Optional.empty()
                : Optional.of(OperationTransfers.create(transfers, request(), jobs, input.title()));
    }

    @Override
    public PlanSummary plan(TransferDirectory transfer, Session session) throws IOException {
        return OperationTransfers.plan(transfer, request(), input.ranks.ranks(), session, session.progress(),
                session.cancellation());
    }

    private OperationRequest request() throws IOException {
        return input.request(task, roots, input.ranks.ranks());
    }
}
