// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.transfer.BatchStatus;
import org.treehaul.core.transfer.DestinationTraces;
import org.treehaul.core.transfer.Refusal;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.SubmittedJobs;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.core.transfer.request.TransferRequest;
import org.treehaul.schedulers.KeptJar;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.TransferJobs;

/** Continues an incomplete transfer by new jobs. */
final class Resumption {

    // A planner updates its heartbeat every few seconds.
    private static final long PLANNER_MILLIS = 11_000;
    private static final long NAP_MILLIS = 200;
    // As long as cancelled jobs have to end.
    private static final long PATIENCE_NANOS = 120_000_000_000L;
    private static final long QUESTION_MILLIS = 2_000;

    private final Transfers transfers;
    private final TransferDirectory transfer;
    private final Path jar;
    private final TransferJobs.Schedulers schedulers;
    private final TransferJobs jobs;
    private final Waiting.Clock clock;

    Resumption(Transfers transfers, TransferDirectory transfer, Path jar, TransferJobs.Schedulers schedulers,
            TransferJobs jobs, Waiting.Clock clock) {
        this.transfers = transfers;
        this.transfer = transfer;
        this.jar = jar;
        this.schedulers = schedulers;
        this.jobs = jobs;
        this.clock = clock;
    }

    /**
     * See {@link BatchTransfer#resume(UnaryOperator, boolean, OptionalLong)}.
     *
     * @param last the options of the last submission
     */
    OptionalInt resume(JobOptions last, UnaryOperator<JobOptions> change, boolean force, OptionalLong bandwidth)
            throws IOException, SchedulerException, InterruptedException {
        TransferStatus status = transfers.status(transfer);
        if (status.state() == TransferStatus.State.COMPLETE) {
            return OptionalInt.empty();
        }
        JobOptions options = change.apply(last);
        schedulers.named(options.scheduler());
        if (!suitsQueue(last.scheduler(), options.scheduler())) {
            options = change.apply(last.withScheduler(last.scheduler()));
        }
        requireResumable(force);
        int seen = stop(status.generation(), force);
        if (isComplete()) {
            return OptionalInt.empty();
        }
        if (bandwidth.isPresent()) {
            transfers.limitBandwidth(transfer, bandwidth.getAsLong());
        }
        return OptionalInt.of(submit(options, status, seen, force));
    }

    private boolean isComplete() throws IOException {
        return transfers.status(transfer).state() == TransferStatus.State.COMPLETE;
    }

    /**
     * Returns whether a scheduler understands the queue options of the last jobs, because it is the scheduler of these
     * jobs.
     *
     * @param last the name in the last request, which may be {@code auto}; used if no job was submitted
     * @param next the name for the jobs to submit
     */
    private boolean suitsQueue(String last, String next) throws IOException, SchedulerException {
        List<SubmittedJobs> submitted = transfer.submittedJobs();
        return submitted.isEmpty()
                ? last.equals(next)
                : submitted.getLast().scheduler().equals(schedulers.named(next).name());
    }

    // Changes nothing.
    private void requireResumable(boolean force) throws IOException, InterruptedException {
        Optional<TransferRequest> request = TransferRequest.find(transfer);
        if (request.isPresent()) {
            located(request.get());
        }
        if (!transfers.needsPlan(transfer)) {
            DestinationTraces.requireCopies(transfer);
            return;
        }
        if (!transfer.operation().isPlanned()) {
            throw new TransferException(transfer.id() + " was not created completely: forget it, and begin again");
        }
        List<SubmittedJobs> submitted = transfer.submittedJobs();
        if (!force && submitted.stream().noneMatch(known -> known.phase().equals("plan")) && isBeingPlanned()) {
            throw new TransferException(
                    transfer.id() + " is still being planned; if you know that it is not, --force resumes it");
        }
    }

