// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.bench;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.List;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.staged.StageAccess;
import org.treehaul.cli.staged.StagedEntry;
import org.treehaul.core.async.AsyncFiles;
import org.treehaul.core.async.AsyncSettings;
import org.treehaul.core.async.bench.IoBenchmark;
import org.treehaul.core.async.bench.IoParameters;
import org.treehaul.core.async.bench.IoWay;
import org.treehaul.core.async.bench.StoredBenchmarkFiles;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.StripeLayout;
import org.treehaul.schedulers.stage.async.AsyncStage;
import picocli.CommandLine.Model.CommandSpec;

/** The options of {@code treehaul bench io} for files in a stage. */
final class BenchStage {

    private static final long STRIPE = 1 << 20;

    private final CommonOptions common;
    private @Nullable ByteString place;
    private final StageAccess access;

    BenchStage(CommandSpec command, CommonOptions common) {
        this.common = common;
        Options.add(command, Options.value(ByteString.class, value -> place = value, "--stage"), "NAME:[PATH]",
                "Measure in a new directory of this stage, too, by the ways stage-sync, stage-threads and stage-servers.");
        access = new StageAccess(command, common).addSpace().addServers("With --stage: ");
    }

    /** Returns whether a stage is to be measured. */
    boolean isGiven() {
        return place != null;
    }

    /** Checks that options of a stage are given with one. */
    void check() {
        for (String option : List.of("--secret-file", "--tls")) {
            if (place == null && common.isGiven(option)) {
                throw common.usage(option + " needs --stage NAME:[PATH]");
            }
        }
    }

    /** A stage that is open, with the files of the measurement. */
    final class Open implements AutoCloseable {

        private final Stage stage;
        private final AsyncFiles maker;
        private final StoredBenchmarkFiles files;
        private final StripeLayout layout;

        private Open(IoParameters parameters, FileSystemCalls calls, StagedEntry directory) throws IOException {
            // A server is measured, even if its directory could be reached without it.
            stage = access.open(directory.stage(), access.openerOfServers(calls), Math.max(1, parameters.threads()));
            List<String> servers = stage.catalogue().activeServers();
            if (servers.isEmpty()) {
                stage.close();
                throw new StageException("stage " + directory.stage(), "none of its servers takes new segments", 0);
            }
            layout = new StripeLayout(servers, servers.size(), STRIPE);
            maker = AsyncStage.byThreads(stage, layout, AsyncSettings.defaults());
            files = new StoredBenchmarkFiles(maker,
                    StagedFile.join(directory.path(),
                            ByteString.of("treehaul-bench-" + Long.toHexString(new SecureRandom().nextLong()))),
                    parameters);
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
            try (access; stage; maker) {
                files.close();
            }
        }
    }

    /**
     * Opens the stage.
     *
     * @throws IOException if the secret cannot be read, or there is no such stage
     */
    Open open(IoParameters parameters, FileSystemCalls calls) throws IOException {
        ByteString given = place == null ? ByteString.empty() : place;
        try {
            return new Open(parameters, calls, StagedEntry.parse(common, given));
        } catch (IOException | RuntimeException e) {
            access.close();
            throw e;
        }
    }
}
