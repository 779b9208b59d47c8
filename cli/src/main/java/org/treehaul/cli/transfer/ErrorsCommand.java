// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.report.FailureLines;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Output;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.journal.FailureRecord;

/** {@code treehaul errors}: lists the failures of a transfer. */
public final class ErrorsCommand extends TransferCommand {

    private final StateOptions state = new StateOptions(spec);
    private final Set<ByteString> listed = new HashSet<>();
    private boolean nul;
    private boolean isRelative;
    private long count;

    /** Defines the command for Picocli. */
    public ErrorsCommand() {
        super("errors", "List the entries on which a transfer failed: path, system call, cause, tries.");
        spec.usageMessage()
                .description(
                        "%nOmits failures of entries that a later try completed. If the transfer is not complete, prints the reason on "
                                + "standard error.%n")
                .footer("%nExit codes: 0 nothing failed, 1 something failed or the transfer is not complete, 2 there is no such "
                        + "transfer, or it is not planned yet.");
        Options.add(spec, Options.flag(value -> nul = value, "-0", "--null"),
                "Print only the paths, each ended by NUL.");
        Options.add(spec, Options.flag(value -> isRelative = value, "--relative"),
                "Print only the paths, relative to the source and each once, for --files-from.");
    }

    @Override
    public ExitCode run() throws IOException {
        TransferDirectory transfer = state.open(named());
        if (!Plan.exists(transfer.plan())) {
            throw new TransferException(transfer.id() + " is not planned yet, so it has no failures");
        }
        Output output = Output.standard();
        JsonLines json = new JsonLines(output);
        state.reading().failures(transfer, failure -> print(output, json, failure));
        json.flush();
        output.flush();
        if (output.problem().isPresent()) {
            common.screen().error(output.problem().get());
            return ExitCode.TROUBLE;
        }
        String problem = TransferReport.notDone(state.reading().status(transfer), count > 0);
        if (!problem.isEmpty()) {
            common.screen().error(problem);
        } else if (count == 0 && output.isTerminal()) {
            common.screen().note("no entry failed");
        }
        return count == 0 && problem.isEmpty() ? ExitCode.DONE : ExitCode.DIFFERENT;
    }

    private void print(Output output, JsonLines json, FailureRecord record) {
        count++;
        EntryFailure failure = record.failure();
        if (nul || isRelative) {
            byte[] path = isRelative ? FailureLines.below(failure).toBytes() : failure.fullPath().toBytes();
            if (isRelative && !listed.add(ByteString.of(path))) {
                return;
            }
            if (!nul && output.isTerminal()) {
                output.line(ByteString.escape(path));
                return;
            }
            byte[] ended = Arrays.copyOf(path, path.length + 1);
            ended[path.length] = nul ? 0 : (byte) '\n';
            output.write(ended, ended.length);
        } else if (common.json) {
            FailureLines.write(json, failure, null, record.tries());
        } else {
            output.line(failure + (record.tries() > 1 ? " (" + record.tries() + " tries)" : ""));
        }
    }
}
