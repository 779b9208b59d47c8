// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.core.walk.summary.TreeSummary;
import org.treehaul.strategies.ranks.Distribution;
import org.treehaul.strategies.ranks.Group;
import org.treehaul.strategies.ranks.RankWalk;
import org.treehaul.strategies.ranks.WorkPool;
import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.ForwardingCommunicator;
import org.treehaul.strategies.ranks.communicator.Transport;

/**
 * The simulation of a recorded tree moves the same amount as ranks that walk the tree: messages with work and their
 * bytes. Messages that only request or refuse, and the token, are not compared: their number depends on the machine.
 */
class SimulatedLikeRealTest {

    private static final WalkOptions OPTIONS = WalkOptions.defaults().withThreads(1);
    private static final int RANKS = 4;
    private static final Set<String> MASTERS = Set.of("centralized", "centralized-keep", "pct");

    private static TestDirectory directory;

    /** The traffic of a run: messages with work, and their bytes. */
    private record Moved(long messages, long bytes) {}

    static List<Distribution> distributions() {
        return Distribution.all();
    }

    static List<Distribution> withMaster() {
        return Distribution.all().stream().filter(distribution -> MASTERS.contains(distribution.name())).toList();
    }

    private static Moved walked(Root root, Distribution distribution, long seed) {
        AtomicLong messages = new AtomicLong();
        AtomicLong bytes = new AtomicLong();
        Transport counted = (hosts, rank) -> Transport.threads()
                .run(hosts, communicator -> rank.accept(new Counting(communicator, messages, bytes)));
        RankWalk walker = RankWalk
                .of(Linux.calls(), OPTIONS.withThreads(distribution.isHybrid() ? 2 : 1), distribution,
                        distribution.isHybrid() ? RANKS / 2 : RANKS)
                .withSettings(Group.Settings.defaults().withSeed(seed))
                .withTransport(counted);
        TreeSummary.of(walker, List.of(root), event -> {
        }, new Progress(), new Cancellation());
        return new Moved(messages.get(), bytes.get());
    }

    private static final class Counting extends ForwardingCommunicator {

        private final AtomicLong messages;
        private final AtomicLong bytes;

        Counting(Communicator communicator, AtomicLong messages, AtomicLong bytes) {
            super(communicator);
            this.messages = messages;
            this.bytes = bytes;
        }

        @Override
        public void send(int to, byte[] message) {
            if (message.length > WorkPool.MESSAGE_HEADER) {
                messages.incrementAndGet();
                bytes.addAndGet(message.length);
            }
            super.send(to, message);
        }
    }

    private static Moved simulated(TreeShape shape, Distribution distribution, long seed) {
        Simulation.Parameters usual = Simulation.Parameters.of(shape.tree().orElseThrow().entries(), RANKS);
        // In one process all ranks are on one host.
        int perHost = distribution.isHybrid() ? 2 : RANKS;
        Prediction prediction = Simulation.run(distribution, shape, new Simulation.Parameters(usual.entries(), RANKS,
                perHost, false, Lister.EACH, 0, 0, 0, usual.costs(), usual.settings().withSeed(seed)));
        return new Moved(prediction.workMessages(), prediction.workBytes());
    }

    private static long median(List<Long> numbers) {
        return numbers.stream().sorted().toList().get(numbers.size() / 2);
    }

    // The load of the machine shifts the numbers of real runs, so that more of them are made if the first do not agree.
    private static void compare(Root root, Distribution distribution, int runs, int most, double inMessages,
            double inBytes) {
        TreeShape shape = ShapeRecorder.record(Linux.calls(), OPTIONS, List.of(root), new Cancellation(), failure -> {
        }).orElseThrow();
        List<Moved> real = new ArrayList<>();
        List<Moved> simulation = new ArrayList<>();
        boolean isNear = false;
        for (int seed = 1; seed <= most && !isNear; seed++) {
            real.add(walked(root, distribution, seed));
            simulation.add(simulated(shape, distribution, seed));
            isNear = seed >= runs && isNear(real, simulation, Moved::messages, inMessages)
                    && isNear(real, simulation, Moved::bytes, inBytes);
        }
        String what = String.format(Locale.ROOT, "%-16s real %s simulated %s", distribution.name(), real, simulation);
        if (Boolean.getBoolean("treehaul.print")) {
            System.err.println(what);
        }
        assertThat(isNear).as(what).isTrue();
    }

    // Accepts values within a factor of the median, or within the range of the real runs.
    private static boolean isNear(List<Moved> real, List<Moved> simulation, ToLongFunction<Moved> amount,
            double factor) {
        List<Long> found = real.stream().map(amount::applyAsLong).sorted().toList();
        long middle = median(found);
        double least = Math.min(middle / factor, found.getFirst());
        double most = Math.max(middle * factor, found.getLast());
        long predicted = median(simulation.stream().map(amount::applyAsLong).toList());
        return least <= predicted && predicted <= most;
    }

    // Without a master, chance decides which rank asks which other and when, and in a walk of milliseconds on a busy
    // machine little else matters: only large trees are conclusive there. With a master a busy machine shifts the
    // numbers less.
    @ParameterizedTest
    @MethodSource("withMaster")
    void aSimulationOfARecordedTreeHasTheMessagesOfRanks(Distribution distribution) {
        compare(Root.of(ByteString.of(directory.path().toString())), distribution, 3, 30, 3, 4);
    }

    @BeforeAll
    static void makeTree() {
        directory = TestDirectory.make();
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), directory.path())) {
            make(writer);
        }
    }

    @AfterAll
    static void removeTree() {
        directory.close();
    }

    private static void make(TreeWriter writer) {
        Random random = new Random(3);
        List<String> directories = new ArrayList<>(List.of(""));
        for (int i = 0; i < 300; i++) {
            String parent = directories.get(random.nextInt(directories.size()));
            String path = parent + "directory-" + i + "/";
            directories.add(path);
            writer.directory(ByteString.of(path.substring(0, path.length() - 1)));
            for (int j = random.nextInt(6); j > 0; j--) {
                writer.directory(ByteString.of(path + "leaf-" + j));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("distributions")
    @Tag("campaign")
    void aSimulationOfALargeTreeHasTheMessagesOfRanks(Distribution distribution) throws IOException {
        Path tree = Path.of(System.getProperty("treehaul.tree", "/usr/share"));
        compare(Root.of(ByteString.of(tree.toRealPath().toString())), distribution, 9, 9, 1.5, 2);
    }
}
