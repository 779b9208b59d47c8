// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

import org.treehaul.cli.report.Screen;
import org.treehaul.core.copy.batch.TransferFinisher;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.schedulers.JobState;
import org.treehaul.schedulers.SchedulerException;

/**
 * Removes the state of transfers that have no jobs.
 *
 * @param force whether a transfer may be damaged or incomplete, or its scheduler may not say whether it has jobs
 */
record TransferRemoval(Transfers transfers, Screen screen, boolean force) {

    private static final long PATIENCE_NANOS = Duration.ofSeconds(15).toNanos();
    private static final long NAP_MILLIS = 200;

    /** Opens a transfer, with force even if it is damaged. */
    TransferDirectory open(TransferId id) throws IOException {
        return force ? transfers.openDamaged(id) : transfers.open(id);
    }

    /** Returns the state; with force each transfer may go, like a complete one. */
    TransferStatus.State stateOf(TransferDirectory transfer) throws IOException {
        if (force) {
            return TransferStatus.State.COMPLETE;
        }
        try {
            return transfers.status(transfer).state();
        } catch (PlanException e) {
            if (StateDirectory.isUnreadable(e)) {
                throw new TransferException(transfer.id() + " cannot be read now: " + e.getMessage()
                        + "; forget it when the state directory is readable again", e);
            }
            throw new TransferException(transfer.id() + " cannot be read: " + e.getMessage()
                    + "; 'treehaul forget --force " + transfer.id() + "' removes it anyway", e);
        }
    }

    /**
     * Removes the state of a transfer.
     *
     * @throws TransferException if it still has jobs, or cannot be removed
     */
    void forget(TransferDirectory transfer) throws IOException, SchedulerException, InterruptedException {
        if (isFinished(transfer)) {
            TransferCommand.endWaiting(transfer, transfer.generations().newest());
        }
        try {
            awaitJobs(transfer);
        } catch (SchedulerException e) {
            if (!force) {
                throw e;
            }
        }
        if (mayLeaveFiles(transfer)) {
            sweep(transfer);
        }
        try {
            transfers.forget(transfer);
        } catch (IOException e) {
            throw new TransferException("a part of " + transfer.id() + " may be left in " + transfer.path()
                    + ", and is no longer needed: " + StateDirectory.reason(e), e);
        }
        screen.note("forgot " + transfer.id());
    }

    // The last job of a finished transfer runs the completion command, and a scheduler takes a while to notice the
    // job's end.
    private void awaitJobs(TransferDirectory transfer) throws IOException, SchedulerException, InterruptedException {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            Map<String, JobState> live = TransferCommand.jobs(transfer).live();
            boolean isFinished = !live.isEmpty() && isFinished(transfer);
            if (force || isFinished) {
                live.values().removeIf(JobState.UNKNOWN::equals);
            }
            if (live.isEmpty()) {
                return;
            }
            String jobs = " still has jobs (" + String.join(", ", live.keySet()) + "): ";
            if (!isFinished) {
                throw new TransferException(transfer.id() + jobs + "'treehaul cancel " + transfer.id() + "' first");
            }
            if (System.nanoTime() - end > 0) {
                throw new TransferException(
                        transfer.id() + jobs + "it is finished, and can be forgotten when the jobs end");
            }
            Thread.sleep(NAP_MILLIS);
        }
    }

    private boolean isFinished(TransferDirectory transfer) {
        try {
            return transfers.status(transfer).result().isPresent();
        } catch (IOException e) {
            // The state is unknown.
            return false;
        }
    }

    // No finisher, which would sweep it, will run any more.
    private void sweep(TransferDirectory transfer) {
        String rest = "";
        try {
            Optional<String> left = transfers.sweep(transfer, event -> {
                if (event instanceof Event.Notice notice) {
                    screen.note(notice.text());
                }
            }, new Cancellation());
            rest = left.map(prefix -> "cannot access the destination from here: files " + prefix
                    + "* of killed workers may be left in it").orElse("");
        } catch (IOException e) {
            rest = "files " + TransferFinisher.temporaryPrefix(transfer.id().text())
                    + "* of killed workers, and .treehaul-" + transfer.id() + ", may be left in the destination: "
                    + e.getMessage();
        }
        if (!rest.isEmpty()) {
            screen.note(rest);
        }
    }

    private boolean mayLeaveFiles(TransferDirectory transfer) throws IOException {
        try {
            TransferStatus.State found = transfers.status(transfer).state();
            return found != TransferStatus.State.COMPLETE && found != TransferStatus.State.PARTIAL;
        } catch (TransferException | PlanException e) {
            if (!force) {
                throw e;
            }
            return true;
        }
    }
}
