// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.util.concurrent.Callable;

import org.treehaul.cli.transfer.BandwidthNotice;
import org.treehaul.core.copy.options.CopyOptions;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul cp}: copies files and trees as GNU cp does, with many threads. */
public final class CpCommand implements Callable<Integer> {

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    public final CpInput input = new CpInput(spec);

    /** Defines the command for Picocli. */
    public CpCommand() {
        spec.name("cp");
        spec.usageMessage()
                .header("Copy files and trees like GNU cp, with many threads.")
                .customSynopsis("treehaul cp [OPTION]... [-T] SOURCE DEST",
                        "       treehaul cp [OPTION]... SOURCE... DIRECTORY",
                        "       treehaul cp [OPTION]... -t DIRECTORY SOURCE...",
                        "       treehaul cp --scheduler NAME [OPTION]... --plan DIR")
                .description(
                        "%nCopies SOURCE to DEST, or several SOURCEs into a directory. An entry that fails is reported, and the "
                                + "copy continues with the rest. After an interruption or a kill, the same command completes the copy.%n")
                .footer("%nExamples:", "  treehaul cp -aT --verify /data/run7 /archive/run7",
                        "  treehaul cp -a --exclude .snapshot --threads 32 /home/ann /home/ben /backup",
                        "  treehaul cp -aT --ranks 4 --distribution random-split /data/run7 /archive/run7",
                        "  find . -newer last -print0 | treehaul cp -aT -0 --files-from - . /backup/today",
                        "%nExit codes: 0 all copied, 2 refused before it began, 20 interrupted, 23 some or all entries failed, 24 some "
                                + "vanished or changed.");
    }

    /** Returns whether a copy into a stage, or out of one, takes an option, by its long name with the dashes. */
    public static boolean isTakenWithStage(String option, String value) {
        return DirectCopy.OfStage.takes(option, value);
    }

    @Override
    public Integer call() throws Exception {
        if (input.isStaged()) {
            return DirectCopy.OfStage.run(input);
        }
        input.check();
        CopyOptions asked = input.options();
        BandwidthNotice.of(asked.bandwidth()).ifPresent(input.common.screen()::note);
        if (!input.isTransfer()) {
            return new DirectCopy(input).run(asked);
        }
        input.checkForTransfer();
        return input.ranks.isProcess()
                ? new TransferRanks(input.common, input.ranks, input.transfer, new CopyRanks(input)).run()
                : new CopyJobs(input).run().code();
    }
}
