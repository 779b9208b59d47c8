// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import java.io.IOException;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;

import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.plan.PlanSummary;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.transfer.Refusal;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.OvertakenException;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.schedulers.Scheduler;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.TransferJobs;

/** The first start of a transfer: it is planned, and its jobs are submitted. Used once, by one thread. */
final class FirstStart {

    private static final long LOOK_MILLIS = 20;

    private final Transfers transfers;
    private final TransferDirectory transfer;
    private final TransferJobs jobs;
    private final Scheduler scheduler;
    private final IntFunction<TransferJobs.Order> orders;
    private final int most;
    // The newest generation that this process has begun; 0 before jobs are submitted.
    private int begun;
    private boolean isSubmitting;

    /**
     * Prepares a start.
     *
     * @param orders returns the order for a number of workers
     * @param most the number of workers that the user wants
     */
    FirstStart(Transfers transfers, TransferDirectory transfer, TransferJobs jobs, Scheduler scheduler,
            IntFunction<TransferJobs.Order> orders, int most) {
        this.transfers = transfers;
        this.transfer = transfer;
        this.jobs = jobs;
        this.scheduler = scheduler;
        this.orders = orders;
        this.most = most;
    }

    /** Makes the plan of a transfer. */
    @FunctionalInterface
    interface Planning {
        /** Plans; the summary is not complete if planning was interrupted. */
        PlanSummary plan(EventListener listener, Progress progress, Cancellation cancellation)
                throws IOException, CopyRefusedException;
    }

    /**
     * Checks the options for jobs before planning, so that a typing error in one of them does not cost hours of
     * walking. Forgets the transfer if they are refused.
     */
    void check() throws IOException, SchedulerException {
        try {
            jobs.check(scheduler, orders.apply(most));
        } catch (SchedulerException refusal) {
            transfers.forget(transfer);
            throw refusal;
        }
    }

    /** Submits the jobs of a transfer that has a plan, or whose first job makes it. */
    int submit(int workers) throws IOException, SchedulerException {
        try {
            return start(workers);
        } catch (SchedulerException e) {
            Refusal.withdrawTokens(transfers, transfer);
            throw e;
        }
    }

    /**
     * Plans, and submits; see {@link BatchTransfer#submit}.
     *
     * @param isStreaming whether to submit as soon as there is a batch, while this process is still walking
     * @return the newest generation; empty if planning was interrupted before the jobs were submitted
     */
    OptionalInt planAndSubmit(Planning planning, boolean isStreaming, EventListener listener, Progress progress,
            Cancellation cancellation)
            throws IOException, SchedulerException, CopyRefusedException, InterruptedException {
        try {
            if (isStreaming) {
                stream(planning, listener, progress, cancellation);
            } else {
                PlanSummary summary = planning.plan(listener, progress, cancellation);
                if (summary.isComplete()) {
                    start(Math.clamp(summary.batches(), 1, most));
                }
            }
            if (begun > 0) {
                return OptionalInt.of(begun);
            }
            transfer.generations().requireNewest(0);
            transfers.forget(transfer);
            return OptionalInt.empty();
        } catch (OvertakenException e) {
            throw e;
        } catch (SchedulerException e) {
            Refusal.withdrawTokens(transfers, transfer);
            throw e;
        } catch (IOException | CopyRefusedException | RuntimeException e) {
            boolean isPlanKept = isSubmitting && e instanceof IOException && !(e instanceof PlanException);
            if (!isPlanKept) {
                forget(e);
            }
            throw e;
        }
    }

    private int start(int workers) throws IOException, SchedulerException {
        isSubmitting = true;
        begun = jobs.start(scheduler, orders.apply(workers));
        return begun;
    }

    // Workers begin with the first batches while this process is still walking.
    private void stream(Planning planning, EventListener listener, Progress progress, Cancellation cancellation)
            throws IOException, SchedulerException, CopyRefusedException, InterruptedException {
        Cancellation stop = Cancellation.of(cancellation);
        try (ExecutorService executor = Executors
                .newSingleThreadExecutor(Thread.ofPlatform().name("treehaul-planner").factory())) {
            Future<PlanSummary> planned = executor.submit(() -> planning.plan(listener, progress, stop));
            try {
                while (!planned.isDone() && !hasBatches()) {
                    Thread.sleep(LOOK_MILLIS);
                }
                if (planned.isDone() && !planned.get().isComplete()) {
                    return;
                }
                start(most);
                if (!planned.get().isComplete()) {
                    transfer.generations().requireNewest(begun);
                    listener.onEvent(new Event.Notice(
                            "interrupted while planning; the jobs end when they have copied what is planned so far"));
                    end();
                }
            } catch (ExecutionException e) {
                if (begun > 0 && transfer.generations().isNewest(begun)) {
                    end();
                }
                switch (Objects.requireNonNull(e.getCause())) {
                    case IOException failure -> throw failure;
                    case CopyRefusedException refused -> throw refused;
                    case RuntimeException fault -> throw fault;
                    default -> throw new IOException(e.getCause());
                }
            } finally {
                if (begun == 0) {
                    stop.cancel();
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

    // If another command has taken over, its actions caused the failure, and the transfer is now its own.
    private void forget(Exception failure) throws IOException {
        try {
            transfer.generations().requireNewest(begun);
        } catch (OvertakenException e) {
            e.addSuppressed(failure);
            throw e;
        }
        transfers.forget(transfer);
    }
}
