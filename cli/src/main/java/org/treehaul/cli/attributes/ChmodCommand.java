// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.attributes;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.core.attributes.ModeChange;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul chmod}: changes the modes of files and trees as GNU chmod does, with many threads. */
public final class ChmodCommand implements Callable<Integer> {

    /** The options of GNU chmod, among which abbreviations are unique. */
    public static final Set<String> OF_GNU_CHMOD = Set.of("--changes", "--no-preserve-root", "--preserve-root",
            "--quiet", "--recursive", "--reference", "--silent", "--verbose", "--help", "--version");

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this).name("chmod");
    private final CommonOptions common = new CommonOptions(spec);
    private final ChangeInput input;
    private final List<String> dashed = new ArrayList<>();
    private boolean keepsLinks;

    /** Defines the command for Picocli. */
    public ChmodCommand() {
        spec.usageMessage()
                .header("Change the modes of files and trees like GNU chmod, with many threads.")
                .customSynopsis("treehaul chmod [OPTION]... MODE PATH...",
                        "       treehaul chmod [OPTION]... --reference FILE PATH...")
                .description(
                        "%nChanges the mode of each PATH that differs, and with -R of everything in it. MODE is octal, "
                                + "such as 750, or symbolic, such as u+rwX,go-w. Follows a PATH that is a symbolic link, and no link "
                                + "in a tree.%n")
                .footer("%nExamples:", "  treehaul chmod -R u+rwX,go-w /scratch/run7",
                        "  treehaul chmod -R --where kind=directory 2750 /scratch/run7",
                        "  treehaul chmod -R --dry-run 750 /scratch/run7",
                        "  treehaul chmod -R --scheduler slurm --jobs 8 --wait g+rX /scratch/run7",
                        "%nExit codes: 0 all have the mode, 2 nothing could be done, 20 interrupted, 23 some entries failed, "
                                + "24 some vanished or changed.");
        input = new ChangeInput(spec, common, "MODE", "mode");
        spec.addOption(Options.flag(value -> keepsLinks = !value, "-H").hidden(true).build());
        Options.add(spec, Options.flag(value -> keepsLinks = value, "-P"),
                "With -R, leave a PATH that is a symbolic link.");
        spec.addOption(Options.value(String.class, dashed::add, ModeArguments.OPTION).hidden(true).build());
    }

    @Override
    public Integer call() throws InterruptedException {
        ModeChange change = change();
        input.usePaths();
        return input.entries
                .run(new ChangeTask(input.entries, change, input.options(!(keepsLinks && input.recursive))));
    }

    private ModeChange change() {
        try {
            return input.reference().map(file -> ModeChange.to(file.permissions())).orElseGet(this::given);
        } catch (IllegalArgumentException e) {
            throw common.usage(String.valueOf(e.getMessage()));
        }
    }

    private ModeChange given() {
        String expression = dashed.isEmpty() ? input.first("MODE").toString() : String.join(",", dashed);
        return ModeChange.parse(expression, ChangeInput.umask());
    }
}
