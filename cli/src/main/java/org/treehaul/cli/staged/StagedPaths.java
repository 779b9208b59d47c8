// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.staged;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.RemotePaths;
import org.treehaul.cli.common.UsageException;
import org.treehaul.cli.space.SpaceOption;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.options.EntryFilter;
import org.treehaul.schedulers.stage.Catalogue;
import org.treehaul.schedulers.stage.LocalServers;
import org.treehaul.schedulers.stage.SegmentsOpener;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StagedPath;
import org.treehaul.schedulers.stage.files.StageStore;
import org.treehaul.schedulers.stage.files.StageWalk;
import org.treehaul.schedulers.stage.net.RunSecret;
import org.treehaul.schedulers.stage.net.SegmentClients;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;
import picocli.CommandLine.Model.CommandSpec;

/** The stages that the operands of a command name. Each is opened once, when it is needed first. */
public final class StagedPaths implements AutoCloseable {

    private static final int SCHEME = "stage:".length();
    private static final int MOST_THREADS = 16;

    /**
     * The options of a command for stages.
     *
     * @param space the catalogue, null or empty if it is not given
     * @param secret the file with the secret of the servers, null without servers
     * @param isEncrypted whether connections to servers are encrypted
     */
    public record Access(@Nullable String space, @Nullable ByteString secret, boolean isEncrypted) {}

    /**
     * An entry of a stage.
     *
     * @param stage the name of the stage
     * @param path the path in it; empty for the top
     * @param given the operand as the user wrote it
     */
    record Entry(String stage, ByteString path, ByteString given) {}

    private final CommandSpec command;
    private final CommonOptions common;
    private final Access access;
    private final Map<String, Stage> stages = new HashMap<>();
    private final Map<String, StageStore> stores = new HashMap<>();
    private @Nullable SegmentClients clients;
    private @Nullable SegmentsOpener opener;

    /** Begins without any stage. */
    public StagedPaths(CommandSpec command, CommonOptions common, Access access) {
        this.command = command;
        this.common = common;
        this.access = access;
    }

    /** Returns the number of threads: that of the option, or two for each processor, at most 16. */
    int threads() {
        return common.threads > 0
                ? common.threads
                : Math.min(MOST_THREADS, 2 * Runtime.getRuntime().availableProcessors());
    }

    /** Returns the entry that an operand names; the operand is {@link RemotePaths#isStaged}. */
    Entry entry(ByteString operand) {
        byte[] bytes = operand.toBytes();
        int slash = SCHEME;
        while (slash < bytes.length && bytes[slash] != '/') {
            slash++;
        }
        String name = ByteString.of(bytes, SCHEME, slash).toString();
        if (!Catalogue.isName(name)) {
            throw common.usage("a path of a stage is stage:NAME/PATH, NAME of letters, digits, dots, hyphens and "
                    + "underscores, not '" + operand + "'; a local file of this name is './" + operand + "'");
        }
        try {
            return new Entry(name, StagedPath.of(ByteString.of(bytes, slash, bytes.length)), operand);
        } catch (IllegalArgumentException e) {
            throw common.usage(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Returns the store of a stage.
     *
     * @throws StageException if there is no such stage, or the secret of its servers cannot be read
     */
    StageStore store(String name) throws StageException {
        StageStore known = stores.get(name);
        if (known != null) {
            return known;
        }
        SpaceUri space = space();
        SegmentsOpener servers = opener();
        Stage stage = stage(space, name, servers);
        if (stage.catalogue().servers().isEmpty()) {
            throw new StageException("stage " + name, "there is none of this name in "
                    + ByteString.printable(space.withoutPassword()) + "; 'treehaul stage in' makes one", 0);
        }
        StageStore store = StageStore.of(stage);
        stores.put(name, store);
        return store;
    }

    private Stage stage(SpaceUri space, String name, SegmentsOpener servers) throws StageException {
        try {
            Stage stage = Stage.open(Catalogue.openExisting(space, name), servers, threads());
            stages.put(name, stage);
            return stage;
        } catch (SpaceException e) {
            throw new StageException("stage " + name, explain(e), 0, e);
        }
    }

    private SpaceUri space() {
        String named = access.space();
        if (named == null || named.isEmpty()) {
            throw common.usage("no catalogue of the stage is given: use --space DIR or set TREEHAUL_SPACE");
        }
        return space(command, common, named);
    }

    /**
     * Returns the address of a catalogue.
     *
     * @throws UsageException if it is none
     */
    public static SpaceUri space(CommandSpec command, CommonOptions common, String text) {
        SpaceUri uri = SpaceOption.space(command, text);
        if (uri.scheme().equals(SpaceUri.PARTITIONS)) {
            throw common.usage("the catalogue of a stage cannot be in partitions: use a directory, or "
                    + "postgresql://HOST/DATABASE");
        }
        return uri;
    }

    /**
     * Prepares a walk of the entry that an operand names.
     *
     * @throws StageException if there is no such stage
     */
    public StageWalk walk(ByteString operand, EntryFilter filter, FileQuery where, StageWalk.Visitor visitor)
            throws StageException {
        Entry entry = entry(operand);
        return new StageWalk(store(entry.stage()), entry.path(), operand, filter, where, visitor);
    }

    /** Returns a message about the problem of the catalogue. */
    public String explain(SpaceException e) {
        return explain(e, space());
    }

    /** Returns a message about the problem of the catalogue at an address. */
    public static String explain(SpaceException e, SpaceUri space) {
        // The remedies for an index would remove the catalogue, which cannot be made anew.
        return switch (e.reason()) {
            case ABSENT -> e.getMessage() + (e.getCause() == null ? "; 'treehaul stage in' makes one" : "");
            case DAMAGED, VERSION, DENIED, FULL -> String.valueOf(e.getMessage());
            default -> SpaceOption.explain(e, space);
        };
    }

    private SegmentsOpener opener() throws StageException {
        SegmentsOpener known = opener;
        if (known == null) {
            known = access.secret() == null ? withoutServers() : withServers(access.secret());
            opener = known;
        }
        return known;
    }

    private SegmentsOpener withoutServers() {
        if (access.isEncrypted()) {
            throw common.usage("--secret-file FILE is missing: the secret with which the servers were started");
        }
        SegmentsOpener local = LocalServers.opener(Linux.calls());
        return server -> {
            if (!server.address().isEmpty()) {
                throw new StageException(server.display(),
                        "--secret-file FILE is missing: the secret with which the server was started", 0);
            }
            return local.open(server);
        };
    }

    private SegmentsOpener withServers(ByteString secret) throws StageException {
        try {
            SegmentClients opened = new SegmentClients(RunSecret.read(secret), access.isEncrypted());
            clients = opened;
            return opened.withLocal(Linux.calls());
        } catch (IOException e) {
            throw new StageException("--secret-file", PrivateFiles.describe(e), 0, e);
        }
    }

    @Override
    public void close() {
        stages.values().forEach(Stage::close);
        SegmentClients open = clients;
        if (open != null) {
            open.close();
        }
    }
}
