// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

import org.treehaul.cli.common.UsageException;
import org.treehaul.core.entry.ByteString;
import picocli.CommandLine.Model.CommandSpec;

/** Converts the path of a plan as the user gave it. */
final class PlanPath {

    private PlanPath() {}

    /**
     * Returns the path of a plan. TreeHaul reads and writes its own files with java.nio, which supports only paths that
     * are text.
     *
     * @throws UsageException if the path is not text
     */
    static Path of(CommandSpec command, ByteString path) {
        try {
            return Path.of(path.utf8().orElseThrow(() -> new InvalidPathException(path.toString(), "not UTF-8")));
        } catch (InvalidPathException e) {
            throw new UsageException(command.commandLine(), "the path of a plan must be text of this locale, which '"
                    + path + "' is not: choose an ASCII name, or set LC_ALL=C.UTF-8");
        }
    }
}
