// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.common;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.state.Host;
import org.treehaul.schedulers.mpj.MpjHome;
import org.treehaul.schedulers.mpj.MpjTransports;
import org.treehaul.schedulers.mpj.RankPlace;
import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.RanksException;
import org.treehaul.strategies.ranks.communicator.Transport;
import picocli.CommandLine.Model.CommandSpec;

/** A command that several processes carry out together, each as one rank. */
final class RankProcess {

    private static final Duration LOOK = Duration.ofMillis(50);
    private static final Duration LONGEST_END = Duration.ofSeconds(3);
    private static final Duration LONGEST_REPORT = Duration.ofSeconds(1);
    private static final Duration LONGEST_WITHDRAWAL = Duration.ofSeconds(1);
    private static final String UNMET = "stopped before all ranks had joined";
    private static final int LONGEST_PLAN = 300;
    private static final int NO_RANK = -1;
    private static final List<String> OWN = List.of("--rank", "--meet", "--port", "--rank-timeout");

    private final CommandSpec command;
    private final CommonOptions common;
    private final AtomicBoolean reported = new AtomicBoolean();
    private @Nullable ByteString meeting;
    private int rank = NO_RANK;
    private int port;
    private volatile OptionalInt settled = OptionalInt.empty();
    private volatile boolean needsOthers = true;
    private volatile UnaryOperator<String> errorMessage = UnaryOperator.identity();
    private int patience = (int) RankPlace.ARRIVAL_LIMIT.toSeconds();

    /** Adds the options to a command. */
    RankProcess(CommandSpec command, CommonOptions common) {
        this.command = command;
        this.common = common;
        Options.add(command, Options.value(ByteString.class, value -> meeting = value, "--meet"), "FILE",
                "Run one of the --ranks N as a separate process, with --transport mpj. The ranks find each other by FILE: "
                        + "a new file for each run, in a directory that all their nodes share.");
        Options.add(command, Options.value(Integer.class, value -> rank = value, "--rank"), "R",
                "With --meet: the number of this rank, from 0. Default: SLURM_PROCID, which srun sets.");
        Options.add(command, Options.value(Integer.class, value -> port = value, "--port"), "P",
                "With --meet: the TCP port on which rank 0 accepts the others. Default: any free one.");
        Options.add(command, Options.value(Integer.class, value -> patience = value, "--rank-timeout"), "SECONDS",
                "With --meet: wait this long for all ranks to join. Default: " + patience + ".");
    }

    boolean isGiven() {
        return meeting != null;
    }

    /** Returns the number of this rank, valid after the check. */
    int rank() {
        return rank;
    }

    /**
     * Sets the function that turns the reason for a failure into the message shown to the user. Any thread may call the
     * function, once.
     */
    void onError(UnaryOperator<String> message) {
        errorMessage = message;
    }

    /**
     * Fixes the exit code, because everything is done and reported: ranks lost from now on do not change it, even while
     * others still receive it.
     */
    void settle(int code) {
        settled = OptionalInt.of(code);
    }

    /** Declares that this rank can end without the others, so that losing them from now on is not an error. */
    void needNoOthers() {
        needsOthers = false;
    }

    /** Checks conditions that the option types cannot express. */
    void check(int ranks, boolean isMpj) {
        if (meeting == null) {
            for (String option : OWN) {
                if (common.isGiven(option)) {
                    throw common.usage(option + " needs --meet");
                }
            }
            return;
        }
        if (ranks == 0 || !isMpj) {
            throw common.usage("--meet needs --ranks and --transport mpj");
        }
        if (rank == NO_RANK && !common.isGiven("--rank")) {
            rank = fromEnvironment(System.getenv());
        }
        common.checkBetween("--rank", 0, ranks - 1, rank);
        common.checkBetween("--port", 0, 65_535, port);
        common.checkBetween("--rank-timeout", 1, Long.MAX_VALUE, patience);
    }

    private int fromEnvironment(Map<String, String> environment) {
        String number = environment.getOrDefault("SLURM_PROCID", "");
        if (!number.matches("[0-9]{1,9}")) {
            throw common.usage("--meet needs --rank unless srun starts the process: SLURM_PROCID is not set");
        }
        return Integer.parseInt(number);
    }

