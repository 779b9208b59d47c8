// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.ByteSize;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.report.Output;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;

/** {@code treehaul limit}: shows or changes the bandwidth limit of a transfer. */
public final class LimitCommand extends TransferCommand {

    private final StateOptions state = new StateOptions(spec);
    private @Nullable String limit;

    /** Defines the command for Picocli. */
    public LimitCommand() {
        super("limit", "Show or change the bandwidth limit of a transfer, even while it runs.");
        spec.usageMessage()
                .customSynopsis("treehaul limit ID [LIMIT]")
                .description(
                        "%nAll jobs and ranks of the transfer share the limit. They follow a change at their next heartbeat, "
                                + "within ten seconds; it also holds after resume.%n")
                .footer("%nExamples:", "  treehaul limit last 200M", "  treehaul limit last none",
                        "%nExit codes: 0 done, 2 there is no such transfer, or the limit of one that is complete was to change.");
        Options.add(spec, Options.optionalOperand(String.class, value -> limit = value).index("1"), "LIMIT",
                "Bytes per second, for example 200M, or 'none'. Default: print the limit in bytes per second.");
    }

    @Override
    public ExitCode run() throws IOException {
        TransferDirectory transfer = state.open(named());
        Transfers transfers = state.reading();
        if (limit == null) {
            long bandwidth = transfers.bandwidth(transfer);
            Output output = Output.standard();
            output.line(bandwidth == 0 ? "none" : Long.toString(bandwidth));
            return output.isWritten(common.screen()) ? ExitCode.DONE : ExitCode.TROUBLE;
        }
        if (!transfer.operation().isLimited()) {
            throw new TransferException(transfer.id() + " copies no data: there is nothing to limit");
        }
        long bandwidth = bandwidth(limit);
        TransferStatus.State found = transfers.status(transfer).state();
        if (found == TransferStatus.State.COMPLETE) {
            throw new TransferException(transfer.id() + " is complete: there is nothing to limit");
        }
        transfers.limitBandwidth(transfer, bandwidth);
        common.screen()
                .note(bandwidth == 0
                        ? transfer.id() + " no longer has a bandwidth limit"
                        : transfer.id() + " is limited to " + BandwidthNotice.rate(bandwidth));
        BandwidthNotice.of(bandwidth).ifPresent(common.screen()::note);
        return ExitCode.DONE;
    }

    private long bandwidth(String text) {
        try {
            long bytes = text.equals("none") ? 0 : ByteSize.parse(text).bytes();
            if (bytes == 0 && !text.equals("none")) {
                throw common.usage("the limit must be 1 or more; 'none' removes it");
            }
            return bytes;
        } catch (IllegalArgumentException e) {
            throw common.usage(e.getMessage() + ", or 'none' for no limit");
        }
    }
}
