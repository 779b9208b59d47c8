// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.io.IOException;
import java.util.Optional;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.transfer.SubmissionReport;
import org.treehaul.cli.transfer.TransferCommand;
import org.treehaul.cli.transfer.TransferWait;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.batch.BatchTransfer;
import org.treehaul.tuplespace.transfer.Publication;

/** {@code treehaul verify}: compares the files that a transfer copied with their sources again, as jobs. */
public final class VerifyCommand extends TransferCommand {

    private final TransferOptions options = TransferOptions.ofPlanned(spec);
    private boolean isRepaired;

    /** Defines the command for Picocli. */
    public VerifyCommand() {
        super("verify", "Compare the copy of a transfer with its source, by jobs.", CommonOptions::new);
        spec.usageMessage()
                .description(
                        "%nReads both sides of a finished transfer again, in the same batches, and reports each entry that "
                                + "differs in data or preserved attributes. The verification is a transfer of its own: status, errors, "
                                + "resume and cancel take its id. It writes to neither side; --repair copies again what differs. Its jobs "
                                + "are like those of the copy unless options say otherwise.%n")
                .footer("%nExamples:", "  treehaul verify last --wait",
                        "  treehaul verify 20261121-162202-k3x9 --scheduler slurm --jobs 16",
                        "  treehaul verify --repair 20261121-190310-b2cd --wait",
                        "%nExit codes: 0 submitted, or with --wait no difference; 2 it cannot be verified; with --wait 23 "
                                + "something differs or could not be read, 24 only sources changed or vanished since, 20 interrupted; with --repair "
                                + "those of cp.");
        common.addMetrics();
        Options.add(spec, Options.flag(value -> isRepaired = value, "--repair"),
                "Copy again, by jobs, each entry that the finished verification ID found to differ. If ID is a copy, verify it "
                        + "first and wait for the result.");
    }

    @Override
    public ExitCode run() throws IOException, SchedulerException, InterruptedException {
        options.checkAgain();
        TransferDirectory copy = options.state().open(named());
        // The command on completion belongs to the copy, which is finished.
        JobOptions last = CopyRequests.lastJobs(copy).withOnComplete(Optional.empty()).withRanks(0, "");
        JobOptions jobs = options.changes().apply(last);
        RepairJobs repair = new RepairJobs(options, jobs, common);
        new JobSubmission(options, common).save();
        if (isRepaired && copy.operation() instanceof Operation.Verify) {
            return repair.run(copy);
        }
        BatchTransfer verify = BatchTransfer.createVerify(options.stateDirectory(), CopyRequests.jar(), copy.id(),
                jobs);
        options.publish(verify.directory());
        int generation;
        try {
            generation = verify.submitPlanned();
        } catch (SchedulerException e) {
            common.screen().note("the plan is kept; 'treehaul resume " + verify.id() + "' submits it again");
            throw e;
        }
        boolean isPrinted = SubmissionReport.print(verify, common, true);
        Publication.update(verify.directory(), common.screen()::note);
        if (!options.isToWait() && !isRepaired) {
            return isPrinted ? ExitCode.DONE : ExitCode.TROUBLE;
        }
        ExitCode code;
        try (Session session = Session.beginWaiting(common)) {
            code = new TransferWait(verify, common).await(generation, session.cancellation());
        }
        boolean isFinished = code == ExitCode.PARTIAL || code == ExitCode.UNSETTLED;
        code = isRepaired && isFinished ? repair.run(verify.directory()) : code;
        return isPrinted ? code : ExitCode.TROUBLE;
    }
}
