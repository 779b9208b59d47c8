// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.ByteSize;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.RankOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.Text;
import org.treehaul.cli.transfer.BandwidthNotice;
import org.treehaul.cli.transfer.Outlook;
import org.treehaul.cli.transfer.TransferCommand;
import org.treehaul.cli.transfer.TransferWait;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanTotals;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.core.transfer.request.TransferRequest;
import org.treehaul.schedulers.Scheduler;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.batch.BatchTransfer;
import org.treehaul.schedulers.discovery.Schedulers;

/** {@code treehaul resume}: continues an incomplete transfer. */
public final class ResumeCommand extends TransferCommand {

    private final TransferOptions options = new TransferOptions(spec);
    private final RankOptions ranks = new RankOptions(spec, common);
    private boolean force;
    private @Nullable ByteSize bandwidth;

    /** Defines the command for Picocli. */
    public ResumeCommand() {
        super("resume", "Continue a transfer: copy what is missing or failed.");
        spec.usageMessage()
                .description(
                        "%nEnds the remaining jobs of the transfer, makes sure that they are gone, and submits new ones, with the "
                                + "options of the last ones unless others are given. They may use another scheduler.%n")
                .footer("%nExamples:", "  treehaul resume last --wait",
                        "  treehaul resume 20261121-162202-k3x9 --scheduler local",
                        "%nExit codes: 0 submitted, or with --wait the exit code of cp; 2 it cannot be resumed.");
        common.addMetrics();
        spec.addOption(Options.value(ByteSize.class, value -> bandwidth = value, "--bandwidth")
                .paramLabel("LIMIT")
                .description("From now on limit all jobs together to LIMIT bytes per second; 0 for no limit.")
                .build());
        spec.addOption(Options.flag(value -> force = value, "--force")
                .description(
                        "Resume even if the scheduler does not confirm that the old jobs are gone, or if the inode numbers of source and "
                                + "destination changed because they were mounted again. Use it only when you know that no job is left and the mounts are right.")
                .build());
    }

    // The outlook for entries that could not be read during planning.
    private static String prospect(TransferStatus status) {
        return switch (status.operation()) {
            case Operation.Copy copy -> "those that are still not copied will be tried again after all others";
            case Operation.Verify verify -> "those that were not copied later are not compared; resume the copy first";
            case Operation.OnEntries each -> "resume leaves them out; " + Outlook.anew(status);
        };
    }

    // Another scheduler may use other nodes, without MPJ Express: there the workers are jobs unless ranks are requested
    // again.
    private void recallRanks(Map<String, List<String>> earlier) {
        ranks.check();
        if (ranks.isProcess() || common.isGiven("--profile")) {
            throw common.usage("--meet and --profile are for cp; resume starts ranks with --scheduler");
        }
        boolean areJobs = common.isGiven("--jobs") || common.isGiven("--scheduler");
        if (areJobs && !ranks.areGiven()) {
            RankOptions.forget(earlier);
        }
        ranks.recall(earlier);
        if (ranks.areGiven() && (common.isGiven("--jobs") || options.maxRunning() > 0)) {
            throw common.usage("--ranks cannot be combined with --jobs and --max-running");
        }
    }

    private static Map<String, List<String>> ranks(TransferRequest request) {
        Map<String, List<String>> given = new TreeMap<>();
        if (request.jobs().ranks() > 0) {
            given.put("ranks", List.of(Integer.toString(request.jobs().ranks())));
            given.put("distribution", List.of(request.jobs().distribution()));
        }
        return given;
    }

    @Override
    public ExitCode run() throws IOException, SchedulerException, InterruptedException {
        Transfers transfers = options.state().transfers();
        TransferDirectory transfer = options.state().open(named());
        Optional<TransferRequest> request = TransferRequest.find(transfer);
        TransferStatus status = transfers.status(transfer);
        if (status.state() == TransferStatus.State.COMPLETE) {
            common.screen().note(transfer.id() + " is complete: there is nothing to resume");
            return ExitCode.DONE;
        }
        if (transfer.operation().isPlanned() && transfers.needsPlan(transfer)
                && request.flatMap(TransferRequest::copy).isEmpty() && !OlderRequest.exists(transfer)) {
            throw new TransferException(
                    transfer.id() + " ended before its request was saved: forget it and copy again");
        }
        Map<String, List<String>> older = request.isPresent() ? ranks(request.get()) : OlderRequest.jobs(transfer);
        request.map(TransferRequest::jobs).ifPresentOrElse(options::recall, () -> options.recall(older));
        String before = request.map(one -> one.jobs().scheduler())
                .orElseGet(() -> older.getOrDefault("scheduler", List.of("")).getFirst());
        recallRanks(older);
        options.check();
        Scheduler scheduler = Schedulers.named(options.scheduler(), System.getenv());
        if (force) {
            putDamagedJobsAside(transfer);
        }
        BatchTransfer batch = BatchTransfer.open(options.stateDirectory(), CopyRequests.jar(), transfer.id());
        if (!batch.suitsQueue(before, options.scheduler())) {
            options.forgetQueue();
        }
        CopyJobs.save(options, common);
        JobOptions wanted = options.jobOptions(ranks);
        batch.stop(force);
        if (!transfers.needsPlan(transfer)) {
            long unplanned = Plan.open(transfer.plan()).totals().map(PlanTotals::failures).orElse(0L);
            if (unplanned > 0) {
                common.screen()
                        .note(Text.count(unplanned, "entry", "entries") + " could not be read during planning: "
                                + prospect(status));
            }
        }
        if (bandwidth != null) {
            transfers.limitBandwidth(transfer, bandwidth.bytes());
            BandwidthNotice.of(bandwidth.bytes()).ifPresent(common.screen()::note);
        }
        int workers = batch.workers(wanted, status);
        int generation = batch.submitAgain(wanted, status, force);
        common.screen()
                .note("resumed " + transfer.id() + " with " + workers + (ranks.areGiven() ? " rank" : " job")
                        + (workers == 1 ? " of " : "s of ") + scheduler.name());
        if (!options.isToWait()) {
            return ExitCode.DONE;
        }
        try (Session session = Session.beginWaiting(common)) {
            return new TransferWait(batch, common).await(generation, session.cancellation());
        }
    }
}
