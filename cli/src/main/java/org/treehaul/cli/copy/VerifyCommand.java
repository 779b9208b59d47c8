// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Output;
import org.treehaul.cli.transfer.TransferCommand;
import org.treehaul.cli.transfer.TransferWait;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.Timing;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.core.transfer.request.TransferRequest;
import org.treehaul.schedulers.Scheduler;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.TransferJobs;
import org.treehaul.schedulers.batch.JobOrders;

/** {@code treehaul verify}: compares the files that a transfer copied with their sources again, as jobs. */
public final class VerifyCommand extends TransferCommand {

    // This option belongs to the copy, which is finished.
    private static final String OF_THE_COPY = "on-complete";

    private final TransferOptions options = new TransferOptions(spec);

    /** Defines the command for Picocli. */
    public VerifyCommand() {
        super("verify", "Compare the copy of a transfer with its source, by jobs.");
        spec.usageMessage()
                .description(
                        "%nReads both sides of a finished transfer again, in the same batches, and reports each entry that "
                                + "differs in data or preserved attributes. The verification is a transfer of its own: status, errors, "
                                + "resume and cancel take its id. It writes to neither side. Its jobs are like those of the copy unless "
                                + "options say otherwise.%n")
                .footer("%nExamples:", "  treehaul verify last --wait",
                        "  treehaul verify 20261121-162202-k3x9 --scheduler slurm --jobs 16",
                        "%nExit codes: 0 submitted, or with --wait no difference; 2 it cannot be verified; with --wait 23 "
                                + "something differs or could not be read, 24 only sources changed or vanished since.");
    }

    @Override
    public ExitCode run() throws IOException, SchedulerException, InterruptedException {
        if (options.planInJob()) {
            throw common.usage("--plan-in-job is for a copy; verify uses the plan of the copy");
        }
        Transfers transfers = options.state().transfers();
        TransferDirectory copy = options.state().open(named());
        Optional<TransferRequest> request = TransferRequest.find(copy);
        if (request.isPresent()) {
            options.recall(request.get().jobs().withOnComplete(Optional.empty()));
        } else {
            Map<String, List<String>> jobs = OlderRequest.jobs(copy);
            jobs.remove(OF_THE_COPY);
            options.recall(jobs);
        }
        options.check();
        Scheduler scheduler = Scheduler.named(options.scheduler(), System.getenv());
        TransferDirectory verify = transfers.createVerify(copy, "verify " + copy.id(), Timing.defaults());
        JobOptions wanted = options.jobOptions();
        new TransferRequest(wanted, Optional.empty()).write(verify);
        int workers = Math.clamp(Plan.open(verify.plan()).batchCount(), 1, options.jobs());
        TransferJobs jobs = jobs(verify);
        int generation;
        try {
            generation = jobs.start(scheduler,
                    JobOrders.of(wanted, verify, CopyRequests.keepJar(options), workers, false));
        } catch (SchedulerException e) {
            common.screen().note("the plan is kept; 'treehaul resume " + verify.id() + "' submits it again");
            throw e;
        }
        tell(copy, verify, scheduler);
        if (!options.isToWait()) {
            return ExitCode.DONE;
        }
        try (Session session = Session.beginWaiting(common)) {
            return new TransferWait(transfers, verify, jobs, common).await(generation, session.cancellation());
        }
    }

    private void tell(TransferDirectory copy, TransferDirectory verify, Scheduler scheduler) throws IOException {
        Output output = Output.standard();
        List<String> ids = verify.submittedJobs().stream().flatMap(known -> known.ids().stream()).toList();
        if (common.json) {
            JsonLines json = new JsonLines(output);
            json.begin("submitted")
                    .text("id", verify.id().text())
                    .text("verifies", copy.id().text())
                    .text("scheduler", scheduler.name())
                    .list("jobs");
            ids.forEach(json::textElement);
            json.endList().end();
            json.flush();
        } else {
            output.line(verify.id().text());
            common.screen()
                    .note(scheduler.name() + " jobs " + String.join(", ", ids) + "; 'treehaul status " + verify.id()
                            + "' shows their progress");
        }
        output.flush();
    }
}
