// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.move;

import java.util.Set;
import java.util.concurrent.Callable;

import org.treehaul.cli.copy.TransferRanks;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul mv}: moves files and trees as GNU mv does, with many threads. */
public final class MvCommand implements Callable<Integer> {

    /** The options of GNU mv, among which abbreviations are unique. */
    public static final Set<String> OF_GNU_MV = Set.of("--backup", "--force", "--interactive", "--no-clobber",
            "--no-target-directory", "--strip-trailing-slashes", "--suffix", "--target-directory", "--update",
            "--verbose", "--help", "--version");

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    final MvInput input = new MvInput(spec, System.getenv());

    /** Defines the command for Picocli. */
    public MvCommand() {
        spec.name("mv");
        spec.usageMessage()
                .header("Move files and trees like GNU mv, with many threads.")
                .customSynopsis("treehaul mv [OPTION]... [-T] SOURCE DEST",
                        "       treehaul mv [OPTION]... SOURCE... DIRECTORY",
                        "       treehaul mv [OPTION]... -t DIRECTORY SOURCE...")
                .description(
                        "%nRenames each SOURCE within a file system. To another file system, copies it with all attributes, reads "
                                + "each copy back and compares it, waits until all copies are on disk, and then removes from the "
                                + "source what is unchanged since it was copied. An entry that fails stays at the source. After "
                                + "a kill, the same command moves the rest.%n")
                .footer("%nExamples:", "  treehaul mv run7 run8 /archive",
                        "  treehaul mv -T /scratch/run7 /archive/run7", "  treehaul mv -n *.dat /archive/data",
                        "%nExit codes: 0 all moved, 2 nothing could be moved, 20 interrupted, 23 some entries failed, 24 some "
                                + "vanished or changed.");
    }

    @Override
    public Integer call() throws InterruptedException {
        input.check();
        if (!input.isTransfer()) {
            return new DirectMove(input).run();
        }
        MoveTransfer transfer = new MoveTransfer(input);
        return input.ranks.isProcess()
                ? new TransferRanks(input.common, input.ranks, input.jobs, transfer).run()
                : transfer.runByJobs().code();
    }
}