    // Returns when no job can run any more, or the transfer is complete, with the newest generation. Begins one before the
    // jobs are cancelled: finishing that is stopped must not count as the end of the transfer, and jobs stop by themselves
    // if the scheduler then fails.
    private int stop(int seen, boolean force) throws IOException, InterruptedException {
        int newest = seen;
        try {
            if (hasJobs()) {
                newest = transfers.cancel(transfer, seen).orElse(seen);
                if (!isComplete()) {
                    jobs.stop();
                }
            }
        } catch (SchedulerException e) {
            if (!force) {
                throw new TransferException(e.getMessage()
                        + (newest == seen ? "" : "; " + transfer.id() + " is cancelled until it is resumed again")
                        + "; if you know that no job of " + transfer.id() + " is left, --force resumes it", e);
            }
        }
        return newest;
    }

    // Nothing is changed yet: a scheduler that is too busy to answer has time to do so.
    private boolean hasJobs() throws IOException, SchedulerException, InterruptedException {
        long began = clock.nanos();
        while (true) {
            try {
                return !jobs.live().isEmpty();
            } catch (SchedulerException e) {
                boolean isLost = e.exitCode() != SchedulerException.NO_CODE && !e.isRefusal();
                if (!isLost || clock.nanos() - began > PATIENCE_NANOS) {
                    throw e;
                }
            }
            clock.sleep(QUESTION_MILLIS);
        }
    }

    // The clocks of hosts may differ, so two readings of the heartbeat are compared.
    private boolean isBeingPlanned() throws IOException, InterruptedException {
        Path heartbeat = Plan.heartbeat(transfer.plan());
        try {
            FileTime first = Files.getLastModifiedTime(heartbeat);
            for (long slept = 0; slept < PLANNER_MILLIS; slept += NAP_MILLIS) {
                clock.sleep(NAP_MILLIS);
                if (!Files.getLastModifiedTime(heartbeat).equals(first)) {
                    return true;
                }
            }
        } catch (NoSuchFileException e) {
            // The planner has ended properly.
        }
        return false;
    }

    // Without the jar each job would end before it can report anything.
    private TransferRequest located(TransferRequest request) throws IOException {
        List<Path> jars = new ArrayList<>();
        for (Path kept : request.jars()) {
            jars.add(KeptJar.find(transfers.stateDirectory(), kept)
                    .orElseThrow(() -> new TransferException(transfer.id() + " needs " + kept
                            + ", which is missing and has its operation '" + transfer.operation().name()
                            + "': put this jar back, or begin a new transfer; nothing was changed")));
        }
        return new TransferRequest(request.jobs(), request.copy(), jars);
    }

    private int workers(JobOptions options, TransferStatus seen) throws IOException {
        return transfers.needsPlan(transfer)
                ? options.workers()
                : Math.clamp(seen.batches().size(), 1, options.workers());
    }

    // Also records the options in the request.
    private int submit(JobOptions options, TransferStatus seen, int newest, boolean force)
            throws IOException, SchedulerException {
        boolean needsPlan = transfers.needsPlan(transfer);
        TransferRequest request = located(TransferRequest.find(transfer)
                .map(earlier -> earlier.withJobs(options))
                .orElseGet(() -> TransferRequest.of(options)));
        TransferJobs.Order order = JobOrders.of(request, transfer, jar, workers(options, seen), needsPlan);
        if (force && !needsPlan) {
            // Nodes recognize the destination by these tokens even if its inode numbers have changed.
            DestinationTraces.renewTokens(transfer);
            order = order.trustingMounts();
        } else if (!needsPlan) {
            Refusal.restoreTokens(transfer);
        }
        int generation;
        try {
            Set<Integer> done = seen.batches()
                    .stream()
                    .filter(batch -> batch.state() == BatchStatus.State.DONE)
                    .map(BatchStatus::number)
                    .collect(Collectors.toSet());
            generation = jobs.resume(schedulers.named(options.scheduler()), order, newest, done);
        } catch (SchedulerException e) {
            Refusal.withdrawTokens(transfers, transfer);
            throw e;
        }
        request.write(transfer);
        return generation;
    }
}
