// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.entries;

import java.io.IOException;
import java.util.List;

import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.copy.CopyJobs;
import org.treehaul.cli.copy.CopyRequests;
import org.treehaul.cli.copy.JobSubmission;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.core.walk.options.Root;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.batch.BatchTransfer;
import org.treehaul.schedulers.discovery.Schedulers;

/** The work of a command by jobs: plans it in this process, submits the jobs, and waits for them if requested. */
record EntryJobs(EntryInput input, EntryTask task) {

    ExitCode run() throws InterruptedException {
        try (Session session = Session.beginPlanning(input.common)) {
            CopyJobs.save(input.jobs, input.common);
            // A wrong name must be reported before anything about the paths.
            Schedulers.named(input.jobs.scheduler(), System.getenv());
            List<Root> roots = task.roots(session, session.progress());
            if (roots.isEmpty()) {
                ExitCode code = session.end(session.problems().counts(), true);
                return code == ExitCode.DONE ? code : ExitCode.TROUBLE;
            }
            ExitCode operands = ExitCode.of(session.problems().counts(), true, false);
            JobOptions jobs = input.jobs.jobOptions(input.ranks);
            BatchTransfer transfer = BatchTransfer.create(input.jobs.stateDirectory(), CopyRequests.jar(),
                    input.request(task, roots, jobs.workers()), jobs, input.title());
            ExitCode code = new JobSubmission(input.jobs, input.common).run(session, transfer);
            return code == ExitCode.DONE ? operands : code;
        } catch (SchedulerException | CopyRefusedException e) {
            input.common.screen().error(String.valueOf(e.getMessage()));
            return ExitCode.TROUBLE;
        } catch (IOException e) {
            input.common.screen().error(StateDirectory.reason(e));
            return ExitCode.TROUBLE;
        }
    }
}
