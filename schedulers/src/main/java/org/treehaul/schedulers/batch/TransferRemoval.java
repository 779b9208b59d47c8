// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

import org.treehaul.core.copy.batch.TransferFinisher;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.transfer.DestinationTraces;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.schedulers.JobState;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.TransferJobs;

/**
 * Removes the state of one transfer that has no jobs.
 *
 * @param force whether the transfer may be damaged or incomplete, or its scheduler may not say whether it has jobs
 * @param listener receives notices
 */
record TransferRemoval(Transfers transfers, TransferDirectory transfer, TransferJobs jobs, boolean force,
        EventListener listener) {

    private static final long PATIENCE_NANOS = Duration.ofSeconds(15).toNanos();
    private static final long NAP_MILLIS = 200;

    /** See {@link TransferControl#forget}. */
    Optional<TransferStatus.State> forget() throws IOException, SchedulerException, InterruptedException {
        if (force) {
            putDamagedJobsAside();
        } else {
            TransferStatus.State found = state();
            if (found != TransferStatus.State.COMPLETE) {
                return Optional.of(found);
            }
        }
        if (isFinished()) {
            jobs.endWaiting(transfer.generations().newest());
        }
        try {
            awaitJobs();
        } catch (SchedulerException e) {
            if (!force) {
                throw e;
            }
        }
        if (mayLeaveFiles()) {
            sweep();
        }
        try {
            transfers.forget(transfer);
        } catch (IOException e) {
            throw new TransferException("a part of " + transfer.id() + " may be left in " + transfer.path()
                    + ", and is no longer needed: " + StateDirectory.reason(e), e);
        }
        return Optional.empty();
    }

    private void putDamagedJobsAside() throws IOException {
        try {
            for (Path file : transfer.putDamagedJobsAside()) {
                listener.onEvent(new Event.Notice(file + " is damaged and ignored: its jobs are assumed to be gone"));
            }
        } catch (NoSuchFileException e) {
            listener.onEvent(
                    new Event.Notice(transfer.id() + " has no record of its jobs: they are assumed to be gone"));
        }
    }

    private TransferStatus.State state() throws IOException {
        try {
            return transfers.status(transfer).state();
        } catch (PlanException | NoSuchFileException e) {
            throw unreadable(e);
        }
    }

    private TransferException unreadable(IOException e) {
        String reason = StateDirectory.reason(e);
        boolean mayPass = e instanceof PlanException && StateDirectory.isUnreadable(e);
        return new TransferException(mayPass
                ? transfer.id() + " cannot be read now: " + reason
                        + "; forget it when the state directory is readable again"
                : transfer.id() + " cannot be read: " + reason + "; 'treehaul forget --force " + transfer.id()
                        + "' removes it anyway",
                e);
    }

    private Map<String, JobState> live() throws IOException, SchedulerException {
        try {
            return jobs.live();
        } catch (NoSuchFileException e) {
            if (force) {
                return Map.of();
            }
            throw unreadable(e);
        }
    }

    // The last job of a finished transfer runs the completion command, and a scheduler takes a while to notice the
    // job's end.
    private void awaitJobs() throws IOException, SchedulerException, InterruptedException {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            Map<String, JobState> live = live();
            boolean isFinished = !live.isEmpty() && isFinished();
            if (!live.isEmpty() && (force || isFinished)) {
                live.values().removeIf(JobState.UNKNOWN::equals);
            }
            if (live.isEmpty()) {
                return;
            }
            String left = " still has jobs (" + String.join(", ", live.keySet()) + "): ";
            if (!isFinished) {
                throw new TransferException(transfer.id() + left + "'treehaul cancel " + transfer.id() + "' first");
            }
            if (System.nanoTime() - end > 0) {
                throw new TransferException(
                        transfer.id() + left + "it is finished, and can be forgotten when the jobs end");
            }
            Thread.sleep(NAP_MILLIS);
        }
    }

    private boolean isFinished() {
        try {
            return transfers.status(transfer).result().isPresent();
        } catch (IOException e) {
            // The state is unknown.
            return false;
        }
    }

    // Reads the state again, because a job that was awaited may have finished the transfer.
    private boolean mayLeaveFiles() throws IOException {
        try {
            TransferStatus.State found = transfers.status(transfer).state();
            return found != TransferStatus.State.COMPLETE && found != TransferStatus.State.PARTIAL;
        } catch (TransferException | PlanException | NoSuchFileException e) {
            if (!force) {
                throw e;
            }
            return true;
        }
    }

    // No finisher, which would sweep it, will run any more.
    private void sweep() {
        try {
            DestinationTraces.sweep(transfer, event -> {
                if (event instanceof Event.Notice) {
                    listener.onEvent(event);
                }
            }, new Cancellation())
                    .ifPresent(prefix -> listener
                            .onEvent(new Event.Notice("cannot access the destination from here: files " + prefix
                                    + "* of killed workers may be left in it")));
        } catch (IOException e) {
            listener.onEvent(new Event.Notice("files " + TransferFinisher.temporaryPrefix(transfer.id().text())
                    + "* of killed workers, and .treehaul-" + transfer.id() + ", may be left in the destination: "
                    + StateDirectory.reason(e)));
        }
    }
}
