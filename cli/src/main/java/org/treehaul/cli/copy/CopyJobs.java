// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.config.Configuration;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Output;
import org.treehaul.cli.transfer.TransferCommand;
import org.treehaul.cli.transfer.TransferWait;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.plan.PlanSummary;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.transfer.Refusal;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.OvertakenException;
import org.treehaul.core.transfer.directory.SubmittedJobs;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.request.CopyRequest;
import org.treehaul.schedulers.Scheduler;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.TransferJobs;
import org.treehaul.schedulers.batch.CopyPlanning;
import org.treehaul.schedulers.batch.JobOrders;

/** A copy by jobs: plans it, submits the jobs, and waits for them if requested. */
final class CopyJobs {

    private final CpCommand cp;
    private final TransferOptions options;

    CopyJobs(CpCommand cp) {
        this.cp = cp;
        this.options = cp.transfer;
    }

    /** Runs all steps and returns the exit code. */
    ExitCode run() throws InterruptedException {
        try {
            save(options, cp.common);
            if (cp.planAhead().isPresent()) {
                options.suggestJobs(Plan.open(cp.planAhead().get()).header().jobs());
            }
            Scheduler scheduler = Scheduler.named(options.scheduler(), System.getenv());
            Transfers transfers = Transfers.in(options.stateDirectory());
            // Kept before planning: if there is no room for it, hours of planning would be lost.
            Path jar = CopyRequests.keepJar(options);
            TransferDirectory transfer = CopyRequests.create(cp, transfers, options.jobOptions(cp.ranks));
            CopyRequest copy = CopyRequests.read(transfer);
            try (Session session = Session.begin(cp.common, false)) {
                return new Run(session, transfers, transfer, copy, scheduler, jar).run();
            }
        } catch (TransferException | PlanException | SchedulerException | CopyRefusedException e) {
            cp.common.screen().error(String.valueOf(e.getMessage()));
            return ExitCode.TROUBLE;
        } catch (IOException e) {
            cp.common.screen().error("the state directory " + options.stateDirectory() + " fails: " + e);
            return ExitCode.TROUBLE;
        }
    }

    /** Saves the options for jobs, if requested. */
    static void save(TransferOptions options, CommonOptions common) throws IOException {
        if (options.isToSave()) {
            Path saved = Configuration.read(System.getenv()).save(options.toSave());
            common.screen().note("saved to " + saved);
        }
    }

    private final class Run {
        private final Session session;
        private final Transfers transfers;
        private final TransferDirectory transfer;
        private final CopyRequest copy;
        private final Scheduler scheduler;
        private final Path jar;
        private final TransferJobs jobs;
        // The newest generation that this process has begun; 0 before jobs are submitted.
        private int begun;

        Run(Session session, Transfers transfers, TransferDirectory transfer, CopyRequest copy, Scheduler scheduler,
                Path jar) {
            this.copy = copy;
            this.session = session;
            this.transfers = transfers;
            this.transfer = transfer;
            this.scheduler = scheduler;
            this.jar = jar;
            this.jobs = TransferCommand.jobs(transfer);
        }

        ExitCode run() throws IOException, SchedulerException, CopyRefusedException, InterruptedException {
            check();
            try {
                planAndSubmit();
            } catch (OvertakenException e) {
                return overtaken();
            } catch (SchedulerException e) {
                Refusal.withdrawTokens(transfers, transfer);
                throw e;
            } catch (PlanException | CopyRefusedException | RuntimeException e) {
                // If another command has taken over, its actions caused the failure, and the transfer is now its own.
                if (!transfer.generations().isNewest(begun)) {
                    return overtaken();
                }
                transfers.forget(transfer);
                throw e;
            }
            if (begun == 0) {
                if (!transfer.generations().isNewest(0)) {
                    return overtaken();
                }
                transfers.forget(transfer);
                session.screen().note("interrupted while planning; nothing was submitted");
                return ExitCode.INTERRUPTED;
            }
            ExitCode planned = session.end(session.problems().counts(), true);
            tell();
            if (!options.isToWait()) {
                return planned;
            }
            return new TransferWait(transfers, transfer, jobs, cp.common).await(begun, session.cancellation());
        }

