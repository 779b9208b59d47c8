// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.schedulers.KeptJar;
import org.treehaul.schedulers.SchedulerException;

/** {@code treehaul forget}: removes the state of transfers. */
public final class ForgetCommand extends TransferCommand {

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
        TransferRemoval removal = new TransferRemoval(transfers, common.screen(), force);
        if (!named().equals("all")) {
            TransferDirectory transfer = removal.open(state.find(transfers, named()));
            TransferStatus.State found = removal.stateOf(transfer);
            if (found != TransferStatus.State.COMPLETE) {
                throw new TransferException(transfer.id() + " is " + TransferReport.word(found)
                        + ", and could not be resumed afterwards; --force removes it anyway");
            }
            forget(removal, transfer);
            sweepRest(transfers);
            return ExitCode.DONE;
        }
        ExitCode code = ExitCode.DONE;
        for (TransferId id : transfers.list()) {
            try {
                TransferDirectory transfer = removal.open(id);
                TransferStatus.State found = removal.stateOf(transfer);
                if (found != TransferStatus.State.COMPLETE) {
                    common.screen().note(id + " is " + TransferReport.word(found) + " and is kept");
                    continue;
                }
                forget(removal, transfer);
            } catch (TransferException | SchedulerException e) {
                common.screen().error(String.valueOf(e.getMessage()));
                code = ExitCode.TROUBLE;
            }
        }
        sweepRest(transfers);
        return code;
    }

    private void forget(TransferRemoval removal, TransferDirectory transfer)
            throws IOException, SchedulerException, InterruptedException {
        if (force) {
            putDamagedJobsAside(transfer);
        }
        removal.forget(transfer);
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
}
