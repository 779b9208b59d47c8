// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.treehaul.cli.args.Options;
import org.treehaul.core.event.Event;
import org.treehaul.core.plan.PlanException;
import org.treehaul.core.transfer.TransferDirectory;
import org.treehaul.core.transfer.TransferException;
import org.treehaul.core.transfer.TransferId;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.walk.Cancellation;
import org.treehaul.schedulers.JobState;
import org.treehaul.schedulers.KeptJar;
import org.treehaul.schedulers.SchedulerException;

/** {@code treehaul forget}: removes what is kept of transfers. */
final class ForgetCommand extends TransferCommand {

    private final StateOptions state = new StateOptions(spec);
    private boolean force;

    /** Describes itself to Picocli. */
    ForgetCommand() {
        super("forget", "Remove plan, journals and output of a transfer; what it copied stays.");
        spec.usageMessage()
                .customSynopsis("treehaul forget [--force] ID", "       treehaul forget [--force] all")
                .description(
                        "%nWith 'all': of all that are complete; those that are not stay. What has jobs is refused.%n")
                .footer("%nExit codes: 0 forgotten, 2 something was refused.");
        spec.addOption(Options.flag(value -> force = value, "--force")
                .description("Even if it is not complete, or its scheduler does not say whether it has jobs.")
                .build());
    }

    @Override
    ExitCode run() throws IOException, SchedulerException {
        Transfers transfers = state.transfers();
        if (!named().equals("all")) {
            TransferDirectory transfer = state.open(named());
            if (!force && !isComplete(transfers, transfer)) {
                throw new TransferException(transfer.id() + " is " + word(transfers, transfer)
                        + ", and could not be resumed any more; --force forgets it all the same");
            }
            forget(transfers, transfer);
            sweepPrograms(transfers);
            return ExitCode.DONE;
        }
        ExitCode code = ExitCode.DONE;
        for (TransferId id : transfers.list()) {
            try {
                TransferDirectory transfer = transfers.open(id);
                if (!force && !isComplete(transfers, transfer)) {
                    common.screen().note(id + " is " + word(transfers, transfer) + " and stays");
                    continue;
                }
                forget(transfers, transfer);
            } catch (TransferException | SchedulerException e) {
                common.screen().error(String.valueOf(e.getMessage()));
                code = ExitCode.TROUBLE;
            }
        }
        sweepPrograms(transfers);
        return code;
    }

    // Programs of 7 MB each that jobs of transfers started which are no more.
    private void sweepPrograms(Transfers transfers) {
        try {
            List<Path> left = new ArrayList<>();
            for (TransferId id : transfers.list()) {
                left.add(transfers.open(id).path());
            }
            KeptJar.sweep(state.directory(), left);
        } catch (IOException e) {
            common.screen()
                    .note("programs that no job needs may be left in " + state.directory() + ": " + e.getMessage());
        }
    }

    // Nobody finishes it any more, which would do that.
    private void sweep(Transfers transfers, TransferDirectory transfer) {
        String rest = "";
        try {
            Optional<String> left = transfers.sweep(transfer, event -> {
                if (event instanceof Event.Notice notice) {
                    common.screen().note(notice.text());
                }
            }, new Cancellation());
            rest = left.map(prefix -> "the destination is not seen from here: files " + prefix
                    + "* of killed workers may be left in it").orElse("");
        } catch (IOException e) {
            rest = "files .treehaul-* of killed workers may be left in the destination: " + e.getMessage();
        }
        if (!rest.isEmpty()) {
            common.screen().note(rest);
        }
    }

    private static boolean isComplete(Transfers transfers, TransferDirectory transfer) throws IOException {
        try {
            return transfers.status(transfer).state() == TransferStatus.State.COMPLETE;
        } catch (PlanException e) {
            throw new TransferException(transfer.id() + " cannot be read: " + e.getMessage()
                    + "; 'treehaul forget --force " + transfer.id() + "' removes it all the same", e);
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

    private static String word(Transfers transfers, TransferDirectory transfer) throws IOException {
        return TransferReport.word(transfers.status(transfer).state());
    }

    private void forget(Transfers transfers, TransferDirectory transfer) throws IOException, SchedulerException {
        if (force) {
            putDamagedJobsAside(transfer);
        }
        try {
            Map<String, JobState> live = jobs(transfer).live();
            if (!live.isEmpty()) {
                throw new TransferException(transfer.id() + " still has jobs (" + String.join(", ", live.keySet())
                        + "): 'treehaul cancel " + transfer.id() + "' first");
            }
        } catch (SchedulerException e) {
            if (!force) {
                throw e;
            }
        }
        if (mayLeaveFiles(transfers, transfer)) {
            sweep(transfers, transfer);
        }
        transfers.forget(transfer);
        common.screen().note("forgot " + transfer.id());
    }
}
