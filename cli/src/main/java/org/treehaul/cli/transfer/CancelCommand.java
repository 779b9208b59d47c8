// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;

import org.treehaul.cli.common.ExitCode;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.batch.TransferControl;
import org.treehaul.tuplespace.transfer.Publication;

/** {@code treehaul cancel}: ends the jobs of a transfer. */
public final class CancelCommand extends TransferCommand {

    private final StateOptions state = new StateOptions(spec);

    /** Defines the command for Picocli. */
    public CancelCommand() {
        super("cancel", "End the jobs of a transfer; resume continues it.");
        spec.usageMessage()
                .description(
                        "%nKeeps everything that was done. A job that the scheduler cannot end stops by itself at its "
                                + "next heartbeat.%n")
                .footer("%nExit codes: 0 no job is left, 2 jobs may still run.");
    }

    @Override
    public ExitCode run() throws IOException, SchedulerException {
        TransferDirectory transfer = state.open(named());
        Transfers transfers = state.reading();
        TransferControl.Cancelled cancelled = TransferControl.of(transfers).cancel(transfer.id());
        common.screen().note(transfer.id() + " is " + switch (cancelled) {
            case CANCELLED -> "cancelled; 'treehaul resume " + transfer.id() + "' continues it";
            case FINISHED -> TransferReport.words(transfers.status(transfer).state())
                    + " already: there is nothing to cancel; its remaining jobs end by themselves";
            case WITHOUT_JOBS -> TransferReport.words(transfers.status(transfer).state()) + ": it has no jobs";
        });
        Publication.update(transfer, common.screen()::note);
        return ExitCode.DONE;
    }
}
