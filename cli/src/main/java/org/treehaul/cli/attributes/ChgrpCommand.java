// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.attributes;

import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;

import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul chgrp}: changes the groups of files and trees as GNU chgrp does, with many threads. */
public final class ChgrpCommand implements Callable<Integer> {

    /** The options of GNU chgrp, among which abbreviations are unique. */
    public static final Set<String> OF_GNU_CHGRP = Set.of("--changes", "--dereference", "--no-dereference",
            "--no-preserve-root", "--preserve-root", "--quiet", "--recursive", "--reference", "--silent", "--verbose",
            "--help", "--version");

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this).name("chgrp");
    private final OwnerInput input;

    /** Defines the command for Picocli. */
    public ChgrpCommand() {
        spec.usageMessage()
                .header("Change the groups of files and trees like GNU chgrp, with many threads.")
                .customSynopsis("treehaul chgrp [OPTION]... GROUP PATH...",
                        "       treehaul chgrp [OPTION]... --reference FILE PATH...")
                .description(
                        "%nChanges the group of each PATH that differs, and with -R of everything in it. GROUP is a name "
                                + "or a number. With -R, symbolic links are changed themselves and never followed.%n")
                .footer("%nExamples:", "  treehaul chgrp -R physics /scratch/run7",
                        "  treehaul chgrp -R --scheduler slurm --jobs 8 --wait physics /scratch/run7",
                        "%nExit codes: 0 all have the group, 2 nothing could be done, 20 interrupted, 23 some entries failed, "
                                + "24 some vanished or changed.");
        input = new OwnerInput(spec, "GROUP", "group");
    }

    @Override
    public Integer call() throws InterruptedException {
        return input.run("GROUP", false,
                (text, accounts) -> new OwnerSpec(OptionalLong.empty(), OwnerSpec.group(text, accounts)));
    }
}
