// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.remove;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.copy.BatchOptions;
import org.treehaul.cli.copy.CopyRequests;
import org.treehaul.cli.copy.TransferOptions;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.transfer.TransferCommand;
import org.treehaul.cli.transfer.TransferWait;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.PlanSummary;
import org.treehaul.core.plan.Planner;
import org.treehaul.core.remove.RemoveOptions;
import org.treehaul.core.remove.TreeRemover;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.batch.RemovalPlans;
import org.treehaul.core.transfer.directory.Timing;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.core.transfer.request.TransferRequest;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.schedulers.Launch;
import org.treehaul.schedulers.Scheduler;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.TransferJobs;
import org.treehaul.schedulers.batch.JobOrders;

/**
 * A removal by jobs: plans it in this process, submits the jobs, and waits for them if requested.
 *
 * @param title the command of the user, for display
 */
record RmJobs(CommonOptions common, TransferOptions options, BatchOptions batches, String title) {

    ExitCode run(List<ByteString> paths, RemoveOptions remove) throws InterruptedException {
        try {
            Scheduler scheduler = Scheduler.named(options.scheduler(), System.getenv());
            Transfers transfers = Transfers.in(options.stateDirectory());
            Path jar = CopyRequests.keepJar(options);
            try (Session session = Session.begin(common, false)) {
                return run(session, transfers, scheduler, jar, paths, remove);
            }
        } catch (SchedulerException | IOException e) {
            common.screen().error(String.valueOf(e.getMessage()));
            return ExitCode.TROUBLE;
        }
    }

    private ExitCode run(Session session, Transfers transfers, Scheduler scheduler, Path jar, List<ByteString> paths,
            RemoveOptions remove) throws IOException, SchedulerException, InterruptedException {
        FileSystemCalls calls = Linux.calls();
        List<Root> roots = TreeRemover.of(calls, remove).roots(paths, session, session.progress());
        if (roots.isEmpty()) {
            ExitCode code = session.end(session.problems().counts(), true);
            return code == ExitCode.DONE ? code : ExitCode.TROUBLE;
        }
        JobOptions wanted = options.jobOptions();
        TransferDirectory transfer = transfers.create(new Operation.Remove(), title, Timing.defaults());
        TransferJobs jobs = TransferCommand.jobs(transfer);
        PlanSummary plan;
        boolean isPlanned = false;
        try {
            Launch.writeCaller(transfer.path(), CopyRequests.workingDirectory(), ProcessStatus.read().umask());
            jobs.check(scheduler, JobOrders.of(wanted, transfer, jar, wanted.workers(), false));
            WalkOptions walk = WalkOptions.defaults()
                    .withThreads(common.threads)
                    .withOneFileSystem(remove.oneFileSystem());
            plan = Planner
                    .of(calls,
                            RemovalPlans.request(calls, transfer.id().text(), roots, walk, batches.batching(),
                                    batches.limits(wanted.workers()), wanted.workers()))
                    .plan(transfer.plan(), transfer.generations()::isMakers, session, session.progress(),
                            session.cancellation());
            isPlanned = plan.isComplete();
        } finally {
            if (!isPlanned && transfer.generations().isNewest(0)) {
                transfers.forget(transfer);
            }
        }
        if (!isPlanned) {
            session.screen().note("interrupted while planning; nothing was submitted, and nothing is removed");
            return ExitCode.INTERRUPTED;
        }
        TransferRequest.of(wanted).write(transfer);
        int generation;
        try {
            generation = jobs.start(scheduler,
                    JobOrders.of(wanted, transfer, jar, Math.clamp(plan.batches(), 1, wanted.workers()), false));
        } catch (SchedulerException e) {
            session.screen().note("the plan is kept: 'treehaul resume " + transfer.id() + "' submits it again");
            throw e;
        }
        ExitCode planned = session.end(session.problems().counts(), true);
        report(session, transfer, scheduler);
        return options.isToWait()
                ? new TransferWait(transfers, transfer, jobs, common).await(generation, session.cancellation())
                : planned;
    }

    private void report(Session session, TransferDirectory transfer, Scheduler scheduler) throws IOException {
        List<String> ids = transfer.submittedJobs().stream().flatMap(known -> known.ids().stream()).toList();
        if (session.json().isPresent()) {
            JsonLines json = session.json().get();
            synchronized (json) {
                json.begin("submitted")
                        .text("id", transfer.id().text())
                        .text("scheduler", scheduler.name())
                        .list("jobs");
                ids.forEach(json::textElement);
                json.endList().end();
                json.flush();
            }
        } else {
            session.output().line(transfer.id().text());
            session.screen()
                    .note(scheduler.name() + " jobs " + String.join(", ", ids) + "; 'treehaul status " + transfer.id()
                            + "' shows their progress");
        }
        session.output().flush();
    }
}
