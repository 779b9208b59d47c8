// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.threads.Threads;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.OvertakenException;
import org.treehaul.core.transfer.directory.SubmittedJobs;
import org.treehaul.core.transfer.directory.Timing;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.directory.WrongMountException;
import org.treehaul.core.transfer.operation.UnknownOperationException;
import org.treehaul.core.transfer.request.CopyRequest;
import org.treehaul.core.transfer.request.JobChanges;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.core.transfer.request.TransferRequest;
import org.treehaul.core.transfer.work.WorkResult;
import org.treehaul.schedulers.KeptJar;
import org.treehaul.schedulers.Scheduler;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.TransferJobs;
import org.treehaul.schedulers.discovery.Schedulers;
import org.treehaul.strategies.Strategies;

/**
 * A transfer by jobs of a scheduler: the entry point for programs that submit, resume, cancel and watch transfers. All
 * state is in the state directory, so the object may be dropped, and another process may {@link #open} the transfer.
 * Several threads may use it.
 */
public final class BatchTransfer {

    private final Transfers transfers;
    private final TransferDirectory transfer;
    private final Path jar;
    private final TransferJobs.Schedulers schedulers;
    private final Optional<OperationRequest> onEntries;
    private final TransferJobs jobs;

    private BatchTransfer(Transfers transfers, TransferDirectory transfer, Path jar, TransferJobs.Schedulers schedulers,
            Optional<OperationRequest> onEntries) {
        this.transfers = transfers;
        this.transfer = transfer;
        this.jar = jar;
        this.schedulers = schedulers;
        this.onEntries = onEntries;
        this.jobs = TransferJobs.of(transfer, schedulers);
    }

    private static Scheduler named(String name) throws SchedulerException {
        return Schedulers.named(name, System.getenv());
    }

    /**
     * Creates a transfer that records its request. Nothing is planned or submitted yet.
     *
     * @param stateDirectory the state directory, visible on every node; created if it is missing
     * @param jar the jar of TreeHaul, which the jobs start; a copy is kept in the state directory
     * @param title the text by which lists of transfers show it
     * @throws TransferException if the state directory belongs to another user, or others can change its content
     * @throws SchedulerException if there is no such scheduler here; nothing is created then
     */
    public static BatchTransfer create(Path stateDirectory, Path jar, CopyRequest copy, JobOptions jobs, String title)
            throws IOException, SchedulerException {
        return create(stateDirectory, jar, copy, jobs, title, Optional.empty(), BatchTransfer::named);
    }

    /**
     * Does the same for a request that names a list of paths whose content comes from a stream.
     *
     * @param list the list, read to its end and kept with the transfer
     */
    public static BatchTransfer create(Path stateDirectory, Path jar, CopyRequest copy, JobOptions jobs, String title,
            InputStream list) throws IOException, SchedulerException {
        return create(stateDirectory, jar, copy, jobs, title, Optional.of(list), BatchTransfer::named);
    }

    static BatchTransfer create(Path stateDirectory, Path jar, CopyRequest copy, JobOptions jobs, String title,
            Optional<InputStream> list, TransferJobs.Schedulers schedulers) throws IOException, SchedulerException {
        return create(stateDirectory, jar, jobs, schedulers, Optional.empty(),
                transfers -> CopyTransfers.create(transfers, copy, jobs, title, list));
    }

    /**
     * Creates a transfer that moves trees to another file system: it copies, and when all copies are complete and on
     * disk, it removes the sources that have not changed since they were planned. Nothing is planned or submitted yet.
     *
     * @param copy the copy, which must preserve and verify everything
     * @throws IllegalArgumentException if the options of the copy do not verify the data, or the request has a plan, a
     *         list of paths or patterns
     * @throws SchedulerException if there is no such scheduler here; nothing is created then
     */
    public static BatchTransfer createMove(Path stateDirectory, Path jar, CopyRequest copy, JobOptions jobs,
            String title) throws IOException, SchedulerException {
        return createMove(stateDirectory, jar, copy, jobs, title, BatchTransfer::named);
    }

