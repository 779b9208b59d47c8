// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.report.Output;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.StateDirectory;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul status}: shows the progress of transfers. */
public final class StatusCommand implements Callable<Integer> {

    private static final byte[] CLEAR_SCREEN = "\u001b[H\u001b[2J".getBytes(StandardCharsets.US_ASCII);

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final CommonOptions common = new CommonOptions(spec);
    private final StateOptions state = new StateOptions(spec);
    private final LiveJobs live = new LiveJobs();
    private @Nullable String named;
    private boolean watch;

    /** Defines the command for Picocli. */
    public StatusCommand() {
        spec.name("status");
        spec.usageMessage()
                .header("Show the progress of transfers.")
                .customSynopsis("treehaul status [--watch] [--json] [ID]")
                .description(
                        "%nWithout ID, lists all transfers, one per line. With an ID, the end of one, or 'last': shows that transfer, batch "
                                + "by batch.%n")
                .footer("%nExamples:", "  treehaul status", "  treehaul status --watch last",
                        "%nExit codes: 0 shown, 2 there is no such transfer.");
        spec.addPositional(Options.optionalOperand(String.class, value -> named = value)
                .paramLabel("ID")
                .description("A transfer.")
                .build());
        spec.addOption(Options.flag(value -> watch = value, "--watch")
                .description("Repeat every --progress-interval seconds until everything is done.")
                .build());
    }

    @Override
    public Integer call() throws Exception {
        common.check();
        try {
            boolean goesOn = show();
            while (watch && goesOn) {
                Thread.sleep(common.interval * 1000L);
                goesOn = show();
            }
            return ExitCode.DONE.code();
        } catch (IOException e) {
            common.screen().error(StateDirectory.reason(e));
            return ExitCode.TROUBLE.code();
        }
    }

    private boolean show() throws IOException {
        Transfers transfers = state.reading();
        StatusReport report = named == null
                ? StatusReport.ofAll(transfers)
                : StatusReport.of(transfers, state.open(named), live);
        Output output = Output.standard();
        if (common.json) {
            report.json(output);
        } else {
            if (watch && output.isTerminal()) {
                output.write(CLEAR_SCREEN, CLEAR_SCREEN.length);
            }
            if (report.isEmpty()) {
                common.screen().note("there are no transfers in " + state.directory());
            } else {
                output.line(report.text());
            }
        }
        output.flush();
        return !live.isAbandoned() && report.goesOn();
    }
}
