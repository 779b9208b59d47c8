// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.sync;

import java.io.IOException;
import java.util.Optional;

import org.treehaul.cli.common.Session;
import org.treehaul.cli.copy.TransferRanks;
import org.treehaul.cli.report.Text;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.plan.PlanSummary;
import org.treehaul.core.sync.SyncOptions;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.schedulers.batch.SyncSurvey;
import org.treehaul.strategies.ranks.communicator.RanksException;

/** The transfer of a sync by ranks that the user starts. Only rank 0 compares, creates the transfer and plans it. */
record SyncRanks(SyncInput input, SyncOptions options) implements TransferRanks.Work {

    @Override
    public Optional<TransferDirectory> create(Session session, Transfers transfers, JobOptions jobs)
            throws IOException {
        try (SyncSurvey survey = SyncSurvey.of(input.request(options, input.ranks.ranks()), transfers.stateDirectory(),
                session, session.progress(), session.cancellation())) {
            if (survey.renamed() > 0) {
                session.screen().note("renamed " + Text.count(survey.renamed(), "entry", "entries"));
            }
            if (!survey.isComplete()) {
                throw new RanksException(
                        (session.cancellation().isCancelled() ? "interrupted" : "the destination fails")
                                + "; nothing was started");
            }
            if (!survey.isOfDirectory()) {
                throw new RanksException("the source '" + input.source() + "' is not a directory; leave out --ranks");
            }
            return Optional.of(survey.create(transfers, jobs, input.title()));
        } catch (CopyRefusedException e) {
            throw new RanksException(String.valueOf(e.getMessage()), e);
        }
    }

    @Override
    public PlanSummary plan(TransferDirectory transfer, Session session) throws IOException, CopyRefusedException {
        return TransferRanks.planCopy(transfer, session);
    }
}
