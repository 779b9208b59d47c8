// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

import org.treehaul.cli.common.ExitCode;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.transfer.request.CopyRequest;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.batch.BatchTransfer;

/** A copy by jobs: plans it, submits the jobs, and waits for them if requested. */
final class CopyJobs {

    private final CpInput input;
    private final TransferOptions options;

    CopyJobs(CpInput input) {
        this.input = input;
        this.options = input.transfer;
    }

    /** Runs all steps and returns the exit code. */
    ExitCode run() throws InterruptedException {
        JobSubmission submission = new JobSubmission(options, input.common);
        return submission.begin(session -> {
            if (input.planAhead().isPresent()) {
                options.suggestJobs(Plan.open(input.planAhead().get()).header().jobs());
            }
            // The mount of the destination may hang on the first access. With --plan there are no operands.
            session.progress()
                    .setBusy(() -> input.operands.stream()
                            .skip(Math.max(0, input.operands.size() - 1L))
                            .map(ByteString::toString)
                            .toList());
            return submission.run(session, create());
        }, ExitCode.TROUBLE);
    }

    private BatchTransfer create() throws IOException, SchedulerException {
        CopyRequest copy = CopyRequests.of(input);
        JobOptions jobs = options.jobOptions(input.ranks);
        Optional<InputStream> list = CopyRequests.list(input);
        return list.isPresent()
                ? BatchTransfer.create(options.stateDirectory(), CopyRequests.jar(), copy, jobs,
                        CopyRequests.title(input), list.get())
                : BatchTransfer.create(options.stateDirectory(), CopyRequests.jar(), copy, jobs,
                        CopyRequests.title(input));
    }
}
