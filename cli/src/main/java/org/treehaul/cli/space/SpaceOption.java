// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.space;

import java.nio.file.Files;
import java.util.Optional;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.SpaceAddress;
import org.treehaul.cli.common.Texts;
import org.treehaul.cli.common.UsageException;
import org.treehaul.core.entry.ByteString;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.partition.Partitions;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;
import picocli.CommandLine.Model.CommandSpec;

/** The option that names a tuple space. */
public final class SpaceOption {

    // A directory of such a name is hardly meant.
    private static final Pattern SERVER = Pattern.compile("postgres(ql)?:");

    /** The notice for a space that may be that of a pool, or of published transfers. */
    public static final String NO_INDEX = "the space has no index of files, so there is nothing to find; 'treehaul index' makes one";

    // As in postgresql://USER:PASSWORD@HOST.
    private static final Pattern PASSWORD = Pattern.compile("://[^/?@]*:[^/?]*@|[?&]password=");

    // Another address.
    private static final Pattern ELSEWHERE = Pattern.compile("(?!" + SpaceUri.SQLITE + ":)[a-z][a-z0-9+.-]+://");

    private final CommandSpec command;
    private @Nullable String given;

    /** Adds the option to a command. */
    SpaceOption(CommandSpec command) {
        this.command = command;
        Options.add(command, Options.value(String.class, value -> given = value, "--space"), "DIR",
                "The directory of the index, sqlite:DIR, partitions:FILE, or postgresql://HOST/DATABASE. Default: TREEHAUL_SPACE.");
    }

    /** Returns the address of the space. */
    SpaceUri space() {
        String named = given;
        if (named == null || named.isEmpty()) {
            throw new UsageException(command.commandLine(), "no index is given: use --space DIR or set TREEHAUL_SPACE");
        }
        return space(named);
    }

    /** Returns the address if it is that of a space over several stores. */
    Optional<SpaceUri> partitions() {
        return given == null ? Optional.empty() : PartitionVerbs.named(given);
    }

    /**
     * Returns the address for an index that may be created there: on a server, over the stores that a file lists, in a
     * new or empty directory, or in one with a space. Operands in the wrong order must not put an index among the
     * user's files.
     *
     * @throws UsageException if the directory contains other files, or there is no list of stores
     */
    SpaceUri spaceToCreate() {
        return SpaceAddress.toCreate(command, "--space", String.valueOf(given), space());
    }

    /**
     * Returns the address that a directory, {@code sqlite:DIR}, {@code partitions:FILE} or the address of a server
     * names.
     *
     * @throws UsageException if the text is the address of another kind of space
     */
    SpaceUri space(String text) {
        return space(command, text);
    }

    /**
     * Returns the address that the value of an option of a command names, as the other method does.
     *
     * @throws UsageException if the text is the address of another kind of space, or contains a password
     */
    public static SpaceUri space(CommandSpec command, String text) {
        String scheme = SpaceUri.SQLITE + ":";
        if (SERVER.matcher(text).lookingAt()) {
            if (PASSWORD.matcher(text).find()) {
                throw new UsageException(command.commandLine(),
                        "the address of the index contains a password, which others can see in the list of processes:"
                                + " put it into ~/.pgpass (chmod 600), or set PGPASSWORD");
            }
            if (!Texts.isText(text)) {
                throw new UsageException(command.commandLine(),
                        "the address of a server is not UTF-8: '" + ExactArguments.printable(text) + "'");
            }
            SpaceAddress.quietDriver();
            return SpaceUri.parse(Texts.decode(text));
        }
        if (ELSEWHERE.matcher(text).lookingAt()) {
            String shown = ExactArguments.printable(SpaceUri.withoutPassword(text));
            throw new UsageException(command.commandLine(),
                    "a space must be DIR or " + scheme + "DIR (a directory), partitions:FILE (several stores) or "
                            + "postgresql://HOST/DATABASE (a server), not '" + shown
                            + "'; a directory of that name is ./" + shown);
        }
        Optional<SpaceUri> partitions = PartitionVerbs.named(text);
        if (partitions.isPresent()) {
            return partitions.get();
        }
        if (text.equals(scheme) || text.startsWith(SpaceUri.MEMORY + ":")
                || text.startsWith(SpaceUri.PARTITIONS + ":")) {
            throw new UsageException(command.commandLine(), "an index is in a directory: DIR or " + scheme
                    + "DIR, not '" + ExactArguments.printable(text) + "'");
        }
        return SpaceUri.of(Texts.path(text.startsWith(scheme) ? text.substring(scheme.length()) : text));
    }

    private static boolean isDirectory(SpaceUri space) {
        return space.scheme().equals(SpaceUri.SQLITE);
    }

    /** Returns the name of a space for messages and commands. */
    static String name(SpaceUri space) {
        return ByteString.printable(isDirectory(space) ? space.address() : space.withoutPassword());
    }

    /** Returns a message about the problem of a space, with the remedy. */
    String explain(SpaceException e) {
        return explain(e, space());
    }

    /** Returns a message about the problem of the space at an address, with the remedy. */
    public static String explain(SpaceException e, SpaceUri space) {
        if (space.scheme().equals(SpaceUri.PARTITIONS)) {
            return explainPartitions(e, space);
        }
        if (!isDirectory(space)) {
            return explainOnServer(e);
        }
        String directory = space.address();
        String hint = switch (e.reason()) {
            case ABSENT -> "; 'treehaul index --space DIR ROOT...' creates one";
            case DAMAGED, VERSION -> String.valueOf(e.getMessage()).contains("'treehaul index'")
                    // One of an older version, which a change upgrades.
                    ? ""
                    : "; it was not changed: remove " + directory + " and index again";
            case DENIED -> "; only its owner can read an index, unless the owner opens " + directory
                    + " (chmod a+rx) and its space.db (chmod a+r) to others";
            case FULL -> "; the index is unchanged";
            case BUSY -> "; another process is writing to it: try again when it has finished";
            case DRIVER -> "; set it in JDK_JAVA_OPTIONS";
            default -> "";
        };
        return e.getMessage() + hint;
    }

    private static String explainPartitions(SpaceException e, SpaceUri space) {
        boolean isAbsent = e.reason() == SpaceException.Reason.ABSENT;
        String name = ByteString.printable(space.toString());
        if (isAbsent && !Files.exists(space.path())) {
            return e.getMessage() + "; 'treehaul space create " + name + " STORE...' makes one";
        }
        // Messages about a single store have the remedy.
        return e.getMessage() + (isAbsent && Partitions.stores(space).stream().noneMatch(TupleSpaces::exists)
                ? "; 'treehaul index --space " + name + " ROOT...' creates one"
                : "");
    }

    private static String explainOnServer(SpaceException e) {
        // The message about a missing database has the error of the server as its cause, and the remedy.
        boolean isAbsent = e.reason() == SpaceException.Reason.ABSENT && e.getCause() == null;
        return e.getMessage() + (isAbsent ? "; 'treehaul index --space ADDRESS ROOT...' creates one" : "");
    }
}
