// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.plan.PlanSummary;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.transfer.Refusal;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.SubmittedJobs;
import org.treehaul.core.transfer.directory.Timing;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.request.CopyRequest;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.core.transfer.request.TransferRequest;
import org.treehaul.schedulers.KeptJar;
import org.treehaul.schedulers.Launch;
import org.treehaul.schedulers.Scheduler;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.TransferJobs;

/**
 * A transfer by jobs of a scheduler: the entry point for programs that submit, resume, cancel and watch transfers. All
 * state is in the state directory, so the object may be dropped, and another process may {@link #open} the transfer.
 * Several threads may use it.
 */
public final class BatchTransfer {

    private static final long PLANNER_MILLIS = 11_000;
    private static final long LOOK_MILLIS = 1_000;
    private static final long NAP_MILLIS = 200;
    private static final int LOOKS_PER_QUESTION = 10;

    private final Transfers transfers;
    private final TransferDirectory transfer;
    private final Path jar;
    private final TransferJobs jobs;

    private BatchTransfer(Transfers transfers, TransferDirectory transfer, Path jar) {
        this.transfers = transfers;
        this.transfer = transfer;
        this.jar = jar;
        this.jobs = TransferJobs.of(transfer, name -> Scheduler.named(name, System.getenv()));
    }

    /**
     * Creates a transfer that records its request. Nothing is planned or submitted yet.
     *
     * @param stateDirectory the state directory, visible on every node; created if it is missing
     * @param jar the jar of TreeHaul, which the jobs start; a copy is kept in the state directory
     * @param title the text by which lists of transfers show it
     * @throws TransferException if the state directory belongs to another user, or others can change its content
     */
    public static BatchTransfer create(Path stateDirectory, Path jar, CopyRequest copy, JobOptions jobs, String title)
            throws IOException {
        Transfers transfers = Transfers.in(stateDirectory);
        Path kept = KeptJar.keep(stateDirectory, jar);
        TransferDirectory transfer = transfers.create(new Operation.Copy(), title, Timing.defaults());
        Launch.writeCaller(transfer.path(), copy.directory(), copy.umask());
        TransferRequest.of(copy, jobs).write(transfer);
        return new BatchTransfer(transfers, transfer, kept);
    }

    /**
     * Opens a transfer.
     *
     * @param jar the jar of TreeHaul, which jobs start when it is resumed
     * @throws TransferException if it does not exist, is damaged, or is of an unknown version
     */
    public static BatchTransfer open(Path stateDirectory, Path jar, TransferId id) throws IOException {
        Transfers transfers = Transfers.in(stateDirectory);
        return new BatchTransfer(transfers, transfers.open(id), KeptJar.keep(stateDirectory, jar));
    }

    /** Returns the id of the transfer. */
    public TransferId id() {
        return transfer.id();
    }

    /** Returns the status. Reads only small files, and asks no scheduler. */
    public TransferStatus status() throws IOException {
        return transfers.status(transfer);
    }

    /**
     * Plans the copy in this process and submits its jobs. If the copy or the options for jobs are refused, the
     * transfer is forgotten; if the scheduler refuses the jobs after planning, the transfer and its plan stay, and
     * {@link #resume} submits it again.
     *
     * @param listener receives notices, and entries that cannot be read
     * @param progress counts what is planned
     * @return the generation whose jobs were submitted; empty if planning was interrupted, and the transfer forgotten
     * @throws CopyRefusedException if there is nothing to copy, or it does not fit into the destination
     */
    public OptionalInt submit(EventListener listener, Progress progress, Cancellation cancellation)
            throws IOException, SchedulerException, CopyRefusedException {
        TransferRequest request = request();
        CopyRequest copy = request.copy().orElseThrow(() -> new TransferException(id() + " is not planned"));
        Scheduler scheduler = Scheduler.named(request.jobs().scheduler(), System.getenv());
        int batches;
        boolean isPlanned = false;
        try {
            jobs.check(scheduler, order(request.jobs(), request.jobs().workers(), false));
            PlanSummary summary = new CopyPlanning(transfer, transfer.generations()::isMakers, listener, progress,
                    cancellation).plan(copy);
            isPlanned = summary.isComplete();
            batches = summary.batches();
        } finally {
            // Unless another process has taken over.
            if (!isPlanned && transfer.generations().isNewest(0)) {
                transfers.forget(transfer);
            }
        }
        if (!isPlanned) {
            return OptionalInt.empty();
        }
        try {
            return OptionalInt.of(jobs.start(scheduler,
                    order(request.jobs(), Math.clamp(batches, 1, request.jobs().workers()), false)));
        } catch (SchedulerException e) {
            Refusal.withdrawTokens(transfers, transfer);
            throw e;
        }
    }

    /**
     * Continues an incomplete transfer with the jobs of its request, see {@link #resume(JobOptions, boolean)}.
     *
     * @throws TransferException if it was made by a program that wrote no request
     */
    public int resume() throws IOException, SchedulerException, InterruptedException {
        return resume(request().jobs(), false);
    }

