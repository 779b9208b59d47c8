// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.ByteSize;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.RankOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.Text;
import org.treehaul.cli.transfer.BandwidthNotice;
import org.treehaul.cli.transfer.TransferCommand;
import org.treehaul.cli.transfer.TransferWait;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanTotals;
import org.treehaul.core.transfer.Refusal;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.SubmittedJobs;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.schedulers.Scheduler;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.TransferJobs;

/** {@code treehaul resume}: continues an incomplete transfer. */
public final class ResumeCommand extends TransferCommand {

    private static final long PLANNER_MILLIS = 11_000;
    private static final long NAP_MILLIS = 200;

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

    // A planner updates its heartbeat every few seconds; the clocks of hosts may differ, so two readings are compared.
    private static boolean isPlanned(TransferDirectory transfer) throws IOException, InterruptedException {
        Path heartbeat = Plan.heartbeat(transfer.plan());
        try {
            FileTime first = Files.getLastModifiedTime(heartbeat);
            for (long slept = 0; slept < PLANNER_MILLIS; slept += NAP_MILLIS) {
                Thread.sleep(NAP_MILLIS);
                if (!Files.getLastModifiedTime(heartbeat).equals(first)) {
                    return true;
                }
            }
        } catch (NoSuchFileException e) {
            // The planner has ended properly.
        }
        return false;
    }

    // Another scheduler may use other nodes, without MPJ Express: there the workers are jobs unless ranks are requested
    // again.
    private void recallRanks(Map<String, List<String>> said) {
        ranks.check();
        if (ranks.isProcess() || common.isGiven("--profile")) {
            throw common.usage("--meet and --profile are for cp; resume starts ranks with --scheduler");
        }
        boolean areJobs = common.isGiven("--jobs") || common.isGiven("--scheduler");
        if (areJobs && !ranks.areGiven()) {
            RankOptions.forget(said);
        }
        ranks.recall(said);
        if (ranks.areGiven() && (common.isGiven("--jobs") || options.maxRunning() > 0)) {
            throw common.usage("--ranks cannot be combined with --jobs and --max-running");
        }
    }

    @Override
    public ExitCode run() throws IOException, SchedulerException, InterruptedException {
        Transfers transfers = options.state().transfers();
        TransferDirectory transfer = options.state().open(named());
        TransferStatus status = transfers.status(transfer);
        if (status.state() == TransferStatus.State.COMPLETE) {
            common.screen().note(transfer.id() + " is complete: there is nothing to resume");
            return ExitCode.DONE;
        }
        if (transfer.operation().isPlanned() && transfers.needsPlan(transfer) && !JobOrders.isRemembered(transfer)) {
            throw new TransferException(
                    transfer.id() + " ended before its request was saved: forget it and copy again");
        }
        TransferJobs jobs = jobs(transfer);
        Map<String, List<String>> said = JobOrders.recall(transfer);
        options.recall(said);
        recallRanks(said);
        options.check();
        Scheduler scheduler = Scheduler.named(options.scheduler(), System.getenv());
        if (force) {
            putDamagedJobsAside(transfer);
        }
        List<SubmittedJobs> submitted = transfer.submittedJobs();
        // Another scheduler does not understand the queue options.
        boolean isSame = submitted.isEmpty()
                ? said.getOrDefault("scheduler", List.of()).contains(options.scheduler())
                : submitted.stream().anyMatch(jobsOf -> jobsOf.scheduler().equals(scheduler.name()));
        if (!isSame) {
            options.forgetQueue();
            said.remove("queue");
            said.remove("finish-queue");
        }
        CopyJobs.save(options, common);
        try {
            jobs.stop();
        } catch (SchedulerException e) {
            if (!force) {
                throw new TransferException(e.getMessage() + "; if you know that no job of " + transfer.id()
                        + " is left, --force resumes it", e);
            }
        }
        boolean needsPlan = transfers.needsPlan(transfer);
        if (needsPlan && !transfer.operation().isPlanned()) {
            throw new TransferException(transfer.id() + " was not created completely: forget it, and verify again");
        }
        if (needsPlan && !force && submitted.stream().noneMatch(known -> known.phase().equals("plan"))
                && isPlanned(transfer)) {
            throw new TransferException(
                    transfer.id() + " is still being planned; if you know that it is not, --force " + "resumes it");
        }
        int wanted = ranks.areGiven() ? ranks.ranks() : options.jobs();
        int workers = needsPlan ? wanted : Math.clamp(status.batches().size(), 1, wanted);
        TransferJobs.Order order = JobOrders.of(options, ranks, transfer, JobOrders.keepJar(options), workers,
                needsPlan);
        if (force && !needsPlan) {
            // The nodes recognize the destination by these tokens, whatever its inode numbers are now.
            transfers.renewTokens(transfer);
            order = order.trustingMounts();
        } else if (!needsPlan) {
            Refusal.restoreTokens(transfer);
        }
        if (!needsPlan) {
            long unplanned = Plan.open(transfer.plan()).totals().map(PlanTotals::failures).orElse(0L);
            if (unplanned > 0) {
                common.screen()
                        .note(Text.count(unplanned)
                                + " entries could not be read during planning: those that are still not copied will be "
                                + "tried again after all others");
            }
        }
        if (bandwidth != null) {
            transfers.limitBandwidth(transfer, bandwidth.bytes());
            BandwidthNotice.of(bandwidth.bytes()).ifPresent(common.screen()::note);
        }
        int generation;
        try {
            generation = jobs.resume(scheduler, order, status.generation());
        } catch (SchedulerException e) {
            Refusal.withdrawTokens(transfers, transfer);
            throw e;
        }
        said.putAll(options.said());
        JobOrders.remember(transfer, ranks.addTo(said));
        common.screen()
                .note("resumed " + transfer.id() + " with " + workers + (ranks.areGiven() ? " rank" : " job")
                        + (workers == 1 ? " of " : "s of ") + scheduler.name());
        if (!options.isToWait()) {
            return ExitCode.DONE;
        }
        try (Session session = Session.beginWaiting(common)) {
            return new TransferWait(transfers, transfer, jobs, common).await(generation, session.cancellation());
        }
    }
}
