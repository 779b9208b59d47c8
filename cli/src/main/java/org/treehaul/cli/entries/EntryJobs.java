// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.entries;

import java.util.List;

import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.copy.CopyRequests;
import org.treehaul.cli.copy.JobSubmission;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.core.walk.options.Root;
import org.treehaul.schedulers.batch.BatchTransfer;

/** The work of a command by jobs: plans it in this process, submits the jobs, and waits for them if requested. */
record EntryJobs(EntryInput input, EntryTask task) {

    ExitCode run() throws InterruptedException {
        JobSubmission submission = new JobSubmission(input.jobs, input.common);
        return submission.begin(session -> {
            List<Root> roots = task.roots(session, session.progress());
            if (roots.isEmpty()) {
                ExitCode code = session.end(session.problems().counts(), true);
                return code == ExitCode.DONE ? code : ExitCode.TROUBLE;
            }
            JobOptions jobs = task.jobs(input.jobs.jobOptions(input.ranks));
            BatchTransfer transfer = BatchTransfer.create(input.jobs.stateDirectory(), CopyRequests.jar(),
                    input.request(task, roots, jobs.workers()), jobs, input.title());
            ExitCode ended = submission.runFound(session, transfer);
            if (input.jobs.isToWait() && ended != ExitCode.INTERRUPTED && transfer.exists()) {
                task.ended(transfer.directory(), session);
            }
            return ended;
        }, ExitCode.TROUBLE);
    }
}
