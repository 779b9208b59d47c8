// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.transfer.SubmissionReport;
import org.treehaul.cli.transfer.TransferCommand;
import org.treehaul.cli.transfer.TransferWait;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.request.TransferRequest;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.batch.BatchTransfer;

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
        BatchTransfer verify = BatchTransfer.createVerify(options.stateDirectory(), CopyRequests.jar(), copy.id(),
                options.jobOptions());
        int generation;
        try {
            generation = verify.submitPlanned();
        } catch (SchedulerException e) {
            common.screen().note("the plan is kept; 'treehaul resume " + verify.id() + "' submits it again");
            throw e;
        }
        SubmissionReport.print(verify, common);
        if (!options.isToWait()) {
            return ExitCode.DONE;
        }
        try (Session session = Session.beginWaiting(common)) {
            return new TransferWait(verify, common).await(generation, session.cancellation());
        }
    }
}
