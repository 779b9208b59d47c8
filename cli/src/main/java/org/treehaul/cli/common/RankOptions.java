// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.common;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.args.Options;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.Walker;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.strategies.ranks.Distribution;
import org.treehaul.strategies.ranks.RankReport;
import org.treehaul.strategies.ranks.RankWalk;
import org.treehaul.strategies.ranks.communicator.Broadcast;
import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.Gather;
import org.treehaul.strategies.ranks.communicator.RanksException;
import org.treehaul.strategies.ranks.communicator.Transport;
import picocli.CommandLine.Model.CommandSpec;

/** The options that define whether and how ranks share a walk. */
public final class RankOptions {

    /** The default distribution, see decision 0016. */
    static final String DEFAULT_DISTRIBUTION = "hybrid";

    /** A constant, because reading the names from the classes would load these at every start of a walk. */
    public static final String NAMES = "centralized, centralized-keep, pct, random-split, equal-split, proximity, hybrid";

    private final CommonOptions common;
    private final RankProcess process;
    private int ranks;
    private String distribution = "";
    private String transport = "";
    private @Nullable ByteString profile;
    private @Nullable ProfileFiles files;
    private final List<RankReport> reports = new CopyOnWriteArrayList<>();

    /** Adds the options to a command. */
    public RankOptions(CommandSpec command, CommonOptions common) {
        this.common = common;
        Options.add(command, Options.value(Integer.class, value -> ranks = value, "--ranks"), "N",
                "Share the work among N ranks that exchange messages, each with --threads threads (default: 1; with "
                        + "hybrid as many as the processors allow, at least 2).");
        Options.add(command, Options.value(String.class, value -> distribution = value, "--distribution"), "D",
                "Share work among ranks by the method D: " + NAMES + ". Default: " + DEFAULT_DISTRIBUTION + ".");
        Options.add(command, Options.value(String.class, value -> transport = value, "--transport"), "T",
                "Exchange messages between ranks by threads of one process, or by mpj (MPJ Express). Default: threads.");
        Options.add(command, Options.value(ByteString.class, value -> profile = value, "--profile"), "DIR",
                "With --ranks: write tables and charts of each rank's work and messages into DIR.");
        process = new RankProcess(command, common);
    }

    /** Returns the walker: ranks if they were requested. */
    public Walker walking(FileSystemCalls calls, WalkOptions options) {
        return ranks == 0 ? TreeWalker.of(calls, options) : inThisProcess(calls, options, RankWalk::of);
    }

    /** Returns the walker of the first of two trees that are processed together, like {@link #walking}. */
    public Walker onTwoTrees(FileSystemCalls calls, WalkOptions options) {
        return ranks == 0
                ? TreeWalker.of(calls, options)
                : inThisProcess(calls, options.withThreads(common.threads), RankWalk::onTwoTrees);
    }

    private Walker inThisProcess(FileSystemCalls calls, WalkOptions options, Maker maker) {
        try {
            begin();
        } catch (IOException e) {
            throw common.usage("--profile " + profile + ": " + PrivateFiles.describe(e));
        }
        return ranks(calls, options, ranks, maker).withTransport(transport());
    }

    /** Returns the walker of this process, as one rank of several processes. */
    public Walker walking(FileSystemCalls calls, WalkOptions options, Communicator communicator) {
        return ranks(calls, options, 1, RankWalk::of).withTransport((hosts, rank) -> rank.accept(communicator))
                .sharedNothing();
    }

    /** Returns the walker of the first of two trees, as one rank of several processes. */
    public Walker onTwoTrees(FileSystemCalls calls, WalkOptions options, Communicator communicator) {
        return ranks(calls, options.withThreads(common.threads), 1, RankWalk::onTwoTrees)
                .withTransport((hosts, rank) -> rank.accept(communicator))
                .sharedNothing();
    }

    private interface Maker {
        RankWalk make(FileSystemCalls calls, WalkOptions options, Distribution distribution, int ranks);
    }

    private RankWalk ranks(FileSystemCalls calls, WalkOptions options, int here, Maker maker) {
        try {
            return maker.make(calls, options.withTimes(profile != null), distribution(distribution, common), here)
                    .withReports(this::report);
        } catch (IllegalArgumentException e) {
            throw common.usage(String.valueOf(e.getMessage()));
        }
    }

    /** Returns whether ranks were requested. */
    public boolean areGiven() {
        return ranks > 0;
    }

    /** Returns whether the ranks exchange messages with MPJ Express. */
    public boolean isMpj() {
        return transport.equals("mpj");
    }

    /** Returns the number of ranks. */
    public int ranks() {
        return ranks;
    }

    /** Returns the distribution of the work among the ranks. */
    public Distribution distribution() {
        return distribution(distribution, common);
    }

    /** Returns the number of this process's rank. */
    public int rank() {
        return process.rank();
    }