    static BatchTransfer createMove(Path stateDirectory, Path jar, CopyRequest copy, JobOptions jobs, String title,
            TransferJobs.Schedulers schedulers) throws IOException, SchedulerException {
        return create(stateDirectory, jar, jobs, schedulers, Optional.empty(),
                transfers -> CopyTransfers.createMove(transfers, copy, jobs, title));
    }

    /**
     * Creates a transfer that copies what a survey found, and then makes the destination equal to the source.
     *
     * @param survey a complete survey of a directory
     * @throws SchedulerException if there is no such scheduler here; nothing is created then
     */
    @Internal
    public static BatchTransfer create(Path stateDirectory, Path jar, SyncSurvey survey, JobOptions jobs, String title)
            throws IOException, SchedulerException {
        return create(stateDirectory, jar, survey, jobs, title, BatchTransfer::named);
    }

    static BatchTransfer create(Path stateDirectory, Path jar, SyncSurvey survey, JobOptions jobs, String title,
            TransferJobs.Schedulers schedulers) throws IOException, SchedulerException {
        return create(stateDirectory, jar, jobs, schedulers, Optional.empty(),
                transfers -> survey.create(transfers, jobs, title));
    }

    /**
     * Creates a transfer that performs an operation on the entries of trees, such as a removal. Its request is planned
     * by {@link #submit} of this object: a transfer whose planning does not succeed cannot be opened again.
     *
     * @param jobs the jobs that carry it out
     * @param title the text by which lists of transfers show it
     * @throws UnknownOperationException if the jars of the request do not provide the operation; nothing is created
     *         then
     * @throws SchedulerException if there is no such scheduler here; nothing is created then
     */
    public static BatchTransfer create(Path stateDirectory, Path jar, OperationRequest request, JobOptions jobs,
            String title) throws IOException, SchedulerException {
        return create(stateDirectory, jar, request, jobs, title, BatchTransfer::named);
    }

    static BatchTransfer create(Path stateDirectory, Path jar, OperationRequest request, JobOptions jobs, String title,
            TransferJobs.Schedulers schedulers) throws IOException, SchedulerException {
        return create(stateDirectory, jar, jobs, schedulers, Optional.of(request),
                transfers -> OperationTransfers.create(transfers, request, jobs, title));
    }

    /**
     * Creates a transfer that compares the entries of a finished copy with their sources. It has its plan already.
     *
     * @param copy the copy
     * @param jobs the jobs that carry it out
     * @throws TransferException if the transfer is not a copy, or is not finished
     * @throws SchedulerException if there is no such scheduler here; nothing is created then
     */
    public static BatchTransfer createVerify(Path stateDirectory, Path jar, TransferId copy, JobOptions jobs)
            throws IOException, SchedulerException {
        return createVerify(stateDirectory, jar, copy, jobs, BatchTransfer::named);
    }

    static BatchTransfer createVerify(Path stateDirectory, Path jar, TransferId copy, JobOptions jobs,
            TransferJobs.Schedulers schedulers) throws IOException, SchedulerException {
        return create(stateDirectory, jar, jobs, schedulers, Optional.empty(), transfers -> {
            TransferDirectory transfer = transfers.createVerify(transfers.open(copy), "verify " + copy,
                    Timing.defaults());
            TransferRequest.of(jobs).write(transfer);
            return transfer;
        });
    }

    /** Creates the directory of a transfer. */
    @FunctionalInterface
    private interface Creation {
        TransferDirectory in(Transfers transfers) throws IOException;
    }

    private static BatchTransfer create(Path stateDirectory, Path jar, JobOptions jobs,
            TransferJobs.Schedulers schedulers, Optional<OperationRequest> request, Creation creation)
            throws IOException, SchedulerException {
        schedulers.named(jobs.scheduler());
        Transfers transfers = Transfers.in(stateDirectory);
        // Kept before planning: if there is no room for it, hours of planning would be lost.
        Path kept = KeptJar.keep(stateDirectory, jar);
        return new BatchTransfer(transfers, creation.in(transfers), kept, schedulers, request);
    }

