// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.ExitCode;
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
import org.treehaul.schedulers.KeptJar;
import org.treehaul.schedulers.SchedulerException;

/** {@code treehaul forget}: removes the state of transfers. */
public final class ForgetCommand extends TransferCommand {

    private static final long PATIENCE_NANOS = Duration.ofSeconds(15).toNanos();
    private static final long NAP_MILLIS = 200;

    private final StateOptions state = new StateOptions(spec);
    private boolean force;

    /** Defines the command for Picocli. */
    public ForgetCommand() {
        super("forget", "Remove the plan, journals and output of a transfer, but not its copy.");
        spec.usageMessage()
                .customSynopsis("treehaul forget [--force] ID", "       treehaul forget [--force] all")
                .description(
                        "%nWith 'all', removes those of all complete transfers. Refuses transfers that still have jobs.%n")
                .footer("%nExit codes: 0 removed, 2 something was refused.");
        spec.addOption(Options.flag(value -> force = value, "--force")
                .description(
                        "Remove it even if it is not complete, or if its scheduler does not say whether it has jobs.")
                .build());
    }

    @Override
    public ExitCode run() throws IOException, SchedulerException, InterruptedException {
        Transfers transfers = state.transfers();
        if (!named().equals("all")) {
            TransferDirectory transfer = open(transfers, state.find(transfers, named()));
            TransferStatus.State found = force ? TransferStatus.State.COMPLETE : stateOf(transfers, transfer);
            if (found != TransferStatus.State.COMPLETE) {
                throw new TransferException(transfer.id() + " is " + TransferReport.word(found)
                        + ", and could not be resumed afterwards; --force removes it anyway");
            }
            forget(transfers, transfer);
            sweepRest(transfers);
            return ExitCode.DONE;
        }
        ExitCode code = ExitCode.DONE;
        for (TransferId id : transfers.list()) {
            try {
                TransferDirectory transfer = open(transfers, id);
                TransferStatus.State found = force ? TransferStatus.State.COMPLETE : stateOf(transfers, transfer);
                if (found != TransferStatus.State.COMPLETE) {
                    common.screen().note(id + " is " + TransferReport.word(found) + " and is kept");
                    continue;
                }
                forget(transfers, transfer);
            } catch (TransferException | SchedulerException e) {
                common.screen().error(String.valueOf(e.getMessage()));
                code = ExitCode.TROUBLE;
            }
        }
        sweepRest(transfers);
        return code;
    }

    private TransferDirectory open(Transfers transfers, TransferId id) throws IOException {
        return force ? transfers.openDamaged(id) : transfers.open(id);
    }

    // Remains of incomplete transfers, and programs of 7 MB each, kept for the jobs of transfers that no longer exist.
    private void sweepRest(Transfers transfers) {
        try {
            transfers.forgetHalves();
            List<Path> left = new ArrayList<>();
            for (TransferId id : transfers.list()) {
                left.add(transfers.openDamaged(id).path());
            }
            KeptJar.sweep(state.directory(), left);
        } catch (IOException e) {
            common.screen().note("unneeded files may be left in " + state.directory() + ": " + e.getMessage());
        }
    }

    // The last job of a finished transfer runs the completion command, and a scheduler takes a while to notice the
    // job's end.
    private void awaitJobs(Transfers transfers, TransferDirectory transfer)
            throws IOException, SchedulerException, InterruptedException {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            Map<String, JobState> live = jobs(transfer).live();
            boolean isFinished = !live.isEmpty() && isFinished(transfers, transfer);
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

    private static boolean isFinished(Transfers transfers, TransferDirectory transfer) {
        try {
            return transfers.status(transfer).result().isPresent();
        } catch (IOException e) {
            // The state is unknown.
            return false;
        }
    }

    // No finisher, which would sweep it, will run any more.
    private void sweep(Transfers transfers, TransferDirectory transfer) {
        String rest = "";
        try {
            Optional<String> left = transfers.sweep(transfer, event -> {
                if (event instanceof Event.Notice notice) {
                    common.screen().note(notice.text());
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
            common.screen().note(rest);
        }
    }

    private static TransferStatus.State stateOf(Transfers transfers, TransferDirectory transfer) throws IOException {
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

    private boolean mayLeaveFiles(Transfers transfers, TransferDirectory transfer) throws IOException {
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

    private void forget(Transfers transfers, TransferDirectory transfer)
            throws IOException, SchedulerException, InterruptedException {
        if (force) {
            putDamagedJobsAside(transfer);
        }
        if (isFinished(transfers, transfer)) {
            endWaiting(transfer, transfer.generations().newest());
        }
        try {
            awaitJobs(transfers, transfer);
        } catch (SchedulerException e) {
            if (!force) {
                throw e;
            }
        }
        if (mayLeaveFiles(transfers, transfer)) {
            sweep(transfers, transfer);
        }
        try {
            transfers.forget(transfer);
        } catch (IOException e) {
            throw new TransferException("a part of " + transfer.id() + " may be left in " + transfer.path()
                    + ", and is no longer needed: " + StateDirectory.reason(e), e);
        }
        common.screen().note("forgot " + transfer.id());
    }
}
