// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.common.BoundedWait;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.PoolAddress;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.common.Texts;
import org.treehaul.cli.common.UsageException;
import org.treehaul.cli.report.Text;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Event;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.schedulers.pool.Pool;
import org.treehaul.schedulers.pool.work.PoolListener;
import org.treehaul.schedulers.pool.work.PoolResult;
import org.treehaul.schedulers.pool.work.PoolSettings;
import org.treehaul.schedulers.pool.work.PoolWorker;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.transfer.Publication;
import picocli.CommandLine.Model.CommandSpec;

/** Runs a worker of a pool, and prints what it does. */
final class PoolRun {

    // It keeps the worker from other transfers.
    private static final Duration MOST_OF_COMMAND = Duration.ofHours(1);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final CommonOptions common;
    private final Path stateDirectory;
    private final SpaceUri uri;
    private final Map<String, Integer> bounds;
    private final PoolSettings settings;

    /**
     * Reads the arguments.
     *
     * @param stateDirectory contains the transfers that the worker may carry out
     * @param bounds the values of {@code --bound}
     * @param idle seconds without a transfer after which the worker ends; negative for never
     */
    PoolRun(CommandSpec spec, CommonOptions common, Path stateDirectory, String pool, List<String> bounds, long idle) {
        this.common = common;
        this.stateDirectory = stateDirectory;
        this.uri = PoolAddress.parse(spec, "--pool", pool);
        this.bounds = new LinkedHashMap<>();
        bounds.forEach(bound -> addBound(spec, bound));
        PoolSettings plain = PoolSettings.defaults().withThreads(common.threads);
        this.settings = idle < 0 ? plain : plain.withIdle(Duration.ofSeconds(idle));
    }

    private void addBound(CommandSpec spec, String bound) {
        int sign = bound.lastIndexOf('=');
        if (sign < 1 || !bound.substring(sign + 1).matches("[0-9]{1,5}")) {
            throw new UsageException(spec.commandLine(),
                    "--bound must be DIR=N with N from 0 to 99999, not '" + ExactArguments.printable(bound) + "'");
        }
        // As the offers have it: escaped where it is not printable.
        Path directory = Texts.path(bound.substring(0, sign)).toAbsolutePath().normalize();
        bounds.put(ByteString.of(directory.toString()).toString(), Integer.parseInt(bound.substring(sign + 1)));
    }

    int run() throws InterruptedException {
        try (Session session = Session.beginJob(common); Pool pool = Pool.open(uri)) {
            bounds.forEach(pool::bound);
            session.screen().note("a worker of the pool " + uri);
            PoolResult result = PoolWorker.work(pool, stateDirectory, settings, new Listener(session),
                    session.progress(), session.cancellation());
            session.end(Map.of(), true);
            session.screen()
                    .note(Text.count(result.batches(), "batch", "batches") + ", "
                            + Text.count(result.finished(), "transfer finished", "transfers finished"));
            return ExitCode.DONE.code();
        } catch (SpaceException e) {
            common.screen().error("the pool " + uri + ": " + e.getMessage());
        } catch (IOException e) {
            common.screen().error(StateDirectory.reason(e));
        }
        return ExitCode.TROUBLE.code();
    }

    private record Listener(Session session) implements PoolListener {

        @Override
        public void onEvent(Event event) {
            session.onEvent(event);
        }

        @Override
        public void onFinished(TransferDirectory transfer, int generation, TransferResult result) {
            session.screen().note("transfer " + transfer.id() + ": " + FinishCommand.text(transfer, result));
            if (result.state() != TransferResult.State.SUPERSEDED) {
                Publication.update(transfer, session.screen()::note);
                complete(transfer, FinishCommand.code(result));
            }
        }

        // As the finishing job of a scheduler does, see JobBody.
        private void complete(TransferDirectory transfer, ExitCode code) {
            Path command = transfer.launch().resolve("on-complete");
            if (!Files.exists(command)) {
                return;
            }
            Path log = transfer.log().resolve("th-on-complete-" + ProcessHandle.current().pid() + ".out");
            ProcessBuilder bash = new ProcessBuilder("bash", command.toString()).directory(transfer.path().toFile())
                    .redirectInput(Path.of("/dev/null").toFile())
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .redirectErrorStream(true);
            bash.environment().put("TREEHAUL_TRANSFER", transfer.id().text());
            bash.environment().put("TREEHAUL_CODE", String.valueOf(code.code()));
            try {
                Process process = bash.start();
                BoundedWait.Ending ending = BoundedWait.await(process, MOST_OF_COMMAND, PATIENCE,
                        session.cancellation());
                if (ending != BoundedWait.Ending.ENDED || process.exitValue() != 0) {
                    session.screen().note("the command of --on-complete " + switch (ending) {
                        case ENDED -> "ended with " + process.exitValue();
                        case TOO_LONG -> "was ended after " + Text.duration(MOST_OF_COMMAND);
                        case STOPPED -> "was ended with this worker, and the next one runs it again";
                    } + "; its output is in " + log);
                }
            } catch (IOException e) {
                session.screen().note("cannot run the command of --on-complete: " + PrivateFiles.describe(e));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