    /**
     * Creates the transfers that copy again the entries that a finished verification found to differ: one transfer for
     * each source with such entries. Entries that no longer exist in the source are skipped, and so are entries that
     * only the destination has. All names of a hard-linked file are copied together. The repaired entries are compared
     * again when the verification is {@linkplain #resume resumed}. Keeps about 200 bytes of memory for each entry.
     *
     * @param verification the verification
     * @param jobs the jobs that carry each of them out
     * @return the transfers, neither planned nor submitted; empty if nothing differs
     * @throws TransferException if the transfer is not a verification, or is not finished
     * @throws SchedulerException if there is no such scheduler here; nothing is created then
     */
    public static List<BatchTransfer> createRepairs(Path stateDirectory, Path jar, TransferId verification,
            JobOptions jobs) throws IOException, SchedulerException {
        return createRepairs(stateDirectory, jar, verification, jobs, BatchTransfer::named);
    }

    static List<BatchTransfer> createRepairs(Path stateDirectory, Path jar, TransferId verification, JobOptions jobs,
            TransferJobs.Schedulers schedulers) throws IOException, SchedulerException {
        Transfers transfers = Transfers.in(stateDirectory);
        List<BatchTransfer> created = new ArrayList<>();
        for (Repair repair : Repair.of(transfers, transfers.open(verification), jobs.workers())) {
            created.add(create(stateDirectory, jar, repair.request(), jobs, "verify --repair " + verification,
                    repair.list().map(ByteArrayInputStream::new), schedulers));
        }
        return created;
    }

    /**
     * Opens a transfer.
     *
     * @param jar the jar of TreeHaul, which jobs start when it is resumed
     * @throws TransferException if it does not exist, is damaged, or is of an unknown version or operation
     */
    public static BatchTransfer open(Path stateDirectory, Path jar, TransferId id) throws IOException {
        return open(stateDirectory, jar, id, BatchTransfer::named);
    }

    static BatchTransfer open(Path stateDirectory, Path jar, TransferId id, TransferJobs.Schedulers schedulers)
            throws IOException {
        Transfers transfers = Transfers.in(stateDirectory);
        return new BatchTransfer(transfers, transfers.open(id), KeptJar.keep(stateDirectory, jar), schedulers,
                Optional.empty());
    }

    /** Returns the id of the transfer. */
    public TransferId id() {
        return transfer.id();
    }

    /** Returns the directory with all files of the transfer, for callers that need details. */
    public TransferDirectory directory() {
        return transfer;
    }

    /** Returns whether the transfer still exists: {@link #submit} forgets one that cannot be planned. */
    public boolean exists() {
        return Files.exists(transfer.path().resolve("transfer"));
    }

    /** Returns the jobs that were submitted for the transfer, in the order of submission. */
    public List<SubmittedJobs> submittedJobs() throws IOException {
        return transfer.submittedJobs();
    }

    /** Returns the status. Reads only small files, and asks no scheduler. */
    public TransferStatus status() throws IOException {
        return transfers.status(transfer);
    }

    /**
     * Plans the copy, or the operation on entries, in this process and submits its jobs; with a streaming strategy as
     * soon as there is a batch. If the plan or the options for jobs are refused, the transfer is forgotten; if the
     * scheduler refuses the jobs after planning, the transfer and its plan stay, and {@link #resume} submits it again.
     *
     * @param listener receives notices, and entries that cannot be read; with a streaming strategy, on another thread
     * @param progress counts what is planned
     * @param cancellation interrupts planning; a transfer whose first batches were submitted is cancelled then
     * @return the newest generation; empty if planning was interrupted, nothing was submitted, and the transfer is
     *         forgotten
     * @throws CopyRefusedException if there is nothing to copy, or it does not fit into the destination
     * @throws OvertakenException if another process has resumed, cancelled or forgotten the transfer
     */
    public OptionalInt submit(EventListener listener, Progress progress, Cancellation cancellation)
            throws IOException, SchedulerException, CopyRefusedException, InterruptedException {
        TransferRequest request = request();
        if (onEntries.isEmpty() && request.copy().isEmpty() && !transfers.needsPlan(transfer)) {
            return OptionalInt.of(submitPlanned());
        }
        FirstStart start = firstStart(request, false);
        FirstStart.Planning planning;
        boolean isStreaming = false;
        if (onEntries.isPresent()) {
            planning = (to, counts, stop) -> OperationTransfers.plan(transfer, onEntries.get(),
                    request.jobs().workers(), to, counts, stop);
        } else {
            CopyRequest copy = request.copy().orElseThrow(() -> new TransferException(id() + " is not planned"));
            planning = (to, counts,
                    stop) -> new CopyPlanning(transfer, transfer.generations()::isOnlyOfCreator, to, counts, stop)
                            .plan(copy);
            // A plan made ahead has all its batches.
            isStreaming = copy.plan().isEmpty() && Strategies.named(copy.batching().strategy()).isStreaming();
        }
        start.check();
        return start.planAndSubmit(planning, isStreaming, listener, progress, cancellation);
    }

