// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.io.IOException;
import java.util.OptionalInt;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.ByteSize;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.RankOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.transfer.ResumeReport;
import org.treehaul.cli.transfer.TransferCommand;
import org.treehaul.cli.transfer.TransferWait;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.request.JobChanges;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.batch.BatchTransfer;
import org.treehaul.tuplespace.transfer.Publication;

/** {@code treehaul resume}: continues an incomplete transfer. */
public final class ResumeCommand extends TransferCommand {

    private final TransferOptions options = TransferOptions.ofPlanned(spec);
    private final RankOptions ranks = new RankOptions(spec, common);
    private boolean force;
    private @Nullable ByteSize bandwidth;

    /** Defines the command for Picocli. */
    public ResumeCommand() {
        super("resume", "Continue a transfer with the entries that are missing or failed.", CommonOptions::new);
        spec.usageMessage()
                .description(
                        "%nEnds the remaining jobs of the transfer, makes sure that they are gone, and submits new ones, with the "
                                + "options of the last ones unless others are given. They may use another scheduler.%n")
                .footer("%nExamples:", "  treehaul resume last --wait",
                        "  treehaul resume 20261121-162202-k3x9 --scheduler local",
                        "%nExit codes: 0 submitted, or with --wait the exit code of cp; 2 it cannot be resumed.");
        common.addMetrics();
        Options.add(spec, Options.value(ByteSize.class, value -> bandwidth = value, "--bandwidth"), "LIMIT",
                "From now on limit all jobs together to LIMIT bytes per second; 0 for no limit.");
        Options.add(spec, Options.flag(value -> force = value, "--force"),
                "Resume even if the scheduler does not confirm that the old jobs are gone, or if the inode numbers of source and "
                        + "destination changed because they were mounted again. Use it only when you know that no job is left and the mounts are right.");
    }

    private void checkRanks(JobOptions wanted) {
        if (ranks.isProcess() || common.isGiven("--profile")) {
            throw common.usage("--meet and --profile are for cp; resume starts ranks with --scheduler");
        }
        if (wanted.ranks() > 0 && (common.isGiven("--jobs") || wanted.maxRunning() > 0)) {
            throw common.usage("--ranks cannot be combined with --jobs and --max-running");
        }
    }

    private OptionalLong bandwidth() {
        return bandwidth == null ? OptionalLong.empty() : OptionalLong.of(bandwidth.bytes());
    }

    @Override
    public ExitCode run() throws IOException, SchedulerException, InterruptedException {
        Transfers transfers = options.state().transfers();
        TransferDirectory transfer = options.state().open(named());
        TransferStatus before = transfers.status(transfer);
        ranks.check();
        options.checkAgain();
        JobChanges changes = options.changes(ranks);
        JobOptions wanted = changes.apply(CopyRequests.adopt(transfer, transfers.needsPlan(transfer)));
        checkRanks(wanted);
        if (force) {
            putDamagedJobsAside(transfer);
        }
        BatchTransfer batch = BatchTransfer.open(options.stateDirectory(), CopyRequests.jar(), transfer.id());
        new JobSubmission(options, common).save();
        options.publish(transfer);
        OptionalInt generation = batch.resume(changes, force, bandwidth());
        if (generation.isEmpty()) {
            common.screen().note(transfer.id() + " is complete: there is nothing to resume");
            return ExitCode.DONE;
        }
        new ResumeReport(common, bandwidth()).print(batch, before, generation.getAsInt(), wanted);
        Publication.update(transfer, common.screen()::note);
        if (!options.isToWait()) {
            return ExitCode.DONE;
        }
        try (Session session = Session.beginWaiting(common)) {
            return new TransferWait(batch, common).await(generation.getAsInt(), session.cancellation());
        }
    }
}
