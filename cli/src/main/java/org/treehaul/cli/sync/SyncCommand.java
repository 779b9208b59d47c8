// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.sync;

import java.util.concurrent.Callable;

import org.treehaul.cli.copy.TransferRanks;
import org.treehaul.core.sync.SyncOptions;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul sync}: makes a destination equal to a source as rsync does, with many threads. */
public final class SyncCommand implements Callable<Integer> {

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final SyncInput input = new SyncInput(spec);

    /** Defines the command for Picocli. */
    public SyncCommand() {
        spec.name("sync");
        spec.usageMessage()
                .header("Make a destination equal to a source like rsync -aHAX, with many threads.")
                .customSynopsis("treehaul sync [OPTION]... SOURCE DEST")
                .description(
                        "%nCompares SOURCE with its copy in DEST, then copies what is missing or differs. SOURCE/ with a slash means "
                                + "the content of SOURCE: DEST itself becomes the copy. Without a slash, the copy is DEST/SOURCE. "
                                + "Keeps all attributes. Entries that only the copy has stay, unless --delete is given.%n")
                .footer("%nExamples:", "  treehaul sync /data/run7/ /archive/run7",
                        "  treehaul sync --delete --dry-run /data/run7/ /archive/run7",
                        "  treehaul sync --delete=after --exclude .snapshot /home/ann /backup",
                        "  treehaul sync --delete --scheduler slurm --jobs 16 --wait /data/run7/ /archive/run7",
                        "  treehaul cmp -0 --content /data /copy | treehaul sync -c -0 --files-from - /data /copy",
                        "%nExit codes: 0 the copy is equal, 2 refused before it began, 20 interrupted, 23 some or all entries failed, 24 some "
                                + "vanished or changed, 25 the limit of removals was reached.");
    }

    @Override
    public Integer call() throws Exception {
        input.check();
        SyncOptions options = input.options();
        if (!input.isTransfer()) {
            return new DirectSync(input, options).run().code();
        }
        return input.ranks.isProcess()
                ? new TransferRanks(input.common, input.ranks, input.transfer, new SyncRanks(input, options)).run()
                : new SyncJobs(input, options).run().code();
    }
}
