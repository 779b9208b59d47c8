// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.bench;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.List;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.space.SpaceOption;
import org.treehaul.core.async.AsyncFiles;
import org.treehaul.core.async.AsyncSettings;
import org.treehaul.core.async.bench.IoBenchmark;
import org.treehaul.core.async.bench.IoParameters;
import org.treehaul.core.async.bench.IoWay;
import org.treehaul.core.async.bench.StoredBenchmarkFiles;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.schedulers.stage.Catalogue;
import org.treehaul.schedulers.stage.LocalServers;
import org.treehaul.schedulers.stage.SegmentsOpener;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageServer;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.StagedPath;
import org.treehaul.schedulers.stage.StripeLayout;
import org.treehaul.schedulers.stage.async.AsyncStage;
import org.treehaul.schedulers.stage.net.RunSecret;
import org.treehaul.schedulers.stage.net.SegmentClients;
import org.treehaul.tuplespace.store.SpaceUri;
import picocli.CommandLine.Model.CommandSpec;

/** The options of {@code treehaul bench io} for files in a stage. */
final class BenchStage {

    private static final long STRIPE = 1 << 20;

    private final CommandSpec command;
    private final CommonOptions common;
    private @Nullable ByteString place;
    private @Nullable String space;
    private @Nullable ByteString secret;
    private boolean isEncrypted;

    BenchStage(CommandSpec command, CommonOptions common) {
        this.command = command;
        this.common = common;
        Options.add(command, Options.value(ByteString.class, value -> place = value, "--stage"), "NAME:[PATH]",
                "Measure in a new directory of this stage, too, by the ways stage-sync, stage-threads and stage-servers.");
        Options.add(command, Options.value(String.class, value -> space = value, "--space"), "DIR",
                "The catalogue of the stage, as for 'treehaul stage'. Default: TREEHAUL_SPACE.");
        Options.add(command, Options.value(ByteString.class, value -> secret = value, "--secret-file"), "FILE",
                "The secret of the servers of the stage, in a file that only you may read.");
        Options.add(command, Options.flag(value -> isEncrypted = value, "--tls"),
                "Encrypt the connections to the servers of the stage, which have certificates.");
    }

    /** Returns whether a stage is to be measured. */
    boolean isGiven() {
        return place != null;
    }

    /** Checks that options of a stage are given with one. */
    void check() {
        if (place == null && (secret != null || isEncrypted)) {
            throw common.usage("--secret-file and --tls need --stage NAME:[PATH]");
        }
    }

    /** A stage that is open, with the files of the measurement. */
    final class Open implements AutoCloseable {

        private final @Nullable SegmentClients clients;
        private final Stage stage;
        private final AsyncFiles maker;
        private final StoredBenchmarkFiles files;
        private final StripeLayout layout;

        private Open(IoParameters parameters, FileSystemCalls calls, String name, ByteString path, SpaceUri uri)
                throws IOException {
            clients = secret == null ? null : new SegmentClients(RunSecret.read(secret), isEncrypted);
            SegmentsOpener local = LocalServers.opener(calls);
            // A server is measured, even if its directory could be reached without it.
            stage = Stage.open(Catalogue.openExisting(uri, name),
                    server -> server.address().isEmpty() ? local.open(server) : remote(server),
                    Math.max(1, parameters.threads()));
            List<String> servers = stage.catalogue().activeServers();
            if (servers.isEmpty()) {
                boolean isKnown = !stage.catalogue().servers().isEmpty();
                close(stage, clients);
                throw new StageException("stage " + name,
                        isKnown
                                ? "none of its servers takes new segments"
                                : "there is none of this name in the catalogue",
                        0);
            }
            layout = new StripeLayout(servers, servers.size(), STRIPE);
            maker = AsyncStage.byThreads(stage, layout, AsyncSettings.defaults());
            files = new StoredBenchmarkFiles(maker,
                    StagedFile.join(path,
                            ByteString.of("treehaul-bench-" + Long.toHexString(new SecureRandom().nextLong()))),
                    parameters);
        }

        private org.treehaul.schedulers.stage.Segments remote(StageServer server) throws StageException {
            SegmentClients open = clients;
            if (open == null) {
                throw new StageException(server.display(),
                        "--secret-file FILE is missing: the secret with which the server was started", 0);
            }
            return open.open(server);
        }

        private static void close(Stage stage, @Nullable SegmentClients clients) {
            stage.close();
            if (clients != null) {
                clients.close();
            }
        }

        /** Returns the measurement. */
        IoBenchmark benchmark(FileSystemCalls calls, IoParameters parameters, BooleanSupplier isCancelled) {
            return IoBenchmark.of(calls, files, parameters, isCancelled,
                    (way, settings) -> way == IoWay.STAGE_SERVERS
                            ? AsyncStage.byServers(stage, layout, settings)
                            : AsyncStage.byThreads(stage, layout, settings));
        }

        /** Removes the files, and closes the stage. */
        @Override
        public void close() throws IOException {
            try (maker) {
                files.close();
            } finally {
                close(stage, clients);
            }
        }
    }

    /**
     * Opens the stage.
     *
     * @throws IOException if the secret cannot be read, or there is no such stage
     */
    Open open(IoParameters parameters, FileSystemCalls calls) throws IOException {
        ByteString given = place == null ? ByteString.of("") : place;
        byte[] bytes = given.toBytes();
        int colon = 0;
        while (colon < bytes.length && bytes[colon] != ':') {
            colon++;
        }
        String name = ByteString.of(bytes, 0, colon).toString();
        if (colon == bytes.length || !Catalogue.isName(name)) {
            throw common.usage("--stage takes NAME:[PATH], not '" + given + "'");
        }
        String catalogue = space;
        if (catalogue == null || catalogue.isEmpty()) {
            throw common.usage("no catalogue is given: use --space DIR or set TREEHAUL_SPACE");
        }
        try {
            ByteString path = StagedPath.of(ByteString.of(bytes, colon + 1, bytes.length));
            return new Open(parameters, calls, name, path, SpaceOption.space(command, catalogue));
        } catch (IllegalArgumentException e) {
            throw common.usage("--stage: " + e.getMessage());
        } catch (StageException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException("--secret-file: " + PrivateFiles.describe(e), e);
        }
    }
}
