// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.io.IOException;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.walk.EntryFilter;
import org.treehaul.core.walk.PathSelection;
import org.treehaul.core.walk.Root;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Which entries a command deals with. */
final class SelectOptions {

    @Spec(Spec.Target.MIXEE)
    CommandSpec command;

    @Option(names = {"-x", "--one-file-system"}, description = "Stay on the file systems of the roots.")
    boolean oneFileSystem;

    @Option(
            names = "--files-from",
            paramLabel = "FILE",
            description = "Only the paths listed in FILE (- is standard input), with all below them; they are relative to the "
                    + "one root.")
    @Nullable ByteString filesFrom;

    @Option(names = {"-0", "--null"}, description = "Lists of paths, read and printed, have a NUL after each path.")
    boolean nul;

    EntryFilter filter() {
        return EntryFilter.none();
    }

    /** Returns the root, or the listed paths below it. */
    Root root(ByteString path) {
        if (filesFrom == null) {
            return Root.of(path);
        }
        return Root.of(path, selection(path));
    }

    /** Returns the paths listed below a root. */
    PathSelection selection(ByteString root) {
        ByteString list = Objects.requireNonNull(filesFrom);
        try {
            return FilesFrom.read(list, root, nul);
        } catch (IOException | IllegalArgumentException e) {
            throw new UsageException(command.commandLine(), "--files-from " + list + ": " + e.getMessage());
        }
    }
}
