// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.bench;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.core.async.bench.IoParameters;
import org.treehaul.core.async.bench.IoWay;
import org.treehaul.core.entry.ByteString;
import org.treehaul.tuplespace.store.SpaceException;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul bench}: measures the throughput of synchronous and asynchronous files. */
public final class BenchCommand implements Callable<Integer> {

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final CommonOptions common = CommonOptions.ofOneThread(spec);
    private final BenchOptions options = new BenchOptions(spec, common);
    private List<ByteString> operands = List.of();

    /** Defines the command for Picocli. */
    public BenchCommand() {
        spec.name("bench");
        spec.usageMessage()
                .header("Measure the throughput of synchronous and asynchronous files.")
                .customSynopsis("treehaul bench io [OPTION]... read|write DIR",
                        "treehaul bench io [OPTION]... --stage NAME:[PATH] read|write [DIR]")
                .description("%nReads or writes files in a new directory in DIR, and removes them: in one system call "
                        + "after another (sync), and asynchronously by threads and by io_uring; with --stage also files "
                        + "in a stage. The throughput is clients * "
                        + "threads * files * blocks * size of a block, by the elapsed time.%n")
                .footer("%nExamples:", "  treehaul bench io write --files 5 --blocks 100 --block-bytes 64K /scratch",
                        "  treehaul bench io read --files 5 --blocks 100 --block-bytes 1M --direct --way ring /scratch",
                        "%nExit codes: 0 measured, 2 wrong usage, or DIR cannot be used, 20 interrupted.");
        Options.add(spec, Options.operands(ByteString.class, () -> operands, value -> operands = value).hidden(true),
                "io read|write DIR", "The measurement, and the directory.");
    }

    @Override
    public Integer call() {
        Optional<ByteString> place = options.place(operands);
        IoParameters parameters = options.parameters(operands);
        List<IoWay> ways = options.ways(operands);
        // The printed lines are its progress.
        common.progress = CommonOptions.When.never;
        try (Session session = Session.begin(common, true)) {
            BenchReport report = BenchReport.begin(session, parameters, options.isCsv());
            try (BenchRuns runs = BenchRuns.open(place, parameters, options.stage(), () -> !session.isWanted())) {
                runs.prepare(ways);
                // In turns, so that a change of the machine's speed concerns all ways.
                for (int run = 1; run <= options.repeats(); run++) {
                    for (IoWay way : ways) {
                        long nanos = runs.run(way);
                        if (!session.isWanted()) {
                            return session.end(Map.of(), false).code();
                        }
                        report.add(way, run, nanos);
                    }
                }
                report.end();
            } catch (IOException | UnsupportedOperationException | SpaceException e) {
                session.screen().error(String.valueOf(e.getMessage()));
                return ExitCode.TROUBLE.code();
            }
            return session.end(Map.of(), true).code();
        }
    }
}
