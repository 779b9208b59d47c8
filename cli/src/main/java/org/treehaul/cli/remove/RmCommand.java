// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.remove;

import java.util.Set;
import java.util.concurrent.Callable;

import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.copy.TransferRanks;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul rm}: removes files and trees as GNU rm does, with many threads. */
public final class RmCommand implements Callable<Integer> {

    /** The options of GNU rm, among which abbreviations are unique. */
    public static final Set<String> OF_GNU_RM = Set.of("--force", "--recursive", "--one-file-system", "--verbose",
            "--interactive", "--help", "--version");

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final RmInput input = new RmInput(spec);

    /** Defines the command for Picocli. */
    public RmCommand() {
        spec.name("rm");
        spec.usageMessage()
                .header("Remove files and trees like GNU rm, with many threads.")
                .customSynopsis("treehaul rm [OPTION]... PATH...")
                .description(
                        "%nRemoves each PATH, and with -r directories with their contents. Removes symbolic links without "
                                + "following them. Refuses '/', '.' and '..', and, unless "
                                + "--allow is given, your home directory, directories above it, and mount points. An entry that fails is reported and kept, "
                                + "with the directories above it, and the removal continues with the rest.%n")
                .footer("%nExamples:", "  treehaul rm -r /scratch/run7", "  treehaul rm -r --dry-run /scratch/run7",
                        "  treehaul rm -r --scheduler slurm --jobs 8 --wait /scratch/run7",
                        "  treehaul rm -r --ranks 4 --distribution random-split /scratch/run7",
                        "%nExit codes: 0 all removed, 2 nothing could be removed, 20 interrupted, 23 some entries failed, 24 "
                                + "some vanished.");
    }

    @Override
    public Integer call() throws InterruptedException {
        if (input.isEmpty()) {
            return ExitCode.DONE.code();
        }
        input.check();
        if (!input.mayBegin()) {
            return ExitCode.DONE.code();
        }
        if (!input.isTransfer()) {
            return new DirectRemoval(input).run();
        }
        input.checkForTransfer();
        return input.ranks.isProcess()
                ? new TransferRanks(input.common, input.ranks, input.jobs.stateDirectory(), new RmRanks(input)).run()
                : new RmJobs(input).run().code();
    }
}
