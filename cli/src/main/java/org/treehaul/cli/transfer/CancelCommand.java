// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;

import org.treehaul.cli.common.ExitCode;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.schedulers.SchedulerException;

/** {@code treehaul cancel}: ends the jobs of a transfer. */
public final class CancelCommand extends TransferCommand {

    private final StateOptions state = new StateOptions(spec);

    /** Defines the command for Picocli. */
    public CancelCommand() {
        super("cancel", "End the jobs of a transfer; resume continues it.");
        spec.usageMessage()
                .description(
                        "%nKeeps everything that was copied. A job that the scheduler cannot end stops by itself at its "
                                + "next heartbeat.%n")
                .footer("%nExit codes: 0 no job is left, 2 jobs may still run.");
    }

    @Override
    public ExitCode run() throws IOException, SchedulerException {
        TransferDirectory transfer = state.open(named());
        Transfers transfers = state.reading();
        TransferStatus.State found = transfers.status(transfer).state();
        boolean isOver = found == TransferStatus.State.INCOMPLETE || found == TransferStatus.State.CANCELLED
                || found == TransferStatus.State.NOT_SUBMITTED;
        if (isOver && isIdle(transfer)) {
            common.screen().note(transfer.id() + " is " + TransferReport.words(found) + ": it has no jobs");
            return ExitCode.DONE;
        }
        if (!isCancelled(transfers, transfer)) {
            // The transfer may have ended since its state was read.
            endWaiting(transfer, transfer.generations().newest());
            common.screen()
                    .note(transfer.id() + " is " + TransferReport.words(transfers.status(transfer).state())
                            + " already: there is nothing to cancel; its remaining jobs end by themselves");
            return ExitCode.DONE;
        }
        jobs(transfer).stop();
        common.screen().note(transfer.id() + " is cancelled; 'treehaul resume " + transfer.id() + "' continues it");
        return ExitCode.DONE;
    }

    private static boolean isCancelled(Transfers transfers, TransferDirectory transfer)
            throws IOException, SchedulerException {
        try {
            return transfers.cancel(transfer).isPresent();
        } catch (IOException e) {
            // Ending the jobs matters most, and with a full state directory it works without writing.
            jobs(transfer).stop();
            throw new TransferException("the jobs of " + transfer.id()
                    + " are ended, but the cancellation could not be recorded: " + StateDirectory.reason(e), e);
        }
    }

    private static boolean isIdle(TransferDirectory transfer) throws IOException {
        try {
            return jobs(transfer).live().isEmpty();
        } catch (SchedulerException e) {
            return false;
        }
    }
}
