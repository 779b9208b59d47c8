// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.pool.PoolStatus;
import org.treehaul.cli.report.Output;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.tuplespace.store.SpaceException;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul status}: shows the progress of transfers. */
public final class StatusCommand implements Callable<Integer> {

    private static final byte[] CLEAR_SCREEN = "\u001b[H\u001b[2J".getBytes(StandardCharsets.US_ASCII);

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final CommonOptions common = CommonOptions.ofOneThread(spec);
    private final StateOptions state = new StateOptions(spec);
    private final PoolStatus pool;
    private final LiveJobs live = new LiveJobs();
    private @Nullable String named;
    private boolean watch;
    private boolean batches;

    /** Defines the command for Picocli. */
    public StatusCommand() {
        spec.name("status");
        spec.usageMessage()
                .header("Show the progress of transfers.")
                .customSynopsis("treehaul status [--watch] [--batches] [--json] [ID]",
                        "       treehaul status [--watch] [--json] --pool URI")
                .description(
                        "%nWithout ID, lists all transfers, one per line. With an ID, the end of one, or 'last': shows that transfer, its "
                                + "jobs, and the paths on which workers hang. With --pool, shows the workers of a pool.%n")
                .footer("%nExamples:", "  treehaul status", "  treehaul status --watch last",
                        "%nExit codes: 0 shown, 2 there is no such transfer, state directory or pool, 20 interrupted during --watch.");
        Options.add(spec, Options.optionalOperand(String.class, value -> named = value), "ID", "A transfer.");
        Options.add(spec, Options.flag(value -> watch = value, "--watch"),
                "Repeat every --progress-interval seconds until everything is done.");
        common.addMetrics();
        Options.add(spec, Options.flag(value -> batches = value, "--batches"), "With an ID, show each batch.");
        pool = new PoolStatus(spec, common);
    }

    @Override
    public Integer call() throws Exception {
        pool.check(named != null || batches);
        if (!watch) {
            return shown(new Cancellation());
        }
        try (Session session = Session.beginWaiting(common)) {
            return shown(session.cancellation());
        }
    }

    private int shown(Cancellation cancellation) throws InterruptedException {
        Output output = Output.standard();
        try {
            while (show(output) && watch && output.isUsable() && !cancellation.isCancelled()) {
                common.awaitInterval(cancellation);
            }
            if (output.isWritten(common.screen())) {
                boolean isInterrupted = cancellation.isCancelled() || watch && output.isReaderGone();
                return (isInterrupted ? ExitCode.INTERRUPTED : ExitCode.DONE).code();
            }
        } catch (IOException e) {
            common.screen().error(StateDirectory.reason(e));
        } catch (SpaceException e) {
            common.screen().error(String.valueOf(e.getMessage()));
        }
        return ExitCode.TROUBLE.code();
    }

    private boolean show(Output output) throws IOException {
        byte[] clear = watch && output.isTerminal() ? CLEAR_SCREEN : new byte[0];
        if (pool.isWanted()) {
            return pool.print(output, clear);
        }
        Transfers transfers = state.existing(common);
        StatusReport report = named == null
                ? StatusReport.ofAll(transfers)
                : StatusReport.of(transfers, state.open(named), live);
        common.metrics().ifPresent(report::metrics);
        if (common.json) {
            report.json(output);
        } else {
            output.write(clear, clear.length);
            if (report.isEmpty()) {
                common.screen().note("there are no transfers in " + state.directory());
            } else {
                output.line(report.text(batches, output.isTerminal()));
            }
        }
        output.flush();
        return !live.isAbandoned() && report.isActive();
    }
}
