// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.io.IOException;

import org.treehaul.core.transfer.TransferDirectory;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.schedulers.SchedulerException;

/** {@code treehaul cancel}: ends the jobs of a transfer. */
final class CancelCommand extends TransferCommand {

    private final StateOptions state = new StateOptions(spec);

    /** Describes itself to Picocli. */
    CancelCommand() {
        super("cancel", "End the jobs of a transfer; resume goes on with it.");
        spec.usageMessage()
                .description(
                        "%nNothing that was copied is lost. A job that the scheduler cannot end stops by itself at its "
                                + "next heartbeat.%n")
                .footer("%nExit codes: 0 no job is left, 2 jobs may still run.");
    }

    @Override
    ExitCode run() throws IOException, SchedulerException {
        TransferDirectory transfer = state.open(named());
        TransferStatus.State found = state.transfers().status(transfer).state();
        boolean isOver = found == TransferStatus.State.INCOMPLETE || found == TransferStatus.State.CANCELLED;
        if (isOver && isIdle(transfer)) {
            common.screen().note(transfer.id() + " is " + TransferReport.word(found) + ": it has no jobs");
            return ExitCode.DONE;
        }
        if (state.transfers().cancel(transfer).isEmpty()) {
            // Maybe since it was looked at.
            common.screen()
                    .note(transfer.id() + " is " + TransferReport.word(state.transfers().status(transfer).state())
                            + " already: there is nothing to cancel; what is left of its jobs comes to its end");
            return ExitCode.DONE;
        }
        jobs(transfer).stop();
        common.screen().note(transfer.id() + " is cancelled; 'treehaul resume " + transfer.id() + "' goes on with it");
        return ExitCode.DONE;
    }

    private static boolean isIdle(TransferDirectory transfer) throws IOException {
        try {
            return jobs(transfer).live().isEmpty();
        } catch (SchedulerException e) {
            return false;
        }
    }
}
