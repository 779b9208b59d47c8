// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

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
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.linux.ServerView;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.schedulers.batch.JobOrders;
import org.treehaul.schedulers.pool.Pool;
import org.treehaul.schedulers.pool.Trust;
import org.treehaul.schedulers.pool.carry.PoolListener;
import org.treehaul.schedulers.pool.submitter.ChildProgram;
import org.treehaul.schedulers.pool.work.PoolResult;
import org.treehaul.schedulers.pool.work.PoolSettings;
import org.treehaul.schedulers.pool.work.PoolWorker;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.transfer.Publication;
import picocli.CommandLine.Model.CommandSpec;

/** Runs a worker of a pool, and prints what it does. */
final class PoolRun {

    // The worker takes no other transfers while the command runs.
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
     * @param state names the directory that contains the transfers that the worker may carry out
     * @param bounds the values of {@code --bound}
     * @param idle seconds without a transfer after which the worker ends; negative for never
     */
    PoolRun(CommandSpec spec, CommonOptions common, StateOptions state, String pool, List<String> bounds, long idle) {
        this.common = common;
        this.stateDirectory = state.directory();
        this.uri = PoolAddress.parse(spec, "--pool", pool);
        this.bounds = new LinkedHashMap<>();
        bounds.forEach(bound -> addBound(spec, bound));
        PoolSettings plain = PoolSettings.defaults()
                .withThreads(common.threads)
                .withChildren(ChildProgram.of(program(), state.directoryOfUsers()));
        this.settings = idle < 0 ? plain : plain.withIdle(Duration.ofSeconds(idle));
    }

    // This program, as the treehaul script starts it.
    private static List<String> program() {
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(JobOrders.jvm());
        // The standard output is for the answers.
        words.addAll(List.of("-Xlog:disable", "-Xlog:all=warning:stderr", "-XX:+DisplayVMOutputToStderr"));
        Module module = PoolRun.class.getModule();
        String main = "org.treehaul.cli.Main";
        if (module.isNamed()) {
            words.addAll(List.of("--enable-native-access=" + module.getName(), "-m", module.getName() + "/" + main));
        } else {
            String path = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                    .map(entry -> Path.of(entry).toAbsolutePath().toString())
                    .collect(Collectors.joining(File.pathSeparator));
            words.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", path, main));
        }
        words.add("worker");
        return words;
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

    // Workers of root do not believe the users whom they serve.
    private static Trust ofBounds(Pool pool) throws IOException {
        return ProcessStatus.read().effectiveUid() == 0
                ? pool.role().map(role -> new Trust(Set.of(role))).orElse(Trust.EVERYBODY)
                : Trust.EVERYBODY;
    }

    int run() throws InterruptedException {
        try (Session session = Session.beginJob(common); Pool pool = Pool.open(uri)) {
            if (!bounds.isEmpty()) {
                Trust trust = ofBounds(pool);
                bounds.forEach((place, most) -> pool.bound(place, most, trust));
            }
            session.screen().note("a worker of the pool " + uri);
            PoolResult result = PoolWorker.work(pool, stateDirectory, settings,
                    new Report(session, session.screen()::note, session.cancellation()), session.progress(),
                    session.cancellation());
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

    /**
     * Reports what a worker of a pool does, and runs the commands of finished transfers.
     *
     * @param events receives the events of the work
     * @param notes receives the results of transfers
     * @param cancellation ends the commands, too
     */
    record Report(EventListener events, Consumer<String> notes, Cancellation cancellation) implements PoolListener {

        @Override
        public void onEvent(Event event) {
            events.onEvent(event);
        }

        @Override
        public void onFinished(TransferDirectory transfer, int generation, TransferResult result) {
            notes.accept("transfer " + transfer.id() + ": " + FinishCommand.text(transfer, result));
            if (result.state() != TransferResult.State.SUPERSEDED) {
                Publication.update(transfer, notes);
                complete(transfer, FinishCommand.code(result));
            }
        }

        // As the finishing job of a scheduler does, see JobBody.
        private void complete(TransferDirectory transfer, ExitCode code) {
            Path command = transfer.launch().resolve("on-complete");
            Path log = transfer.log().resolve("th-on-complete-" + ProcessHandle.current().pid() + ".out");
            try {
                if (!ServerView.exists(command)) {
                    return;
                }
                ProcessBuilder bash = new ProcessBuilder("bash", command.toString()).directory(transfer.path().toFile())
                        .redirectInput(Path.of("/dev/null").toFile())
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                        .redirectErrorStream(true);
                bash.environment().put("TREEHAUL_TRANSFER", transfer.id().text());
                bash.environment().put("TREEHAUL_CODE", String.valueOf(code.code()));
                Process process = bash.start();
                BoundedWait.Ending ending = BoundedWait.await(process, MOST_OF_COMMAND, PATIENCE, cancellation);
                if (ending != BoundedWait.Ending.ENDED || process.exitValue() != 0) {
                    notes.accept("the command of --on-complete " + switch (ending) {
                        case ENDED -> "ended with " + process.exitValue();
                        case TOO_LONG -> "was ended after " + Text.duration(MOST_OF_COMMAND);
                        case STOPPED -> "was ended with this worker, and the next one runs it again";
                    } + "; its output is in " + log);
                }
            } catch (IOException e) {
                notes.accept("cannot run the command of --on-complete: " + PrivateFiles.describe(e));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
