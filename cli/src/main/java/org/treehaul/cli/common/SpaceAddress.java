// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.common;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

import org.treehaul.cli.args.ExactArguments;
import org.treehaul.tuplespace.store.SpaceUri;
import picocli.CommandLine.Model.CommandSpec;

/** Checks of addresses of tuple spaces in arguments. */
public final class SpaceAddress {

    /** Kept, because a logger to which nothing refers loses its level. */
    private static final class DriverLog {
        private static final Logger LOGGER = Logger.getLogger("org.postgresql");
    }

    private SpaceAddress() {}

    /** Has the driver of a server not print what its exceptions say as well. */
    public static void quietDriver() {
        DriverLog.LOGGER.setLevel(Level.OFF);
    }

    /**
     * Requires that a space may be created at an address: on a server, over the stores that a file lists, in a new or
     * empty directory, or in one with a space. A mistaken argument must not put a space among the user's files.
     *
     * @param option the option that has the address
     * @param given the address as the user wrote it
     * @throws UsageException if the directory contains other files, or there is no list of stores
     */
    public static SpaceUri toCreate(CommandSpec command, String option, String given, SpaceUri space) {
        if (space.scheme().equals(SpaceUri.PARTITIONS) && !Files.exists(space.path())) {
            String shown = ExactArguments.printable(given);
            throw new UsageException(command.commandLine(), option + " " + shown
                    + ": there is no such list of stores; 'treehaul space create " + shown + " STORE...' makes one");
        }
        if (!space.scheme().equals(SpaceUri.SQLITE)) {
            return space;
        }
        Path directory = space.path();
        if (Files.isDirectory(directory) && !Files.exists(directory.resolve("space.db"))) {
            try (Stream<Path> entries = Files.list(directory)) {
                // An index that another process begins, or that was killed in its first run, leaves its lock, its load, its
                // probes and its listings.
                if (entries.anyMatch(entry -> !String.valueOf(entry.getFileName())
                        .matches("index\\.(lock|listings)|space\\.db.*|\\.((load|probe)-.*|making)|lost\\+found"))) {
                    throw new UsageException(command.commandLine(), option + " " + ExactArguments.printable(given)
                            + ": the directory contains other files and no index; name a new or empty directory");
                }
            } catch (IOException e) {
                // Opening the space reports it.
            }
        }
        return space;
    }
}
