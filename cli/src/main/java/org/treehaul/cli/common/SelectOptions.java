// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.common;

import java.io.BufferedInputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.walk.options.EntryFilter;
import org.treehaul.core.walk.options.PathList;
import org.treehaul.core.walk.options.Patterns;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedPaths;
import picocli.CommandLine.Model.CommandSpec;

/** The options that select the entries to process. */
public final class SelectOptions {

    private static final ByteString STANDARD_INPUT = ByteString.of("-");

    private interface Action {
        void run() throws IOException;
    }

    private final CommandSpec command;
    private final Patterns.Builder patterns = Patterns.builder();

    public boolean oneFileSystem;
    public boolean nul;
    @Nullable public ByteString filesFrom;

    /** Adds the options to a command. */
    public SelectOptions(CommandSpec command) {
        this(command, true);
    }

    /**
     * Adds the options to a command.
     *
     * @param hasLists whether the command reads and prints lists of paths
     */
    public SelectOptions(CommandSpec command, boolean hasLists) {
        this.command = command;
        Options.add(command, Options.flag(value -> oneFileSystem = value, "-x", "--one-file-system"),
                "Do not cross into other file systems.");
        Options.add(command, Options.value(ByteString.class, this::exclude, "--exclude"), "PATTERN",
                "Exclude entries that match PATTERN, and everything below them. Patterns are those of .gitignore, applied below each "
                        + "root; the last pattern that matches decides.");
        Options.add(command, Options.value(ByteString.class, this::include, "--include"), "PATTERN",
                "Include entries that an earlier PATTERN excludes.");
        Options.add(command, Options.value(ByteString.class, this::excludeFrom, "--exclude-from"), "FILE",
                "Read exclude patterns from FILE, one per line, as from a .gitignore; - is standard input.");
        if (hasLists) {
            addLists();
        }
    }

    private void addLists() {
        Options.add(command, Options.value(ByteString.class, value -> filesFrom = value, "--files-from"), "FILE",
                "Select only the paths listed in FILE (- is standard input) and everything below them. They are relative to the "
                        + "one root.");
        Options.add(command, Options.flag(value -> nul = value, "-0", "--null"),
                "End each path with NUL instead of a newline, in lists that are read or printed.");
    }

    private void exclude(ByteString pattern) {
        check("--exclude", () -> patterns.exclude(pattern));
    }

    private void include(ByteString pattern) {
        check("--include", () -> patterns.include(pattern));
    }

    private void excludeFrom(ByteString file) {
        check("--exclude-from " + file, () -> {
            try (InputStream in = open(file)) {
                patterns.excludeFrom(in, file.toString());
            }
        });
    }

    public EntryFilter filter() {
        return patterns.build();
    }

    /** Returns whether an option leaves out entries of a tree. */
    public boolean isSelective() {
        return oneFileSystem || filter() instanceof Patterns;
    }

    /** Returns the root, with the listed paths if there is a list. */
    public Root root(ByteString path) {
        return filesFrom == null ? Root.of(path) : Root.of(path, selection());
    }

    /** Returns the roots of a walk: by default the working directory. */
    public List<Root> roots(List<ByteString> paths) {
        List<ByteString> given = paths.isEmpty() ? List.of(ByteString.of(".")) : paths;
        if (filesFrom != null && given.size() > 1) {
            throw new UsageException(command.commandLine(),
                    "--files-from needs exactly one root; " + given.size() + " are given");
        }
        return given.stream().map(this::root).toList();
    }

    /** Returns the listed paths. */
    public SelectedPaths selection() {
        ByteString list = Objects.requireNonNull(filesFrom);
        SelectedPaths[] read = new SelectedPaths[1];
        check("--files-from " + list, () -> {
            try (InputStream in = open(list)) {
                read[0] = PathList.read(in, nul, list.toString());
            }
        });
        return Objects.requireNonNull(read[0]);
    }

    /** Returns whether the list of paths is read from standard input. */
    public boolean listsByStandardInput() {
        return filesFrom != null && filesFrom.equals(STANDARD_INPUT);
    }

    private static InputStream open(ByteString file) throws IOException {
        InputStream in = file.equals(STANDARD_INPUT) ? new FileInputStream(FileDescriptor.in) : ByteFiles.open(file);
        return new BufferedInputStream(in, 64 * 1024);
    }

    private void check(String option, Action action) {
        try {
            action.run();
        } catch (IllegalArgumentException e) {
            throw new UsageException(command.commandLine(), option + ": " + e.getMessage());
        } catch (IOException e) {
            throw new UsageException(command.commandLine(), option + ": " + e.getMessage());
        }
    }
}
