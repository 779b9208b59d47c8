// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.args.ExactVariables;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.Texts;
import org.treehaul.cli.common.UsageException;
import org.treehaul.cli.config.Configuration;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.schedulers.pool.submitter.ChildProgram;
import picocli.CommandLine.Model.CommandSpec;

/** The options that locate transfers. */
public final class StateOptions {

    // The JVM's name of a user without an account.
    private static final String NOBODY = "?";

    private final CommandSpec command;
    private @Nullable String directory;

    /** Adds the option to a command. */
    public StateOptions(CommandSpec command) {
        this(command, "Keep the state of transfers in DIR, which all nodes must share.");
    }

    /** Adds the option to a command that keeps something else there. */
    public StateOptions(CommandSpec command, String description) {
        this.command = command;
        Options.add(command, Options.value(String.class, value -> directory = value, "--state-dir"), "DIR",
                description + " %%u is the name of the user. Default: TREEHAUL_HOME, else ~/.treehaul.");
    }

    /**
     * Returns the directory, which need not exist. A {@code %u} in its path is the name of the user of this process.
     *
     * @throws UsageException if the path has {@code %u}, and the user has no name on this host
     */
    public Path directory() {
        String path = named().toString();
        String user = System.getProperty("user.name", NOBODY);
        if (path.contains(ChildProgram.USER) && (user.isEmpty() || user.equals(NOBODY))) {
            throw new UsageException(command.commandLine(), "the state directory " + ExactArguments.printable(path)
                    + " has the name of the user for %u, and this user has no account on this host; use --state-dir or "
                    + StateDirectory.VARIABLE + " with a directory without %u");
        }
        return Path.of(path.replace(ChildProgram.USER, user));
    }

    private Path named() {
        String variable = ExactVariables.get(System.getenv(), StateDirectory.VARIABLE);
        String given = directory == null ? variable : directory;
        // A home directory that is no text in this locale matters only if the state is in it.
        return given.isEmpty()
                ? StateDirectory.locate(Optional.empty(), Map.of(), Texts.path(ExactVariables.home(System.getenv())))
                : Texts.path(given).toAbsolutePath();
    }

    /** Returns the directory of each user, with {@code %u} for the name; empty if the option names none for all. */
    String directoryOfUsers() {
        String path = named().toString();
        return path.contains(ChildProgram.USER) ? path : "";
    }

    public Transfers transfers() throws TransferException {
        return Transfers.in(directory());
    }

    /** Returns the transfers for reading only, so that nothing is created or written. */
    public Transfers reading() throws TransferException {
        return Transfers.reading(directory());
    }

    /**
     * Returns the transfers for reading only.
     *
     * @throws TransferException if the command line names a directory that does not exist
     */
    Transfers existing(CommonOptions common) throws TransferException {
        // A directory of a setting does not exist before the first transfer.
        if (common.isGiven("--state-dir") && !isSetting() && !Files.isDirectory(directory())) {
            throw new TransferException("--state-dir " + directory() + " does not exist or is no directory");
        }
        return reading();
    }

    // Settings become options before the options are parsed.
    private boolean isSetting() {
        Configuration configuration = Configuration.read(System.getenv());
        return Stream
                .concat(configuration.settings().stream(),
                        configuration.presets().values().stream().flatMap(List::stream))
                .anyMatch(setting -> setting.argument().equals("--state-dir=" + directory));
    }

    /**
     * Opens the transfer that the user means: by its id, the end of its id, or {@code last}.
     *
     * @throws TransferException if there is no such transfer or more than one, or it is damaged
     */
    public TransferDirectory open(String named) throws IOException {
        Transfers transfers = reading();
        return transfers.open(find(transfers, named));
    }

    /** Returns the id of the transfer that the user means, which may be incomplete. */
    TransferId find(Transfers transfers, String named) throws IOException {
        List<TransferId> ids = transfers.list();
        List<TransferId> meant = new ArrayList<>(ids);
        if (named.equals("last")) {
            meant = ids.isEmpty() ? List.of() : List.of(ids.getLast());
        } else {
            meant.removeIf(id -> named.isEmpty() || !id.text().endsWith(named));
        }
        String shown = ExactArguments.printable(named);
        if (meant.isEmpty()) {
            throw new TransferException("there is no transfer '" + shown + "' in " + directory() + (ids.isEmpty()
                    ? ", which contains none; if they are in another place, use --state-dir or "
                            + StateDirectory.VARIABLE
                    : "; give an id, the end of one, or 'last': 'treehaul status' lists them. If it is in another place, use --state-dir"));
        }
        if (meant.size() > 1) {
            throw new TransferException("'" + shown + "' may be " + meant.getFirst() + " or " + meant.getLast()
                    + "; give a longer part of the id");
        }
        return meant.getFirst();
    }
}
