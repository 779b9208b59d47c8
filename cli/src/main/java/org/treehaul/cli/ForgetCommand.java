// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.io.IOException;
import java.util.Map;

import org.treehaul.cli.args.Options;
import org.treehaul.core.transfer.TransferDirectory;
import org.treehaul.core.transfer.TransferException;
import org.treehaul.core.transfer.TransferId;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.schedulers.JobState;
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
            if (!force && transfers.status(transfer).state() != TransferStatus.State.COMPLETE) {
                throw new TransferException(transfer.id() + " is " + word(transfers, transfer)
                        + ", and could not be resumed any more; --force forgets it all the same");
            }
            forget(transfers, transfer);
            return ExitCode.DONE;
        }
        ExitCode code = ExitCode.DONE;
        for (TransferId id : transfers.list()) {
            TransferDirectory transfer = transfers.open(id);
            if (!force && transfers.status(transfer).state() != TransferStatus.State.COMPLETE) {
                common.screen().note(id + " is " + word(transfers, transfer) + " and stays");
                continue;
            }
            try {
                forget(transfers, transfer);
            } catch (TransferException | SchedulerException e) {
                common.screen().error(String.valueOf(e.getMessage()));
                code = ExitCode.TROUBLE;
            }
        }
        return code;
    }

    private static String word(Transfers transfers, TransferDirectory transfer) throws IOException {
        return TransferReport.word(transfers.status(transfer).state());
    }

    private void forget(Transfers transfers, TransferDirectory transfer) throws IOException, SchedulerException {
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
        transfers.forget(transfer);
        common.screen().note("forgot " + transfer.id());
    }
}
