// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

import org.treehaul.cli.common.UsageException;
import org.treehaul.cli.transfer.StateOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import picocli.CommandLine.Model.CommandSpec;

/** Finds the plan that the user names. */
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

    /**
     * Returns the path of a plan, or of the plan of a transfer. A directory is a plan, and so is a name with a slash,
     * which no id contains.
     *
     * @throws IOException if there is neither, or the transfer is not planned yet
     */
    static Path find(CommandSpec command, ByteString named, StateOptions state) throws IOException {
        Path directory = of(command, named);
        if (Files.exists(directory) || directory.getNameCount() > 1 || directory.isAbsolute()) {
            return directory;
        }
        TransferDirectory transfer;
        try {
            transfer = state.open(directory.toString());
        } catch (TransferException e) {
            throw new TransferException("there is no plan " + directory + " here, and " + e.getMessage());
        }
        if (!Plan.exists(transfer.plan())) {
            throw new TransferException(
                    transfer.id() + " is not planned yet: 'treehaul status " + transfer.id() + "' shows why");
        }
        return transfer.plan();
    }
}
