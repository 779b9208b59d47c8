// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.move;

import java.io.IOException;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.copy.CopyRequests;
import org.treehaul.cli.copy.JobSubmission;
import org.treehaul.cli.copy.TransferRanks;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.move.MoveResult;
import org.treehaul.core.move.TreeMover;
import org.treehaul.core.plan.PlanSummary;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.request.CopyRequest;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.batch.BatchTransfer;
import org.treehaul.schedulers.batch.CopyTransfers;

/**
 * A move by jobs, or by ranks in separate processes. This process renames what is on the file system of its target; a
 * transfer moves the rest.
 */
final class MoveTransfer implements TransferRanks.Work {

    private final MvInput input;
    private @Nullable TreeMover mover;
    private TreeMover.@Nullable Renamed renamed;

    MoveTransfer(MvInput input) {
        this.input = input;
    }

    /** Renames, submits the jobs for the rest, and returns the exit code. */
    ExitCode runByJobs() throws InterruptedException {
        return new JobSubmission(input.jobs, input.common).begin(session -> {
            Optional<CopyRequest> request = rename(session);
            return request.isPresent() ? submit(session, request.get()) : endWithoutTransfer(session);
        }, ExitCode.TROUBLE);
    }

    private ExitCode submit(Session session, CopyRequest request)
            throws IOException, SchedulerException, CopyRefusedException, InterruptedException {
        boolean isSubmitted = false;
        try {
            BatchTransfer transfer = BatchTransfer.createMove(input.jobs.stateDirectory(), CopyRequests.jar(), request,
                    input.jobs.jobOptions(input.ranks), input.title());
            ExitCode code = new JobSubmission(input.jobs, input.common).runFound(session, transfer);
            isSubmitted = transfer.exists();
            return code;
        } finally {
            if (!isSubmitted) {
                withdraw();
            }
        }
    }

    private void withdraw() {
        if (mover != null && renamed != null) {
            mover.withdraw(renamed);
        }
    }

    // Returns the request to move what could not be renamed; empty if nothing is left.
    private Optional<CopyRequest> rename(Session session) throws IOException, CopyRefusedException {
        MoveLayout layout = MoveLayout.of(Linux.calls(), input, input.options(), session, session);
        mover = layout.mover();
        renamed = mover.rename(layout.pairs(), session, session.progress(), session.cancellation());
        if (!renamed.isWhole()) {
            withdraw();
        }
        return renamed.others().isEmpty() || !renamed.isWhole()
                ? Optional.empty()
                : Optional.of(input.request(renamed.others(), renamed.copying()));
    }

    @Override
    public ExitCode endWithoutTransfer(Session session) {
        long number = renamed == null ? 0 : renamed.renamed();
        boolean isWhole = renamed == null || renamed.isWhole();
        if (number == 0 && isWhole && !session.problems().counts().isEmpty()) {
            session.end(session.problems().counts(), true);
            return ExitCode.TROUBLE;
        }
        return DirectMove.end(input, session, new MoveResult(session.progress().snapshot(), number, 0, isWhole));
    }

    @Override
    public Optional<TransferDirectory> create(Session session, Transfers transfers, JobOptions jobs)
            throws IOException, CopyRefusedException {
        Optional<CopyRequest> request = rename(session);
        return request.isEmpty()
                ? Optional.empty()
                : Optional.of(CopyTransfers.createMove(transfers, request.get(), jobs, input.title()));
    }

    @Override
    public PlanSummary plan(TransferDirectory transfer, Session session) throws IOException, CopyRefusedException {
        boolean isPlanned = false;
        try {
            PlanSummary summary = TransferRanks.planCopy(transfer, session);
            isPlanned = summary.isComplete();
            return summary;
        } finally {
            // A transfer that another command has resumed still needs the marks.
            if (!isPlanned && transfer.generations().isNewest(0)) {
                withdraw();
            }
        }
    }
}
