// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.remove;

import java.io.IOException;
import java.util.List;

import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.RankOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.copy.BatchOptions;
import org.treehaul.cli.copy.CopyRequests;
import org.treehaul.cli.copy.JobSubmission;
import org.treehaul.cli.copy.TransferOptions;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.remove.RemoveOptions;
import org.treehaul.core.remove.TreeRemover;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.batch.BatchTransfer;
import org.treehaul.schedulers.batch.OperationRequest;
import org.treehaul.schedulers.discovery.Schedulers;

/**
 * A removal by jobs: plans it in this process, submits the jobs, and waits for them if requested.
 *
 * @param title the command of the user, for display
 */
record RmJobs(CommonOptions common, TransferOptions options, BatchOptions batches, RankOptions ranks, String title) {

    ExitCode run(List<ByteString> paths, RemoveOptions remove) throws InterruptedException {
        try (Session session = Session.begin(common, false)) {
            // A wrong name must be reported before anything about the paths.
            Schedulers.named(options.scheduler(), System.getenv());
            List<Root> roots = TreeRemover.of(Linux.calls(), remove).roots(paths, session, session.progress());
            if (roots.isEmpty()) {
                ExitCode code = session.end(session.problems().counts(), true);
                return code == ExitCode.DONE ? code : ExitCode.TROUBLE;
            }
            ExitCode operands = ExitCode.of(session.problems().counts(), true, false);
            JobOptions jobs = options.jobOptions(ranks);
            BatchTransfer transfer = BatchTransfer.create(options.stateDirectory(), CopyRequests.jar(),
                    request(roots, remove, jobs.workers()), jobs, title);
            ExitCode code = new JobSubmission(options, common).run(session, transfer);
            return code == ExitCode.DONE ? operands : code;
        } catch (SchedulerException | CopyRefusedException | IOException e) {
            common.screen().error(String.valueOf(e.getMessage()));
            return ExitCode.TROUBLE;
        }
    }

    /** Returns the request of a removal that a number of jobs or ranks share. */
    OperationRequest request(List<Root> roots, RemoveOptions remove, int workers) throws IOException {
        WalkOptions walk = WalkOptions.defaults().withThreads(common.threads).withOneFileSystem(remove.oneFileSystem());
        return new OperationRequest(new Operation.Remove(), List.of(), roots, walk, batches.batching(),
                batches.limits(workers), CopyRequests.workingDirectory(), ProcessStatus.read().umask());
    }
}
