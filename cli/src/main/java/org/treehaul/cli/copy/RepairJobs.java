// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.io.IOException;
import java.util.List;

import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.batch.BatchTransfer;

/**
 * Copies again, by jobs, the entries that a verification found to differ.
 *
 * @param jobs the jobs that carry the copies out
 */
record RepairJobs(TransferOptions options, JobOptions jobs, CommonOptions common) {

    /** Plans and submits the copies, waits for them if requested, and returns the exit code. */
    ExitCode run(TransferDirectory verification) throws IOException, SchedulerException, InterruptedException {
        List<BatchTransfer> repairs = BatchTransfer.createRepairs(options.stateDirectory(), CopyRequests.jar(),
                verification.id(), jobs);
        if (repairs.isEmpty()) {
            common.screen().note("nothing to repair: " + verification.id() + " found no difference to copy");
            return ExitCode.DONE;
        }
        ExitCode worst = ExitCode.DONE;
        for (BatchTransfer repair : repairs) {
            ExitCode code = run(repair);
            worst = code.code() > worst.code() ? code : worst;
        }
        common.screen()
                .note((options.isToWait() ? "" : "when the copy is complete, ") + "'treehaul resume "
                        + verification.id() + "' compares again what differed");
        return worst;
    }

    private ExitCode run(BatchTransfer repair) throws IOException, SchedulerException, InterruptedException {
        try (Session session = Session.begin(common, false)) {
            return new JobSubmission(options, common).run(session, repair);
        } catch (CopyRefusedException e) {
            common.screen().error(String.valueOf(e.getMessage()));
            return ExitCode.TROUBLE;
        }
    }
}
