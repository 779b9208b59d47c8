// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.core.event.Event;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.batch.TransferControl;
import org.treehaul.tuplespace.transfer.Publication;

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
                        "%nWith 'all', removes those of all complete transfers and names those that it keeps. Refuses transfers that still have jobs.%n")
                .footer("%nExit codes: 0 removed, or kept by 'all' because it is not complete, 2 something was refused.");
        Options.add(spec, Options.flag(value -> force = value, "--force"),
                "Remove it even if it is not complete, or if its scheduler does not say whether it has jobs.");
    }

    @Override
    public ExitCode run() throws IOException, SchedulerException, InterruptedException {
        Transfers transfers = state.transfers();
        TransferControl control = TransferControl.of(transfers);
        if (!named().equals("all")) {
            TransferId id = state.find(transfers, named());
            Optional<TransferStatus.State> kept = forget(transfers, control, id);
            if (kept.isPresent()) {
                throw new TransferException(id + " is " + TransferReport.words(kept.get())
                        + ", and could not be resumed afterwards; --force removes it anyway");
            }
            sweep(control);
            return ExitCode.DONE;
        }
        ExitCode code = ExitCode.DONE;
        for (TransferId id : transfers.list()) {
            try {
                forget(transfers, control, id).ifPresent(
                        kept -> common.screen().note(id + " is " + TransferReport.words(kept) + " and is kept"));
            } catch (TransferException | SchedulerException e) {
                common.screen().error(String.valueOf(e.getMessage()));
                code = ExitCode.TROUBLE;
            }
        }
        sweep(control);
        return code;
    }

    private Optional<TransferStatus.State> forget(Transfers transfers, TransferControl control, TransferId id)
            throws IOException, SchedulerException, InterruptedException {
        Optional<Publication> publication = publication(transfers, id);
        Optional<String> unfinished = force ? unfinished(transfers, id) : Optional.empty();
        Optional<TransferStatus.State> kept = control.forget(id, force, event -> {
            if (event instanceof Event.Notice notice) {
                common.screen().note(notice.text());
            }
        });
        if (kept.isEmpty()) {
            common.screen().note("forgot " + id);
            unfinished.ifPresent(common.screen()::note);
            publication.ifPresent(one -> one.remove(common.screen()::note));
        }
        return kept;
    }

    private static Optional<Publication> publication(Transfers transfers, TransferId id) {
        try {
            return Publication.of(transfers.open(id));
        } catch (IOException e) {
            // Damaged transfers are forgotten, too; 'publish' removes their tuples.
            return Optional.empty();
        }
    }

    private static Optional<String> unfinished(Transfers transfers, TransferId id) {
        try {
            return new TransferSummary(transfers.status(transfers.open(id)), Instant.now()).unfinished();
        } catch (IOException e) {
            // The records of a damaged transfer do not show how far the copy got.
            return Optional.empty();
        }
    }

    private void sweep(TransferControl control) {
        try {
            control.sweep();
        } catch (IOException e) {
            common.screen()
                    .note("unneeded files may be left in " + state.directory() + ": " + StateDirectory.reason(e));
        }
    }
}
