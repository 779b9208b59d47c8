// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.sync;

import java.io.IOException;
import java.util.Optional;

import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.copy.CopyRequests;
import org.treehaul.cli.copy.JobSubmission;
import org.treehaul.cli.report.Text;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.sync.SyncOptions;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.batch.BatchTransfer;
import org.treehaul.schedulers.batch.SyncSurvey;

/**
 * A sync by jobs: compares in this process, submits jobs that copy what differs, and waits for them if requested.
 * Without anything for jobs, this process does the rest.
 */
record SyncJobs(SyncInput input, SyncOptions options) {

    /** Runs all steps and returns the exit code. */
    ExitCode run() throws InterruptedException {
        Optional<ExitCode> code = submission().begin(this::submit, Optional.of(ExitCode.TROUBLE));
        return code.isPresent() ? code.get() : new DirectSync(input, options).run();
    }

    private JobSubmission submission() {
        return new JobSubmission(input.transfer, input.common);
    }

    private Optional<ExitCode> submit(Session session)
            throws IOException, SchedulerException, CopyRefusedException, InterruptedException {
        JobOptions jobs = input.transfer.jobOptions(input.ranks);
        try (SyncSurvey survey = SyncSurvey.of(input.request(options, jobs.workers()), input.transfer.stateDirectory(),
                session, session.progress(), session.cancellation())) {
            if (survey.renamed() > 0) {
                session.screen().note("renamed " + Text.count(survey.renamed(), "entry", "entries"));
            }
            if (!survey.isComplete()) {
                boolean isInterrupted = session.cancellation().isCancelled();
                session.screen()
                        .note((isInterrupted ? "interrupted" : "the destination fails") + "; nothing was submitted");
                return Optional.of(isInterrupted ? ExitCode.INTERRUPTED : ExitCode.PARTIAL);
            }
            if (!survey.isOfDirectory() || survey.toCopy() == 0) {
                return Optional.empty();
            }
            session.screen()
                    .note("compared " + Text.count(survey.compared(), "entry", "entries") + "; jobs copy "
                            + Text.count(survey.toCopy(), "entry", "entries"));
            BatchTransfer transfer = BatchTransfer.create(input.transfer.stateDirectory(), CopyRequests.jar(), survey,
                    jobs, input.title());
            return Optional.of(submission().run(session, transfer));
        }
    }
}
