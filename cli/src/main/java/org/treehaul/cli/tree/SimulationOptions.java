// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.tree;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.ByteFiles;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ProfileFiles;
import org.treehaul.cli.common.RankOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.strategies.ranks.Distribution;
import org.treehaul.strategies.ranks.Group;
import org.treehaul.strategies.ranks.simulation.Costs;
import org.treehaul.strategies.ranks.simulation.Lister;
import org.treehaul.strategies.ranks.simulation.Prediction;
import org.treehaul.strategies.ranks.simulation.RecordedTree;
import org.treehaul.strategies.ranks.simulation.Simulation;
import org.treehaul.strategies.ranks.simulation.TreeShape;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The options of {@code treehaul simulate}, which describe the tree, the ranks and the time that calls and messages
 * take.
 */
final class SimulationOptions {

    /** The unit in the queue of a rank. */
    enum Unit {
        directory,
        entry
    }

    /** The ranks that list directories. */
    enum ListedBy {
        each(Lister.EACH),
        master(Lister.MASTER),
        worker(Lister.WORKER);

        private final Lister lister;

        ListedBy(Lister lister) {
            this.lister = lister;
        }
    }

    // The most bytes that MPI sends at once, for the paper's programs, which do not divide their answers.
    private static final int ANY_LENGTH = 1 << 30;
    private static final int MOST_PROCESSES = 1 << 17;
    private static final String LISTED_ALONE = Distribution.centralized().name();

    private final CommandSpec command;
    private final CommonOptions common;
    private @Nullable String entries;
    private String ranks = "32";
    private String distributions = "all";
    private @Nullable ByteString shapeFile;
    private Unit unit = Unit.directory;
    private ListedBy listedBy = ListedBy.each;
    private int perHost = 2;
    private double statusMicros;
    private double serverRate;
    private double messageMicros = 5;
    private int bytes;
    private double pauseMicros = 20;
    private long seed = 1;
    private @Nullable ByteString profile;

    /** Adds the options to a command. */
    SimulationOptions(CommandSpec command, CommonOptions common) {
        this.command = command;
        this.common = common;
        option("--entries", "N",
                "Number of entries of the tree, for example 6500000, 110M, 2G. Default: that of the recorded tree, else 1M.",
                value -> entries = value);
        option("--ranks", "LIST",
                "Number of processes, for example 30, 20,40 or 20..16384, which doubles up to the last. With hybrid, those on "
                        + "the same host share a rank. Default: 32.",
                value -> ranks = value);
        option("--distribution", "LIST", "all, or some of " + RankOptions.NAMES + ". Default: all.",
                value -> distributions = value);
        Options.add(command, Options.value(ByteString.class, value -> shapeFile = value, "--shape"), "FILE",
                "Use the shape in FILE, which walk --record-shape wrote. Default: a built-in one.");
        Options.add(command, Options.value(Unit.class, value -> unit = value, "--unit"), "UNIT",
                "Unit of work: directory, as in walk --ranks, or entry, as in the paper of LaFon et al. Default: "
                        + "directory.");
        Options.add(command, Options.value(ListedBy.class, value -> listedBy = value, "--lister"), "RANK",
                "Ranks that list directories: each, master (only rank 0) or worker (only rank 1, as in the program that "
                        + "LaFon et al. measured). The last two need --unit entry and --distribution centralized. "
                        + "Default: each.");
        Options.add(command, Options.value(Integer.class, value -> perHost = value, "--per-host"), "N",
                "Processes on each host. Default: 2.");
        number("--status-time", "MICROSECONDS",
                "Mean time of a stat call; listing a directory takes three times as long. Default: both as in the shape.",
                value -> statusMicros = value);
        number("--server-rate", "N", "Number of calls per second that the file system answers. Default: unlimited.",
                value -> serverRate = value);
        number("--message-time", "MICROSECONDS",
                "Time that a message takes at the sender and at the receiver, each. Default: 5.",
                value -> messageMicros = value);
        number("--pause", "MICROSECONDS",
                "First pause after a refused request; each next one is twice as long, up to 250 times the first. Default: 20.",
                value -> pauseMicros = value);
        Options.add(command, Options.value(Integer.class, value -> bytes = value, "--entry-bytes"), "N",
                "Size of an entry or a directory in a message, in bytes. Default: 250 for an entry, and for a directory the length of its path "
                        + "and name.");
        Options.add(command, Options.value(Long.class, value -> seed = value, "--seed"), "N",
                "Seed of the random numbers. Default: 1.");
        Options.add(command, Options.value(ByteString.class, value -> profile = value, "--profile"), "DIR",
                "Write tables and charts of each rank's work and messages into DIR, for each run. For " + "up to "
                        + Prediction.MOST_PAIRED + " ranks.");
    }

    private void option(String name, String label, String text, Consumer<String> setter) {
        Options.add(command, Options.value(String.class, setter, name), label, text);
    }

    private void number(String name, String label, String text, Consumer<Double> setter) {
        Options.add(command, Options.value(Double.class, setter, name), label, text);
    }

    /** Returns the shape of the tree: a recorded one, or the built-in one. */
    TreeShape shape() {
        if (shapeFile == null) {
            return TreeShape.generated();
        }
        try (InputStream in = new BufferedInputStream(ByteFiles.open(shapeFile))) {
            return TreeShape.read(in);
        } catch (IOException e) {
            throw common.usage("--shape " + shapeFile + ": " + e.getMessage());
        }
    }