    /** Sets the function that turns the reason for a failure into the message shown to the user. */
    public void onError(UnaryOperator<String> message) {
        process.onError(message);
    }

    /** Fixes the exit code, because everything is done and reported. */
    public void settle(int code) {
        process.settle(code);
    }

    /** Declares that this rank can end without the others, so that losing them from now on is not an error. */
    public void needNoOthers() {
        process.needNoOthers();
    }

    /** Returns whether this process is one of several ranks. */
    public boolean isProcess() {
        return process.isGiven();
    }

    /** Runs the body as this rank; returns the exit code. */
    public int run(Session session, ToIntFunction<Communicator> body) {
        distribution();
        Cancellation cancellation = session.cancellation();
        int ended = process.run(ranks, cancellation, communicator -> {
            beginFirst(communicator);
            int code = body.applyAsInt(communicator);
            if (profile != null) {
                Gather.inFirst(communicator, own().toBytes(), cancellation)
                        .stream()
                        .skip(1)
                        .map(RankReport::of)
                        .forEach(reports::add);
            }
            return communicator.rank() > 0 || write() ? code : ExitCode.TROUBLE.code();
        });
        // A rank that stops breaks the group, which is not an error if the user stopped it.
        return ended == ExitCode.TROUBLE.code() && cancellation.isCancelled() ? ExitCode.INTERRUPTED.code() : ended;
    }

    /**
     * Ends every rank with the exit code of all, because the caller may see the code of any rank. Rank 0 ends with that
     * code even if another rank is lost before it has received it.
     *
     * @param inFirst ends the session in rank 0 and returns that code
     */
    public int codeOfAll(Session session, Communicator communicator, Supplier<ExitCode> inFirst) {
        if (communicator.rank() == 0) {
            int code = inFirst.get().code();
            if (profile == null) {
                settle(code);
            }
            Broadcast.fromFirst(communicator, Integer.toString(code), session.cancellation());
            return code;
        }
        ExitCode own = session.end(Map.of(), true);
        int ofAll = Integer.parseInt(Broadcast.fromFirst(communicator, "", session.cancellation()).text());
        return own == ExitCode.DONE ? ofAll : own.code();
    }

    /**
     * Adds the report of a rank to the profile; any thread may call it. Walks by ranks of this object report
     * automatically.
     */
    void report(RankReport report) {
        reports.add(report);
    }

    private RankReport own() {
        if (reports.size() != 1) {
            throw new IllegalStateException("reports of this rank: " + reports.size());
        }
        return reports.getFirst();
    }

    // A failure now is better than one at the end.
    private void begin() throws IOException {
        if (profile != null) {
            files = ProfileFiles.into(profile);
        }
    }

    private void beginFirst(Communicator communicator) {
        try {
            if (communicator.rank() == 0) {
                begin();
            }
        } catch (IOException e) {
            throw new RanksException("--profile " + profile + ": " + PrivateFiles.describe(e), e);
        }
    }

    /** Writes the profile, if requested, after ranks of this process have ended; returns the exit code. */
    public ExitCode ended(ExitCode code) {
        boolean isFine = code == ExitCode.DONE || code == ExitCode.DIFFERENT;
        return write() || !isFine ? code : ExitCode.TROUBLE;
    }

    private boolean write() {
        if (files == null) {
            return true;
        }
        try {
            // Operands inside one another are processed by one walk after another.
            if (reports.isEmpty() || reports.size() % ranks != 0) {
                throw new IOException("only " + reports.size() % ranks + " of " + ranks + " ranks reported their work");
            }
            files.write(reports);
            return true;
        } catch (IOException e) {
            common.screen().error("--profile " + profile + ": " + PrivateFiles.describe(e));
            return false;
        }
    }

    public static Distribution distribution(String name, CommonOptions common) {
        return Distribution.named(name.isEmpty() ? DEFAULT_DISTRIBUTION : name)
                .orElseThrow(() -> common.usage(
                        "--distribution must be one of " + NAMES + ", not '" + ExactArguments.printable(name) + "'"));
    }

    private Transport transport() {
        return switch (transport) {
            case "", "threads" -> Transport.threads();
            case "mpj" -> process.here();
            default -> throw common
                    .usage("--transport must be threads or mpj, not '" + ExactArguments.printable(transport) + "'");
        };
    }

    public void check() {
        common.checkBetween("--ranks", common.isGiven("--ranks") ? 1 : 0, Long.MAX_VALUE, ranks);
        if (ranks == 0 && (!distribution.isEmpty() || !transport.isEmpty())) {
            throw common.usage((distribution.isEmpty() ? "--transport" : "--distribution") + " needs --ranks");
        }
        if (ranks == 0 && profile != null) {
            throw common.usage("--profile needs --ranks");
        }
        process.check(ranks, isMpj());
    }
}
