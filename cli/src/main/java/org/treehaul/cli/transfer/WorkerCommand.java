// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.RankOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.pool.SubmittedRun;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import picocli.CommandLine.Model.CommandSpec;

/**
 * {@code treehaul worker}: a worker of a pool; or, with {@code --generation}, the command of a transfer's job, run in
 * the transfer's directory.
 */
public final class WorkerCommand implements Callable<Integer> {

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final CommonOptions common = new CommonOptions(spec);
    private final RankOptions ranks = new RankOptions(spec, common);
    private final StateOptions state = new StateOptions(spec, "Carry out the transfers in DIR, and no others.");
    private final List<String> bounds = new ArrayList<>();
    private @Nullable String pool;
    private @Nullable String submitted;
    private long idle = -1;
    private int generation;
    private int index;

    /** Defines the command for Picocli. */
    public WorkerCommand() {
        spec.name("worker");
        Options.hide(spec, "--ranks", "--distribution", "--transport", "--profile", "--meet", "--rank", "--port",
                "--rank-timeout");
        spec.usageMessage()
                .header("Carry out batches of your transfers that are given to a pool.")
                .customSynopsis("treehaul worker --pool URI [OPTION]...")
                .description(
                        "Takes batches of all transfers that you gave to the pool with '--scheduler pool --space URI', until "
                                + "it is stopped. Any number of workers may run, on any nodes that see your files and the state directory. "
                                + "A worker of root also carries out the transfers of other users, as these users, if the space has members.")
                .footer("%nExit codes: 0 stopped or idle, 2 the pool cannot be used. TERM ends a worker within seconds, and its "
                        + "batch goes back to the pool. The results of transfers are shown by 'treehaul status'.");
        Options.add(spec, Options.value(String.class, value -> pool = value, "--pool"), "URI",
                "The tuple space that the workers share: DIR, partitions:FILE or postgresql://HOST/DATABASE.");
        Options.add(spec, Options.value(String.class, bounds::add, "--bound"), "DIR=N",
                "Let at most N workers of the pool write below DIR at the same time, from now on; 0: any number. May be "
                        + "repeated.");
        Options.add(spec, Options.value(Long.class, value -> idle = value, "--idle"), "SECONDS",
                "End when there was no transfer for SECONDS. Default: wait for ever.");
        Options.add(spec, Options.value(String.class, value -> submitted = value, "--submitted").hidden(true), "UID:ID",
                "Started by a worker of root: carry out the transfer ID of the user UID as standard input says.");
        Options.add(spec, Options.value(Integer.class, value -> generation = value, "--generation").hidden(true), "G",
                "In a job: work only while this is the newest generation of the transfer.");
        Options.add(spec, Options.value(Integer.class, value -> index = value, "--index").hidden(true), "I",
                "In a job: the number of this worker, from 0. Default: 0.");
    }

    @Override
    public Integer call() throws InterruptedException {
        if (common.isGiven("--idle")) {
            common.checkBetween("--idle", 0, Long.MAX_VALUE, idle);
        }
        if (submitted != null) {
            return new SubmittedRun(common, state.directory(), submitted, generation, index).run(PoolRun.Report::new);
        }
        if (pool != null) {
            return new PoolRun(spec, common, state, pool, bounds, idle).run();
        }
        if (generation == 0) {
            throw common.usage("--pool URI is missing: the tuple space from which the worker takes batches");
        }
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