    /**
     * Submits the jobs of a transfer that was created with its plan, such as a verification. If the scheduler refuses
     * them, the transfer stays, and {@link #resume} submits it again.
     *
     * @return the generation whose jobs were submitted
     */
    public int submitPlanned() throws IOException, SchedulerException {
        TransferRequest request = request();
        int batches = Plan.open(transfer.plan()).batchCount();
        return firstStart(request, false).submit(Math.clamp(batches, 1, request.jobs().workers()));
    }

    /**
     * Submits the jobs of a copy, the first of which plans it. If the options for jobs are refused, the transfer is
     * forgotten.
     *
     * @return the generation whose jobs were submitted
     * @throws OvertakenException if another process has resumed, cancelled or forgotten the transfer
     */
    public int submitUnplanned() throws IOException, SchedulerException {
        TransferRequest request = request();
        FirstStart start = firstStart(request, true);
        start.check();
        return start.submit(request.jobs().workers());
    }

    /**
     * Continues an incomplete transfer with the options of its last jobs, see {@link #resume(UnaryOperator, boolean)}.
     *
     * @return the generation whose jobs were submitted; empty if the transfer is complete
     * @throws TransferException if it was made by a program that wrote no request
     */
    public OptionalInt resume() throws IOException, SchedulerException, InterruptedException {
        return resume(last -> last, false);
    }

    /**
     * Continues an incomplete transfer: ends its remaining jobs, waits until none of them can run, and submits jobs
     * that do the missing work and retry failures. A transfer some of whose jobs may still run is cancelled first, and
     * stays so if they cannot be ended. Options that the caller does not change are those of the last jobs. If the jobs
     * go to another scheduler, queue options of the last one are dropped. The request of the transfer records the
     * options that were used.
     *
     * @param change returns the options to use, given those of the last jobs; called again, without queue options, if
     *        the scheduler is another one
     * @param force whether to continue even if the scheduler does not confirm that the old jobs are gone, or inode
     *        numbers of source and destination have changed; only if the caller knows that they are right
     * @return the generation whose jobs were submitted; empty if the transfer is complete, and nothing was changed
     * @throws TransferException if the transfer is still being planned, or can never be; if it was made by a program
     *         that wrote no request; or if it is a copy of a directory that is gone, although entries in it were copied
     * @throws SchedulerException if the scheduler is unknown (then nothing was changed) or refuses the jobs
     */
    public OptionalInt resume(UnaryOperator<JobOptions> change, boolean force)
            throws IOException, SchedulerException, InterruptedException {
        return resume(change, force, OptionalLong.empty());
    }

    /**
     * Does the same, and limits the bandwidth of the new jobs.
     *
     * @param change see {@link #resume(UnaryOperator, boolean)}, such as a {@link JobChanges}
     * @param bandwidth the limit of all jobs together, in bytes per second, 0 for none; empty for the one that they
     *        had. It is changed when the old jobs are gone
     */
    public OptionalInt resume(UnaryOperator<JobOptions> change, boolean force, OptionalLong bandwidth)
            throws IOException, SchedulerException, InterruptedException {
        return resumption(Waiting.Clock.SYSTEM).resume(request().jobs(), change, force, bandwidth);
    }

    OptionalInt resume(Waiting.Clock clock) throws IOException, SchedulerException, InterruptedException {
        return resumption(clock).resume(request().jobs(), last -> last, false, OptionalLong.empty());
    }

    private Resumption resumption(Waiting.Clock clock) {
        return new Resumption(transfers, transfer, jar, schedulers, jobs, clock);
    }