    /**
     * Continues an incomplete transfer: ends what is left of its jobs, makes sure that they are gone, and submits jobs
     * that do the missing work and retry failures. The options become part of the request.
     *
     * @param force whether to continue even if the scheduler does not confirm that the old jobs are gone, or inode
     *        numbers of source and destination have changed; only if the caller knows that they are right
     * @return the generation whose jobs were submitted
     * @throws TransferException if the transfer is complete, is still being planned, or can never be
     * @throws SchedulerException if the scheduler refuses
     */
    public int resume(JobOptions options, boolean force) throws IOException, SchedulerException, InterruptedException {
        TransferStatus status = status();
        if (status.state() == TransferStatus.State.COMPLETE) {
            throw new TransferException(id() + " is complete: there is nothing to resume");
        }
        stop(force);
        return submitAgain(options, status, force);
    }

    /**
     * The first step of {@link #resume}: ends the jobs of the transfer and returns when none can run any more.
     *
     * @throws TransferException if jobs may still run, or the transfer is still being planned
     */
    public void stop(boolean force) throws IOException, InterruptedException {
        try {
            jobs.stop();
        } catch (SchedulerException e) {
            if (!force) {
                throw new TransferException(
                        e.getMessage() + "; if you know that no job of " + id() + " is left, --force resumes it", e);
            }
        }
        if (!transfers.needsPlan(transfer)) {
            return;
        }
        if (!transfer.operation().isPlanned()) {
            throw new TransferException(id() + " was not created completely: forget it, and begin again");
        }
        List<SubmittedJobs> submitted = transfer.submittedJobs();
        if (!force && submitted.stream().noneMatch(known -> known.phase().equals("plan")) && isBeingPlanned()) {
            throw new TransferException(
                    id() + " is still being planned; if you know that it is not, --force resumes it");
        }
    }

    // A planner updates its heartbeat every few seconds; the clocks of hosts may differ, so two readings are compared.
    private boolean isBeingPlanned() throws IOException, InterruptedException {
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

    /**
     * Returns how many workers {@link #submitAgain} submits: as many as the options say, unless there are fewer
     * batches.
     */
    public int workers(JobOptions options, TransferStatus seen) throws IOException {
        return transfers.needsPlan(transfer)
                ? options.workers()
                : Math.clamp(seen.batches().size(), 1, options.workers());
    }

    /**
     * The second step of {@link #resume}, after {@link #stop}: submits jobs, the first of which plans if the transfer
     * has no complete plan.
     *
     * @param seen the status before {@link #stop}
     * @param force see {@link #resume(JobOptions, boolean)}
     */
    public int submitAgain(JobOptions options, TransferStatus seen, boolean force)
            throws IOException, SchedulerException {
        boolean needsPlan = transfers.needsPlan(transfer);
        TransferJobs.Order order = order(options, workers(options, seen), needsPlan);
        if (force && !needsPlan) {
            // The nodes recognize the destination by these tokens, whatever its inode numbers are now.
            transfers.renewTokens(transfer);
            order = order.trustingMounts();
        } else if (!needsPlan) {
            Refusal.restoreTokens(transfer);
        }
        int generation;
        try {
            generation = jobs.resume(Scheduler.named(options.scheduler(), System.getenv()), order, seen.generation());
        } catch (SchedulerException e) {
            Refusal.withdrawTokens(transfers, transfer);
            throw e;
        }
        Optional<CopyRequest> copy = TransferRequest.find(transfer).flatMap(TransferRequest::copy);
        new TransferRequest(options, copy).write(transfer);
        return generation;
    }

    /**
     * Ends the jobs; {@link #resume} continues the transfer. Nothing that was copied is lost.
     *
     * @return false if the transfer is finished, and nothing was changed
     * @throws SchedulerException if jobs may still run; those that the scheduler cannot end stop at their next
     *         heartbeat
     */
    public boolean cancel() throws IOException, SchedulerException {
        if (transfers.cancel(transfer).isEmpty()) {
            return false;
        }
        jobs.stop();
        return true;
    }

    /**
     * Waits until the transfer ends, its jobs are gone, or another process resumes or cancels it.
     *
     * @param generation the generation to wait for
     * @param listener receives the status about once a second, on the calling thread
     * @param cancellation ends the wait; the jobs continue
     * @return the last status; it has a {@linkplain TransferStatus#result() result} if finishing has ended
     * @throws SchedulerException if the scheduler does not answer whether jobs are left
     */
    public TransferStatus await(int generation, Consumer<TransferStatus> listener, Cancellation cancellation)
            throws IOException, SchedulerException, InterruptedException {
        for (int look = 1;; look++) {
            TransferStatus status = status();
            listener.accept(status);
            boolean isOver = status.result().isPresent() || status.generation() != generation
                    || !status.state().goesOn();
            if (isOver || cancellation.isCancelled()) {
                return status;
            }
            if (look % LOOKS_PER_QUESTION == 0 && jobs.live(generation).isEmpty()) {
                // Jobs that have just ended may have written their result since the last look.
                return status();
            }
            for (long slept = 0; slept < LOOK_MILLIS && !cancellation.isCancelled(); slept += NAP_MILLIS) {
                Thread.sleep(NAP_MILLIS);
            }
        }
    }

    private TransferRequest request() throws IOException {
        return TransferRequest.find(transfer)
                .orElseThrow(() -> new TransferException(
                        id() + " was made by a program that wrote no request: 'treehaul resume' reads it"));
    }

    private TransferJobs.Order order(JobOptions options, int workers, boolean planInJob) {
        return JobOrders.of(options, transfer, jar, workers, planInJob);
    }
}
