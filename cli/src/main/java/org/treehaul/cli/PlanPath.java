// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

import org.treehaul.core.entry.ByteString;
import picocli.CommandLine.Model.CommandSpec;

/** Where a plan is, as the user says it. */
final class PlanPath {

    private PlanPath() {}

    /**
     * Returns the path of a plan. What TreeHaul keeps for itself it reads and writes by Java's own means, which know
     * paths as text only.
     *
     * @throws UsageException when it is no text
     */
    static Path of(CommandSpec command, ByteString path) {
        try {
            return Path.of(path.utf8().orElseThrow(() -> new InvalidPathException(path.toString(), "not UTF-8")));
        } catch (InvalidPathException e) {
            throw new UsageException(command.commandLine(), "the path of a plan must be text of this locale, which '"
                    + path + "' is not: choose a plain name, or set LC_ALL=C.UTF-8");
        }
    }
}