    /**
     * Ends the jobs; {@link #resume} continues the transfer. Nothing that was copied is lost.
     *
     * @return false if the transfer is finished, and nothing was changed
     * @throws SchedulerException if jobs may still run; those that the scheduler cannot end stop at their next
     *         heartbeat
     */
    public boolean cancel() throws IOException, SchedulerException {
        return TransferControl.of(transfers, schedulers).cancel(transfer) != TransferControl.Cancelled.FINISHED;
    }

    /**
     * Removes all data about the transfer, and then {@linkplain TransferControl#sweep what no transfer needs}; what it
     * copied stays. The object cannot be used afterwards.
     *
     * @param force see {@link TransferControl#forget}
     * @return whether it was removed; otherwise it is not complete, and nothing was changed
     */
    public boolean forget(boolean force, EventListener listener)
            throws IOException, SchedulerException, InterruptedException {
        TransferControl control = TransferControl.of(transfers, schedulers);
        boolean isForgotten = control.forget(id(), force, listener).isEmpty();
        if (isForgotten) {
            control.sweep();
        }
        return isForgotten;
    }

    /**
     * Works on a submitted transfer in this process, as its jobs do: handles batches until no worker can claim another
     * one, and finishes the transfer if this worker is the last. An interrupt of the calling thread ends the work as a
     * cancellation does, and stays set.
     *
     * @param generation the generation to which this worker belongs; it ends when there is a newer one
     * @param index the number of this worker, from 0; workers with different numbers begin with different batches
     * @param threads the number of threads; 0 for the options of the transfer
     * @param listener receives failures and notices, on any thread
     * @param progress counts the work done
     * @return the result of the transfer if this worker finished it
     * @throws WrongMountException if this host does not see the source or the destination; nothing was written there
     * @throws TransferException if this worker gave up because the destination or the state directory failed as a
     *         whole; other workers can continue
     */
    public Optional<TransferResult> work(int generation, int index, int threads, EventListener listener,
            Progress progress, Cancellation cancellation) throws IOException {
        Cancellation stop = Cancellation.of(cancellation);
        // An attempt whose journal was closed by an interrupt would block its batch until it counts as dead.
        return Threads.apart("treehaul-worker", stop::cancel,
                () -> work(new JobWork(transfer, generation, threads, jobs), index, listener, progress, stop));
    }

    private static Optional<TransferResult> work(JobWork work, int index, EventListener listener, Progress progress,
            Cancellation cancellation) throws IOException {
        WorkResult worked = work.work(index, listener, progress, cancellation);
        return switch (worked.ending()) {
            case GAVE_UP, PLANNER_DIED -> throw new TransferException(worked.problem());
            case STOPPED, SUPERSEDED, DONE -> work.finishIfLast(worked, listener, progress, cancellation);
        };
    }

    /**
     * Waits until the transfer ends, its jobs are gone, or another process resumes or cancels it.
     *
     * @param generation the generation to wait for
     * @param listener receives the status and what delays the transfer, on the calling thread
     * @param cancellation ends the wait; the jobs continue
     * @throws IOException if the transfer is damaged or forgotten, or its state directory cannot be read for ten
     *         minutes
     */
    public WaitEnd await(int generation, WaitListener listener, Cancellation cancellation)
            throws IOException, InterruptedException {
        return await(generation, listener, cancellation, Waiting.Clock.SYSTEM);
    }

    WaitEnd await(int generation, WaitListener listener, Cancellation cancellation, Waiting.Clock clock)
            throws IOException, InterruptedException {
        return new Waiting(transfers, transfer, jobs, generation, listener, clock).await(cancellation);
    }

    private TransferRequest request() throws IOException {
        return TransferRequest.find(transfer)
                .orElseThrow(() -> new TransferException(
                        id() + " was made by a program that wrote no request: 'treehaul resume' reads it"));
    }

    private FirstStart firstStart(TransferRequest request, boolean planInJob) throws SchedulerException {
        return new FirstStart(transfers, transfer, jobs, schedulers.named(request.jobs().scheduler()),
                workers -> JobOrders.of(request, transfer, jar, workers, planInJob), request.jobs().workers());
    }
}
