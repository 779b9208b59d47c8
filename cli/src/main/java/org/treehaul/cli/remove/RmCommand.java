// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.remove;

import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.Conditions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.entries.EntryInput;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.remove.RemoveOptions;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul rm}: removes files and trees as GNU rm does, with many threads. */
public final class RmCommand implements Callable<Integer> {

    /** The options of GNU rm, among which abbreviations are unique. */
    public static final Set<String> OF_GNU_RM = Set.of("--force", "--recursive", "--dir", "--one-file-system",
            "--verbose", "--interactive", "--help", "--version");

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this).name("rm");
    private final EntryInput input;
    private final Safety safety;
    private final Conditions conditions;
    private List<ByteString> operands = List.of();
    private boolean recursive;
    private boolean emptyDirectories;
    private boolean oneFileSystem;

    /** Defines the command for Picocli. */
    public RmCommand() {
        spec.usageMessage()
                .header("Remove files and trees like GNU rm, with many threads.")
                .customSynopsis("treehaul rm [OPTION]... PATH...")
                .description(
                        "%nRemoves each PATH, and with -r directories with their contents. Removes symbolic links without "
                                + "following them. Refuses '/', '.' and '..', and, unless --allow is given, your home directory, "
                                + "directories above it, directories such as /usr and /home, and mount points. An entry "
                                + "that fails is reported and kept, "
                                + "with the directories above it, and the removal continues with the rest.%n")
                .footer("%nExamples:", "  treehaul rm -r /scratch/run7", "  treehaul rm -r --dry-run /scratch/run7",
                        "  treehaul rm -r --where 'name=*.tmp age>30d' /scratch",
                        "  treehaul rm -r --scheduler slurm --jobs 8 --wait /scratch/run7",
                        "  treehaul rm -r --ranks 4 --distribution random-split /scratch/run7",
                        "%nExit codes: 0 all removed, 2 nothing could be removed, 20 interrupted, 23 some entries failed, 24 "
                                + "some vanished.");
        input = new EntryInput(spec, new CommonOptions(spec), "remove");
        safety = new Safety(spec);
        conditions = new Conditions(spec);
        Options.add(spec, Options.operands(ByteString.class, () -> operands, value -> operands = value), "PATH",
                "The files and directories to remove.");
        Options.add(spec, Options.flag(value -> recursive = value, "-r", "-R", "--recursive"),
                "Remove directories with their contents.");
        Options.add(spec, Options.flag(value -> emptyDirectories = value, "-d", "--dir"),
                "Remove each PATH that is an empty directory.");
        Options.add(spec, Options.flag(value -> safety.force(), "-f", "--force"),
                "Ignore paths that do not exist, and accept that no PATH is given. Cancels -i and -I before it; they cancel -f before them.");
        // As without it, '/' is never removed.
        spec.addOption(Options.flag(value -> {}, "--preserve-root").hidden(true).build());
        Options.add(spec, Options.flag(value -> oneFileSystem = value, "-x", "--one-file-system"),
                "Keep and report directories on another file system than the one above them.");
    }

    @Override
    public Integer call() throws InterruptedException {
        if (operands.isEmpty() && safety.ignoresMissing()) {
            return ExitCode.DONE.code();
        }
        input.use(operands);
        RemoveOptions options = safety
                .applyTo(new RemoveOptions(recursive, safety.ignoresMissing(), oneFileSystem, input.isDryRun(),
                        input.reportsEntries(), input.common.threads))
                .withWhere(conditions.where())
                .withEmptyDirectories(emptyDirectories);
        return input.run(new RemovalTask(input, options, safety));
    }
}
