// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.attributes;

import java.util.Set;
import java.util.concurrent.Callable;

import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul chown}: changes the owners of files and trees as GNU chown does, with many threads. */
public final class ChownCommand implements Callable<Integer> {

    /** The options of GNU chown, among which abbreviations are unique. */
    public static final Set<String> OF_GNU_CHOWN = Set.of("--changes", "--dereference", "--from", "--no-dereference",
            "--no-preserve-root", "--preserve-root", "--quiet", "--recursive", "--reference", "--silent", "--verbose",
            "--help", "--version");

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this).name("chown");
    private final OwnerInput input;

    /** Defines the command for Picocli. */
    public ChownCommand() {
        spec.usageMessage()
                .header("Change the owners and groups of files and trees like GNU chown, with many threads.")
                .customSynopsis("treehaul chown [OPTION]... [OWNER][:[GROUP]] PATH...",
                        "       treehaul chown [OPTION]... --reference FILE PATH...")
                .description(
                        "%nChanges the owner and group of each PATH that differs, and with -R of everything in it. OWNER "
                                + "and GROUP are names or numbers; OWNER: means the login group of OWNER. With -R, symbolic links are "
                                + "changed themselves and never followed.%n")
                .footer("%nExamples:", "  treehaul chown -R alice:physics /scratch/run7",
                        "  treehaul chown -R --from 1000 +2000 /scratch/run7",
                        "  treehaul chown -R --scheduler slurm --jobs 8 --wait alice: /scratch/run7",
                        "%nExit codes: 0 all have the owner, 2 nothing could be done, 20 interrupted, 23 some entries failed, "
                                + "24 some vanished or changed.");
        input = new OwnerInput(spec, "OWNER:GROUP", "owner");
        input.addFrom(spec);
    }

    @Override
    public Integer call() throws InterruptedException {
        return input.run("OWNER", true, OwnerSpec::parse);
    }
}
