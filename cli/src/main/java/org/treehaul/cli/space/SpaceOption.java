// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.space;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.Texts;
import org.treehaul.cli.common.UsageException;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;
import picocli.CommandLine.Model.CommandSpec;

/** The option that names a tuple space. */
public final class SpaceOption {

    // The address of a server; a directory named "scheme:" is hardly meant.
    private static final Pattern ELSEWHERE = Pattern.compile("(?!" + SpaceUri.SQLITE + ":)[a-z][a-z0-9+.-]+://");

    private final CommandSpec command;
    private @Nullable String directory;

    /** Adds the option to a command. */
    SpaceOption(CommandSpec command) {
        this.command = command;
        Options.add(command, Options.value(String.class, value -> directory = value, "--space"), "DIR",
                "The directory of the index, or sqlite:DIR. Default: TREEHAUL_SPACE.");
    }

    /** Returns the directory. */
    Path directory() {
        String given = directory;
        if (given == null || given.isEmpty()) {
            throw new UsageException(command.commandLine(), "no index is given: use --space DIR or set TREEHAUL_SPACE");
        }
        return directory(given);
    }

    /**
     * Returns the directory for an index that may be created there: a new or empty one, or one with a space. Operands
     * in the wrong order must not put an index among the user's files.
     *
     * @throws UsageException if the directory contains other files
     */
    Path directoryToCreate() {
        Path named = directory();
        if (Files.isDirectory(named) && !Files.exists(named.resolve("space.db"))) {
            try (Stream<Path> entries = Files.list(named)) {
                // An index that was killed at its beginning leaves its lock and what it loaded.
                if (entries.anyMatch(entry -> !String.valueOf(entry.getFileName())
                        .matches("index\\.lock|space\\.db.*|\\.load-.*|lost\\+found"))) {
                    throw new UsageException(command.commandLine(), "--space "
                            + ExactArguments.printable(String.valueOf(directory))
                            + ": the directory contains other files and no index; name a new or empty directory");
                }
            } catch (IOException e) {
                // Opening the space reports it.
            }
        }
        return named;
    }

    /**
     * Returns the directory that a directory or {@code sqlite:DIR} names: an index needs a directory for its lock.
     *
     * @throws UsageException if the text is the address of another kind of space
     */
    Path directory(String given) {
        return directory(command, given);
    }

    /**
     * Returns the directory that the value of an option of a command names, as the other method does.
     *
     * @throws UsageException if the text is the address of another kind of space
     */
    public static Path directory(CommandSpec command, String given) {
        String scheme = SpaceUri.SQLITE + ":";
        if (ELSEWHERE.matcher(given).lookingAt()) {
            throw new UsageException(command.commandLine(),
                    "commands know only spaces in directories, DIR or " + scheme + "DIR, not '"
                            + ExactArguments.printable(given) + "'; a directory of that name is ./"
                            + ExactArguments.printable(given));
        }
        if (given.equals(scheme) || given.startsWith(SpaceUri.MEMORY + ":")
                || given.startsWith(SpaceUri.PARTITIONS + ":")) {
            throw new UsageException(command.commandLine(), "an index is in a directory: DIR or " + scheme
                    + "DIR, not '" + ExactArguments.printable(given) + "'");
        }
        return Texts.path(given.startsWith(scheme) ? given.substring(scheme.length()) : given);
    }

    /** Returns a message about the problem of a space, with the remedy. */
    String explain(SpaceException e) {
        return explain(e, directory());
    }

    /** Returns a message about the problem of the space in a directory, with the remedy. */
    public static String explain(SpaceException e, Path directory) {
        String hint = switch (e.reason()) {
            case ABSENT -> "; 'treehaul index --space DIR ROOT...' creates one";
            case DAMAGED, VERSION -> "; it was not changed: remove " + directory + " and index again";
            case DENIED -> "; only its owner can read an index, unless the owner opens " + directory
                    + " (chmod a+rx) and its space.db (chmod a+r) to others";
            case FULL -> "; the index is unchanged";
            case BUSY -> "; another process is writing to it: try again when it has finished";
            case DRIVER -> "; set it in JDK_JAVA_OPTIONS";
            default -> "";
        };
        return e.getMessage() + hint;
    }
}
