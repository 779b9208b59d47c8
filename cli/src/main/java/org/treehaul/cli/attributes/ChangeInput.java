// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.attributes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.Conditions;
import org.treehaul.cli.entries.EntryInput;
import org.treehaul.core.attributes.ChangeOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import picocli.CommandLine.Model.CommandSpec;

/** The options that the commands for attributes share, and their operands. */
final class ChangeInput {

    final EntryInput entries;
    boolean recursive;
    private final CommonOptions common;
    private final Conditions where;
    private List<ByteString> arguments = List.of();
    private @Nullable ByteString reference;
    private boolean preserveRoot = true;

    /**
     * Adds the options to a command.
     *
     * @param operand the label of the first operand, such as {@code MODE}
     * @param noun the attribute of the reference, for the help
     */
    ChangeInput(CommandSpec spec, CommonOptions common, String operand, String noun) {
        this.common = common;
        this.entries = new EntryInput(spec, common, "change");
        Options.add(spec, Options.operands(ByteString.class, () -> arguments, value -> arguments = value),
                operand + " PATH", "The new " + noun + ", then the files and directories to change.");
        where = new Conditions(spec);
        Options.add(spec, Options.flag(value -> recursive = value, "-R", "--recursive"),
                "Change directories with their contents.");
        Options.add(spec, Options.value(ByteString.class, value -> reference = value, "--reference"), "FILE",
                "Use the " + noun + " of FILE; no " + operand + " is given then.");
        Options.add(spec, Options.flag(value -> {
            if (value) {
                entries.listEntries();
            }
        }, "-c", "--changes"), "Print each entry that is changed; -v also prints those that need no change.");
        Options.add(spec, Options.flag(value -> {
            if (value) {
                entries.silence();
            }
        }, "-f", "--silent"), "Print no failures; the exit code reports them.");
        spec.addOption(Options.flag(value -> preserveRoot = value, "--preserve-root").hidden(true).build());
        Options.add(spec, Options.flag(value -> preserveRoot = !value, "--no-preserve-root"),
                "Permit '/' with -R, which is refused otherwise.");
        spec.addOption(Options.flag(value -> {
            throw common
                    .usage("-L is not possible: links in trees are never followed; name the files to which they lead");
        }, "-L").hidden(true).build());
    }

    /** Returns the status of the reference, if one was given. */
    Optional<FileStatus> reference() {
        if (reference == null) {
            return Optional.empty();
        }
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            return Optional.of(LongPath.status(access, reference, true));
        } catch (SystemCallException e) {
            throw common.usage("--reference " + reference + ": " + e.getMessage());
        }
    }

    /** Returns the umask of this process. */
    static int umask() {
        try {
            return ProcessStatus.read().umask();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Takes the first argument, which is not a path. */
    ByteString first(String label) {
        if (arguments.isEmpty()) {
            throw common.usage("no " + label + " is given");
        }
        ByteString first = arguments.getFirst();
        arguments = arguments.subList(1, arguments.size());
        return first;
    }

    /** Uses the arguments that are left as the paths to change. */
    void usePaths() {
        entries.use(arguments);
        if (entries.isTransfer() && !recursive) {
            throw common.usage("jobs and separate ranks change trees: add -R, or leave out their options");
        }
    }

    /** Returns the options of the change. */
    ChangeOptions options(boolean followOperands) {
        boolean isVerbose = common.verbosity() > 0;
        return new ChangeOptions(recursive, followOperands, preserveRoot, entries.isDryRun(), entries.reportsEntries(),
                isVerbose, common.threads, where.where());
    }
}