        private ExitCode overtaken() {
            session.screen()
                    .note(transfer.id() + " was cancelled, resumed or forgotten by another command during planning; "
                            + "this command ends");
            return ExitCode.INTERRUPTED;
        }

        // A typing error in an option for the queue must not cost hours of walking.
        private void check() throws IOException, SchedulerException {
            try {
                jobs.check(scheduler,
                        JobOrders.of(options.jobOptions(cp.ranks), transfer, jar, cp.workers(), options.planInJob()));
            } catch (SchedulerException refusal) {
                transfers.forget(transfer);
                throw refusal;
            }
        }

        private void planAndSubmit()
                throws IOException, SchedulerException, CopyRefusedException, InterruptedException {
            if (options.planInJob()) {
                submit(cp.workers());
            } else if (cp.planAhead().isEmpty() && cp.batches.batching().isStreaming()) {
                stream();
            } else {
                PlanSummary summary = plan();
                if (summary.isComplete()) {
                    submit(Math.clamp(summary.batches(), 1, cp.workers()));
                }
            }
        }

        private PlanSummary plan() throws PlanException, CopyRefusedException {
            return new CopyPlanning(transfer, transfer.generations()::isMakers, session, session.progress(),
                    session.cancellation()).plan(copy);
        }

        private void submit(int workers) throws IOException, SchedulerException {
            try {
                begun = jobs.start(scheduler,
                        JobOrders.of(options.jobOptions(cp.ranks), transfer, jar, workers, options.planInJob()));
            } catch (OvertakenException e) {
                throw e;
            } catch (SchedulerException | IOException e) {
                session.screen().note("the plan is kept; 'treehaul resume " + transfer.id() + "' submits it again");
                throw e;
            }
        }

        // Workers begin with the first batches while this process is still walking.
        private void stream() throws IOException, SchedulerException, CopyRefusedException, InterruptedException {
            try (ExecutorService executor = Executors
                    .newSingleThreadExecutor(Thread.ofPlatform().name("treehaul-planner").factory())) {
                Future<PlanSummary> planning = executor.submit(this::plan);
                try {
                    while (!planning.isDone() && !hasBatches()) {
                        Thread.sleep(20);
                    }
                    if (planning.isDone() && !planning.get().isComplete()) {
                        return;
                    }
                    submit(cp.workers());
                    if (!planning.get().isComplete()) {
                        transfer.generations().requireNewest(begun);
                        session.screen()
                                .note("interrupted while planning; the jobs end when they have copied what is planned so far");
                        end();
                    }
                } catch (ExecutionException e) {
                    if (begun > 0 && transfer.generations().isNewest(begun)) {
                        end();
                    }
                    switch (Objects.requireNonNull(e.getCause())) {
                        case PlanException refused -> throw refused;
                        case CopyRefusedException refused -> throw refused;
                        case RuntimeException fault -> throw fault;
                        default -> throw new IOException(e.getCause());
                    }
                } finally {
                    if (begun == 0) {
                        session.cancellation().cancel();
                    }
                }
            }
        }

        private void end() throws IOException, SchedulerException {
            begun = transfers.cancel(transfer, begun).orElse(begun);
            jobs.stop();
        }

        private boolean hasBatches() throws PlanException {
            return Plan.exists(transfer.plan()) && Plan.open(transfer.plan()).batchCount() > 0;
        }

        private void tell() throws IOException {
            Output output = session.output();
            List<SubmittedJobs> submitted = transfer.submittedJobs();
            List<String> ids = submitted.stream().flatMap(known -> known.ids().stream()).toList();
            if (cp.common.json) {
                JsonLines json = session.json().orElseThrow();
                synchronized (json) {
                    json.begin("submitted")
                            .text("id", transfer.id().text())
                            .text("scheduler", scheduler.name())
                            .number("generation", submitted.getFirst().generation())
                            .list("jobs");
                    ids.forEach(json::textElement);
                    json.endList().end();
                    json.flush();
                }
            } else {
                output.line(transfer.id().text());
                cp.common.screen()
                        .note(scheduler.name() + " jobs " + String.join(", ", ids) + "; 'treehaul status "
                                + transfer.id() + "' shows their progress");
            }
            output.flush();
        }
    }
}
