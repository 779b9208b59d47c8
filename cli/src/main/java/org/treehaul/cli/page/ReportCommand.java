// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.page;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.ByteFiles;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.report.Output;
import org.treehaul.cli.report.Terminal;
import org.treehaul.cli.transfer.StateOptions;
import org.treehaul.cli.transfer.TransferCommand;
import org.treehaul.core.entry.ByteString;

/** {@code treehaul report}: writes a transfer as an HTML page. */
public final class ReportCommand extends TransferCommand {

    private final StateOptions state = new StateOptions(spec);
    private @Nullable ByteString file;

    /** Defines the command for Picocli. */
    public ReportCommand() {
        super("report", "Write an HTML page about a transfer.");
        spec.usageMessage()
                .description(
                        "%nThe page shows result, rate over time, batches and workers, balance, slowest files and batches, errors with "
                                + "remedies, and what was verified. It is one file without scripts.%n")
                .footer("%nExamples:", "  treehaul report last -o run7.html",
                        "%nExit codes: 0 written, 2 there is no such transfer, or FILE cannot be written.");
        Options.hide(spec, "--json");
        Options.add(spec, Options.value(ByteString.class, value -> file = value, "-o", "--output"), "FILE",
                "Write the page to FILE. Default: standard output, if it is not a terminal.");
    }

    @Override
    public ExitCode run() throws IOException {
        if (common.json) {
            throw common.usage("--json: the page is HTML; 'treehaul status --json " + named()
                    + "' and 'treehaul errors --json " + named() + "' print JSON");
        }
        if (file == null && Terminal.is(Terminal.OUT)) {
            throw common.usage("-o FILE is missing: the page is HTML, to be read in a browser");
        }
        byte[] page = ReportPage.of(state.reading(), state.open(named())).getBytes(StandardCharsets.UTF_8);
        ByteString to = file;
        if (to != null) {
            try {
                ByteFiles.write(to, page);
            } catch (IOException e) {
                throw new IOException(to + ": " + e.getMessage(), e);
            }
            if (!common.isQuiet()) {
                common.screen().note("the page is in " + to);
            }
            return ExitCode.DONE;
        }
        Output output = Output.standard();
        output.write(page, page.length);
        output.flush();
        if (output.problem().isPresent()) {
            common.screen().error(output.problem().get());
            return ExitCode.TROUBLE;
        }
        return ExitCode.DONE;
    }
}