    /** Returns the transport between ranks that are threads of this process. */
    Transport here() {
        try {
            Transport transport = MpjTransports.oneProcess(MpjHome.find());
            hushMpj();
            return transport;
        } catch (RanksException e) {
            throw common.usage(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Joins the other ranks, runs the body of this one, and returns its exit code after all ranks have finished.
     *
     * @param cancellation ends the process while it waits for the others; after that only the body handles it
     */
    int run(int ranks, Cancellation cancellation, ToIntFunction<Communicator> body) {
        hushMpj();
        AtomicBoolean met = new AtomicBoolean();
        RankPlace place = new RankPlace(rank, ranks, host(), path(), port, Version.text(), plan(),
                Duration.ofSeconds(patience), RankPlace.SILENCE_LIMIT);
        Thread.ofPlatform().daemon().name("treehaul-meeting").start(() -> haltUnmet(place, cancellation, met));
        try {
            MpjTransports.processes(home(place), place, reason -> haltSoon(reason, cancellation))
                    .run(Collections.nCopies(ranks, 0), communicator -> {
                        if (met.compareAndSet(false, true)) {
                            settle(body.applyAsInt(communicator));
                        }
                    });
            return settled.orElse(ExitCode.TROUBLE.code());
        } catch (RanksException e) {
            if (settled.isPresent()) {
                return settled.getAsInt();
            }
            report(String.valueOf(e.getMessage()));
            return ExitCode.TROUBLE.code();
        } finally {
            met.set(true);
        }
    }

    // Shown before the others are notified, which may take until rank 0 arrives.
    private MpjHome home(RankPlace place) {
        try {
            return MpjHome.find();
        } catch (RanksException e) {
            String missing = String.valueOf(e.getMessage());
            report(missing);
            MpjTransports.withdraw(place, missing);
            throw e;
        }
    }

    private void haltUnmet(RankPlace place, Cancellation cancellation, AtomicBoolean met) {
        try {
            while (!met.get()) {
                if (cancellation.isCancelled() && met.compareAndSet(false, true)) {
                    reportBriefly(UNMET);
                    if (rank == 0) {
                        // Ranks that arrive later would look for rank 0 until their timeout. The file may be on a
                        // server that hangs.
                        Thread.ofPlatform()
                                .daemon()
                                .name("treehaul-withdraws")
                                .start(() -> MpjTransports.withdraw(place, UNMET))
                                .join(LONGEST_WITHDRAWAL);
                    }
                    Runtime.getRuntime().halt(ExitCode.INTERRUPTED.code());
                }
                Thread.sleep(LOOK);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // This rank may hang in a call, on a node that has just lost its file system: it must end nevertheless.
    private void haltSoon(String reason, Cancellation cancellation) {
        Runnable halt = () -> {
            try {
                Thread.sleep(LONGEST_END);
                if (!needsOthers && settled.isEmpty()) {
                    while (settled.isEmpty()) {
                        Thread.sleep(LOOK);
                    }
                    Thread.sleep(LONGEST_END);
                }
                if (settled.isEmpty()) {
                    reportBriefly(reason);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                ExitCode failed = cancellation.isCancelled() ? ExitCode.INTERRUPTED : ExitCode.TROUBLE;
                Runtime.getRuntime().halt(settled.orElse(failed.code()));
            }
        };
        try {
            Thread.ofPlatform().daemon().name("treehaul-halt").start(halt);
        } catch (OutOfMemoryError e) {
            // The limit of threads may be why the group is broken.
            halt.run();
        }
    }

    // Standard error may be a pipe that is full.
    private void reportBriefly(String reason) throws InterruptedException {
        Thread.ofPlatform().daemon().name("treehaul-reports").start(() -> report(reason)).join(LONGEST_REPORT);
    }

    private void report(String reason) {
        if (reported.compareAndSet(false, true)) {
            common.screen().error(errorMessage.apply(reason));
        }
    }

    private Path path() {
        return Objects.requireNonNull(meeting).toPath();
    }

    // The name by which users know the node.
    private static String host() {
        String node = System.getenv("SLURMD_NODENAME");
        if (node != null && !node.isEmpty()) {
            return node;
        }
        return Host.nameOr("an unknown host");
    }

    // Returns all arguments except those that differ between ranks, and the directory to which paths are relative.
    private String plan() {
        List<String> words = new ArrayList<>();
        boolean isValue = false;
        for (String argument : command.commandLine().getParseResult().originalArgs()) {
            boolean isOwn = !isValue && OWN.contains(argument);
            if (!isValue && !isOwn && OWN.stream().noneMatch(option -> argument.startsWith(option + "="))) {
                words.add(argument);
            }
            isValue = isOwn;
        }
        String all = "'" + String.join(" ", words) + "' in " + Path.of("").toAbsolutePath();
        if (all.length() <= LONGEST_PLAN) {
            return all;
        }
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(all.getBytes(StandardCharsets.UTF_8));
            return all.substring(0, LONGEST_PLAN) + "... (" + HexFormat.of().formatHex(hash, 0, 8) + ")";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    // MPJ prints the stack traces of its attempts; it also throws those that matter.
    private void hushMpj() {
        if (common.verbosity() == 0) {
            System.setErr(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        }
    }
}
