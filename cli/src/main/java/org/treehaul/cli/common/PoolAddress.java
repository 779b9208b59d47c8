// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.common;

import java.nio.file.Path;

import org.treehaul.cli.args.ExactArguments;
import org.treehaul.core.entry.ByteString;
import org.treehaul.tuplespace.store.SpaceUri;
import picocli.CommandLine.Model.CommandSpec;

/** The address of the space of a pool as an argument. */
public final class PoolAddress {

    private PoolAddress() {}

    /**
     * Returns the address in a form that does not depend on the working directory.
     *
     * @param option the option that has it
     * @param text the argument: {@code DIR}, {@code sqlite:DIR}, {@code partitions:FILE} or the address of a server
     * @throws UsageException if other processes cannot open such a space, the address contains a password, the
     *         directory contains other files, or there is no list of stores
     */
    public static SpaceUri parse(CommandSpec command, String option, String text) {
        SpaceUri uri = absolute(command, option, text);
        if (uri.address().chars().anyMatch(c -> c == '\\' || Character.isISOControl(c))) {
            // Records of submissions, which contain the address, would have it in another form.
            throw new UsageException(command.commandLine(), option + ": the address of a pool must not contain "
                    + "backslashes or control characters, unlike " + ByteString.printable(uri.toString()));
        }
        return uri;
    }

    private static SpaceUri absolute(CommandSpec command, String option, String text) {
        if (!Texts.isText(text) || text.isEmpty()) {
            throw new UsageException(command.commandLine(),
                    option + " must be the address of a tuple space, not '" + ExactArguments.printable(text) + "'");
        }
        if (!SpaceUri.withoutPassword(text).equals(text)) {
            // The address is shown and recorded.
            throw new UsageException(command.commandLine(), option
                    + ": an address must not contain a password, which everybody would see; a password file can have it");
        }
        SpaceUri uri;
        try {
            uri = SpaceUri.parse(Texts.decode(text));
        } catch (IllegalArgumentException e) {
            throw new UsageException(command.commandLine(), option + ": " + e.getMessage());
        }
        if (uri.scheme().equals(SpaceUri.MEMORY)) {
            throw new UsageException(command.commandLine(),
                    option + " must be a space that other processes can open: DIR, sqlite:DIR, partitions:FILE "
                            + "or postgresql://HOST/DATABASE");
        }
        if (uri.scheme().equals(SpaceUri.PARTITIONS)) {
            Path file = Texts.path(text.substring(SpaceUri.PARTITIONS.length() + 1)).toAbsolutePath().normalize();
            return SpaceAddress.toCreate(command, option, text, new SpaceUri(SpaceUri.PARTITIONS, file.toString()));
        }
        if (!uri.scheme().equals(SpaceUri.SQLITE)) {
            SpaceAddress.quietDriver();
            return uri;
        }
        String scheme = SpaceUri.SQLITE + ":";
        String directory = text.startsWith(scheme) ? text.substring(scheme.length()) : text;
        return SpaceAddress.toCreate(command, option, text,
                SpaceUri.of(Texts.path(directory).toAbsolutePath().normalize()));
    }
}