    /** Returns the chosen distributions, in the order given. */
    List<Distribution> distributions() {
        if (distributions.equals("all")) {
            return Distribution.all();
        }
        return Arrays.stream(distributions.split(",", -1)).map(name -> RankOptions.distribution(name, common)).toList();
    }

    /** Returns the numbers of processes to simulate. */
    List<Integer> sizes() {
        List<Integer> sizes = new ArrayList<>();
        try {
            for (String part : ranks.split(",", -1)) {
                int dots = part.indexOf("..");
                if (dots < 0) {
                    sizes.add(size(part));
                    continue;
                }
                int last = size(part.substring(dots + 2));
                int at = size(part.substring(0, dots));
                if (at > last) {
                    throw new NumberFormatException(part);
                }
                while (at < last) {
                    sizes.add(at);
                    at = Math.multiplyExact(at, 2);
                }
                sizes.add(last);
            }
        } catch (NumberFormatException | ArithmeticException e) {
            throw common.usage("--ranks must be numbers from 1 to " + MOST_PROCESSES
                    + ", for example 20,40 or 20..16384, not " + ranks);
        }
        return sizes;
    }

    private static int size(String text) {
        int size = Integer.parseInt(text);
        if (size < 1 || size > MOST_PROCESSES) {
            throw new NumberFormatException(text);
        }
        return size;
    }

    /**
     * Returns the parameters of the first simulation.
     *
     * @throws CommandLine.ParameterException for options that cannot be combined, or a number out of its range
     */
    Simulation.Parameters parameters(List<Distribution> chosen, List<Integer> sizes, TreeShape shape) {
        checkLister(chosen, sizes);
        return parameters(sizes.getFirst(), shape);
    }

    /** Returns the files for the profiles of the runs, if the user wants any. */
    Optional<ProfileFiles> profileFiles(List<Integer> sizes) {
        return profile == null ? Optional.empty() : Optional.of(profileFiles(profile, sizes));
    }

    /** Returns the error that the profile cannot be written. */
    CommandLine.ParameterException profileFailed(IOException e) {
        return common.usage("--profile " + profile + ": " + e.getMessage());
    }

    private void checkLister(List<Distribution> chosen, List<Integer> sizes) {
        if (listedBy == ListedBy.each) {
            return;
        }
        String option = "--lister " + listedBy;
        if (unit != Unit.entry) {
            throw common.usage(option + " needs --unit entry");
        }
        if (!chosen.stream().allMatch(distribution -> distribution.name().equals(LISTED_ALONE))) {
            throw common.usage(option + " needs --distribution " + LISTED_ALONE + " alone");
        }
        int least = listedBy.lister.leastProcesses();
        if (sizes.stream().anyMatch(size -> size < least)) {
            throw common.usage(option + " needs --ranks from " + least);
        }
    }

    private ProfileFiles profileFiles(ByteString directory, List<Integer> sizes) {
        if (sizes.stream().anyMatch(size -> size > Prediction.MOST_PAIRED)) {
            throw common.usage("--profile allows --ranks up to " + Prediction.MOST_PAIRED);
        }
        try {
            return ProfileFiles.into(directory);
        } catch (IOException e) {
            throw common.usage("--profile " + directory + ": " + e.getMessage());
        }
    }

    private Simulation.Parameters parameters(int size, TreeShape shape) {
        boolean byEntry = unit == Unit.entry;
        common.checkBetween("--per-host", 1, Long.MAX_VALUE, perHost);
        common.checkBetween("--entry-bytes", 0, Long.MAX_VALUE, bytes);
        common.checkNotNegative("--message-time", messageMicros);
        common.checkNotNegative("--pause", pauseMicros);
        common.checkNotNegative("--status-time", statusMicros);
        common.checkNotNegative("--server-rate", serverRate);
        Group.Settings settings = Group.Settings.defaults()
                .withSeed(seed)
                .withPauses(Math.round(pauseMicros * 1000), Math.round(pauseMicros * 250_000))
                .withLongestMessage(byEntry ? ANY_LENGTH : Group.Settings.defaults().longestMessage());
        Costs usual = Costs.defaults();
        try {
            return new Simulation.Parameters(entries(shape), size, perHost, byEntry, listedBy.lister, bytes,
                    statusMicros * 1000, serverRate,
                    new Costs(usual.localLatency(), usual.localPerByte(), usual.remoteLatency(), usual.remotePerByte(),
                            Math.round(messageMicros * 1000), usual.overheadPerByte()),
                    settings);
        } catch (IllegalArgumentException e) {
            throw common.usage(String.valueOf(e.getMessage()));
        }
    }

    private long entries(TreeShape shape) {
        return entries == null ? shape.tree().map(RecordedTree::entries).orElse(1_000_000L) : amount(entries);
    }

    private long amount(String text) {
        String digits = text.replaceFirst("[KMG]$", "");
        long factor = switch (text.isEmpty() ? ' ' : text.charAt(text.length() - 1)) {
            case 'K' -> 1_000;
            case 'M' -> 1_000_000;
            case 'G' -> 1_000_000_000;
            default -> 1;
        };
        try {
            return Math.round(Double.parseDouble(digits) * factor);
        } catch (NumberFormatException e) {
            throw common.usage("--entries must be a number, for example 110M, not " + text);
        }
    }
}
