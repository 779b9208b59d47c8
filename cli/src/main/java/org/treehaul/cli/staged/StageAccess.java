// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.staged;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.UsageException;
import org.treehaul.cli.space.SpaceOption;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.schedulers.stage.Catalogue;
import org.treehaul.schedulers.stage.LocalServers;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.SegmentsOpener;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageServer;
import org.treehaul.schedulers.stage.net.RunSecret;
import org.treehaul.schedulers.stage.net.SegmentClients;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The options {@code --space}, {@code --secret-file} and {@code --tls} of a command, and what they lead to: the
 * catalogue of a stage, and the connections to its servers, which are opened when they are needed first.
 */
public final class StageAccess implements AutoCloseable {

    private static final String SPACE = "--space";

    private final CommandSpec command;
    private final CommonOptions common;
    private @Nullable ByteString secret;
    private boolean isEncrypted;
    private @Nullable SegmentClients clients;

    /** Begins without options: the command has others of these names, or {@link #addSpace} and so on add them. */
    public StageAccess(CommandSpec command, CommonOptions common) {
        this.command = command;
        this.common = common;
    }

    /**
     * Returns the access of a command that has read the options for servers itself.
     *
     * @param secret the file with the secret of the servers, null without servers
     * @param isEncrypted whether connections to servers are encrypted
     */
    public static StageAccess of(CommandSpec command, CommonOptions common, @Nullable ByteString secret,
            boolean isEncrypted) {
        StageAccess access = new StageAccess(command, common);
        access.secret = secret;
        access.isEncrypted = isEncrypted;
        return access;
    }

    /** Adds the option for the catalogue. */
    public StageAccess addSpace() {
        Options.add(command, Options.named(String.class, this::set, SPACE), "DIR",
                "The catalogue of the stage: DIR, sqlite:DIR, or postgresql://HOST/DATABASE. Default: TREEHAUL_SPACE.");
        return this;
    }

    /**
     * Adds the options for servers.
     *
     * @param when the beginning of their help, such as {@code "With --at: "}; empty if they have their meaning always
     */
    public StageAccess addServers(String when) {
        Options.add(command, Options.named(ByteString.class, this::set, "--secret-file"), "FILE",
                help(when, "The secret of the servers of the stage, in a file that only you may read."));
        Options.add(command, Options.named(Boolean.class, this::set, "--tls"),
                help(when, "Encrypt the connections to the servers of the stage, which have certificates."));
        return this;
    }

    private static String help(String when, String text) {
        return when.isEmpty() ? text : when + text.substring(0, 1).toLowerCase(Locale.ROOT) + text.substring(1);
    }

    private void set(String option, Object value) {
        switch (option) {
            case "--secret-file" -> secret = (ByteString) value;
            case "--tls" -> isEncrypted = (Boolean) value;
            // It is asked of the arguments, because several commands have it for other spaces, too.
            default -> {}
        }
    }

    /** Returns the file with the secret of the servers, if it is given. */
    public Optional<ByteString> secret() {
        return Optional.ofNullable(secret);
    }

    /** Returns whether connections to servers are encrypted. */
    public boolean isEncrypted() {
        return isEncrypted;
    }

    /** Returns the catalogue as it was given, empty if it was not. */
    public String givenSpace() {
        OptionSpec given = command.commandLine().getParseResult().matchedOption(SPACE);
        return given == null ? "" : given.originalStringValues().getLast();
    }

    /**
     * Returns the address of the catalogue.
     *
     * @throws UsageException if none is given, or it cannot be that of a catalogue
     */
    public SpaceUri space() {
        String given = givenSpace();
        if (given.isEmpty()) {
            throw common.usage("no catalogue of the stage is given: use --space DIR or set TREEHAUL_SPACE");
        }
        SpaceUri uri = SpaceOption.space(command, given);
        if (uri.scheme().equals(SpaceUri.PARTITIONS)) {
            throw common.usage("the catalogue of a stage cannot be in partitions: use a directory, or "
                    + "postgresql://HOST/DATABASE");
        }
        return uri;
    }

    /**
     * Opens a stage that exists.
     *
     * @throws StageException if there is no such stage, or its catalogue does not answer
     */
    public Stage open(String name, SegmentsOpener servers, int threads) throws StageException {
        SpaceUri space = space();
        Stage stage;
        try {
            stage = Stage.open(Catalogue.openExisting(space, name), servers, threads);
        } catch (SpaceException e) {
            throw new StageException("stage " + name, explain(e), 0, e);
        }
        try {
            if (stage.catalogue().servers().isEmpty()) {
                throw new StageException("stage " + name, "there is none of this name in "
                        + ByteString.printable(space.withoutPassword()) + "; 'treehaul stage in' makes one", 0);
            }
            return stage;
        } catch (StageException | RuntimeException e) {
            stage.close();
            throw e;
        }
    }

    /** Returns a message about the problem of the catalogue. */
    public String explain(SpaceException e) {
        // The remedies for an index would remove the catalogue, which cannot be made anew.
        return switch (e.reason()) {
            case ABSENT -> e.getMessage() + (e.getCause() == null ? "; 'treehaul stage in' makes one" : "");
            case DAMAGED, VERSION, DENIED, FULL -> String.valueOf(e.getMessage());
            default -> SpaceOption.explain(e, space());
        };
    }

    /**
     * Returns an opener for directories of this host, and for other servers if the secret is given.
     *
     * @throws StageException if the secret cannot be read, or is open to others
     */
    public SegmentsOpener opener(FileSystemCalls calls) throws StageException {
        return secret == null ? openerOfServers(calls) : connected().withLocal(calls);
    }

    /**
     * Returns an opener that asks a server also for a directory of this host; otherwise as {@link #opener}.
     *
     * @throws StageException if the secret cannot be read, or is open to others
     */
    public SegmentsOpener openerOfServers(FileSystemCalls calls) throws StageException {
        if (secret == null && isEncrypted) {
            throw missing();
        }
        SegmentsOpener local = LocalServers.opener(calls);
        SegmentsOpener servers = secret == null ? StageAccess::refuse : connected();
        return server -> (server.address().isEmpty() ? local : servers).open(server);
    }

    private static Segments refuse(StageServer server) throws StageException {
        throw new StageException(server.display(),
                "--secret-file FILE is missing: the secret with which the server was started", 0);
    }

    private CommandLine.ParameterException missing() {
        return common.usage("--secret-file FILE is missing: the secret with which the servers were started");
    }

    private SegmentClients connected() throws StageException {
        SegmentClients known = clients;
        if (known != null) {
            return known;
        }
        ByteString file = secret;
        if (file == null) {
            throw missing();
        }
        try {
            SegmentClients opened = new SegmentClients(RunSecret.read(file), isEncrypted);
            clients = opened;
            return opened;
        } catch (IOException e) {
            throw new StageException("--secret-file", PrivateFiles.describe(e), 0, e);
        }
    }

    /**
     * Checks that the secret of servers is given.
     *
     * @throws UsageException if it is not
     */
    public void requireSecret() {
        if (secret == null) {
            throw missing();
        }
    }

    /**
     * Adds servers to a stage.
     *
     * @param addresses {@code HOST:PORT} with commas between them
     * @throws StageException if one of them cannot be reached, or the secret cannot be read
     */
    public void add(Catalogue catalogue, String addresses) throws StageException {
        connected().add(catalogue, List.of(addresses.split(",", -1)));
    }

    @Override
    public void close() {
        SegmentClients open = clients;
        if (open != null) {
            open.close();
        }
    }
}
