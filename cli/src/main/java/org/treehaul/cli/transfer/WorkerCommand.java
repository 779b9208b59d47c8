// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.RankOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul worker}: the command of a transfer's job, run in the transfer's directory. */
public final class WorkerCommand implements Callable<Integer> {

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final CommonOptions common = new CommonOptions(spec);
    private final RankOptions ranks = new RankOptions(spec, common);
    private int generation;
    private int index;

    /** Defines the command for Picocli. */
    public WorkerCommand() {
        spec.name("worker");
        spec.usageMessage()
                .hidden(true)
                .header("Copy or verify batches of the transfer in the working directory; run by its jobs.")
                .customSynopsis("treehaul worker --generation G [--index I] [--threads N]",
                        "       treehaul worker --generation G --ranks N --transport mpj --meet FILE [--rank R]")
                .footer("%nExit codes: 0 no work is left, 2 nothing could be done, 20 stopped, 23 some entries failed or a "
                        + "batch could not be done, 24 some vanished or changed.");
        Options.add(spec, Options.value(Integer.class, value -> generation = value, "--generation").required(true), "G",
                "Work only while this is the newest generation of the transfer.");
        Options.add(spec, Options.value(Integer.class, value -> index = value, "--index"), "I",
                "The number of this worker, from 0. Default: 0.");
    }

    @Override
    public Integer call() {
        common.checkBetween("--index", 0, Long.MAX_VALUE, index);
        ranks.check();
        if (ranks.areGiven() && !ranks.isProcess()) {
            throw common.usage("--ranks needs --meet");
        }
        try (Session session = Session.beginJob(common)) {
            WorkerRun work = WorkerRun.of(session, common, TransferDirectory.open(Path.of("")), generation);
            return ranks.areGiven() ? work.runAsRank(ranks) : work.run(index).code();
        } catch (IOException e) {
            common.screen().error(StateDirectory.reason(e));
            return ExitCode.TROUBLE.code();
        }
    }
}
