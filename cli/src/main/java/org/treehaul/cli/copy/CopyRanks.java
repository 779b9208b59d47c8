// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.io.IOException;
import java.util.Optional;

import org.treehaul.cli.common.Session;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.plan.PlanSummary;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.request.JobOptions;

/** The transfer of a copy by ranks that the user starts. Only rank 0 creates and plans it. */
record CopyRanks(CpInput input) implements TransferRanks.Work {

    @Override
    public Optional<TransferDirectory> create(Session session, Transfers transfers, JobOptions jobs)
            throws IOException {
        return Optional.of(CopyRequests.create(input, transfers, jobs));
    }

    @Override
    public PlanSummary plan(TransferDirectory transfer, Session session) throws IOException, CopyRefusedException {
        return TransferRanks.planCopy(transfer, session);
    }
}
