// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.testing.Campaign;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.partition.Partitions;
import org.treehaul.tuplespace.store.SpaceUri;

/**
 * Two processes write and take while the partitions of their space split, and are killed at any moment: every
 * acknowledged change survives, no tuple is there twice, and a write of several tuples is whole or absent.
 */
class PartitionKillTest {
    private static final int STORES = 8;
    /** Fewer over one server: each process has some connections for each of them. */
    private static final int SCHEMAS = 4;
    /** Kills of both processes in a space. */
    private static final int KILLS = 3;
    /** As many until the first split has ended, even if the machine is slow. */
    private static final int MOST_KILLS = 20;
    /** Longer than the lease of a split that was killed, which no other process may take over before. */
    private static final Duration LEASE = Duration.ofSeconds(31);
    /** Tuples of a write over several partitions. */
    private static final int GROUP = 5;
    /** The writes of groups begin at this number. */
    private static final int GROUPS = 500_000;
    private static final int CHILD = 1_000_000;

    @TempDir
    Path directory;

    @SuppressWarnings("NullAway") // set by JUnit
    PartitionKillTest() {}

    /** One space, and what was acknowledged. */
    private final class Round {
        private final Path file;
        private final SpaceUri uri;
        private final Set<Integer> written = new HashSet<>();
        private final Set<Integer> taken = new HashSet<>();
        private int kills;

        Round(int number, List<String> stores) throws Exception {
            file = Files.createDirectory(directory.resolve("round" + number)).resolve("list");
            uri = new SpaceUri(SpaceUri.PARTITIONS, file.toString());
            List<String> lines = new ArrayList<>(List.of("first=1", "limit=60"));
            lines.addAll(stores);
            Files.write(file, lines);
        }

        /** Kills both processes some time within as many milliseconds after they have begun to work. */
        private void kill(Random random, int longest, String as) throws Exception {
            List<Process> children = List.of(Child.start("spread", uri, (long) CHILD * kills),
                    Child.start("spread", uri, (long) CHILD * (kills + 1)));
            List<String> lines = new ArrayList<>();
            try {
                for (Process child : children) {
                    // Not before it works, except for some.
                    if (random.nextInt(8) > 0) {
                        String line = child.inputReader().readLine();
                        if (line != null) {
                            lines.add(line);
                        }
                    }
                    Thread.sleep(random.nextInt(longest));
                    child.toHandle().destroyForcibly();
                    child.waitFor();
                    try (BufferedReader said = child.inputReader()) {
                        said.lines().forEach(lines::add);
                    }
                    kills++;
                }
            } finally {
                for (Process child : children) {
                    child.destroyForcibly().waitFor();
                }
            }
            for (String line : lines) {
                int number = Integer.parseInt(line.substring(2));
                switch (line.charAt(0)) {
                    case 'w' -> written.add(number);
                    case 'g' -> addGroup(number);
                    case 't' -> assertThat(taken.add(number)).as("%s: %s", as, line).isTrue();
                    default -> throw new AssertionError(line);
                }
            }
            check(as);
        }

        private void addGroup(int number) {
            int first = number - number % GROUP;
            IntStream.range(first, first + GROUP).forEach(written::add);
        }

        private void check(String as) {
            Set<Integer> there = new HashSet<>();
            try (TupleSpace space = TupleSpaces.open(uri, SpaceOptions.defaults());
                    Stream<Job> jobs = space.contents(SpaceFixture.JOBS)) {
                jobs.forEach(job -> assertThat(there.add(job.number())).as("%s: %s twice", as, job).isTrue());
            }
            assertThat(Collections.disjoint(there, taken)).as("%s: %s and %s", as, there, taken).isTrue();
            // A group without acknowledgement is there as a whole or not at all.
            Stream.concat(there.stream(), taken.stream())
                    .filter(number -> number % CHILD >= GROUPS)
                    .toList()
                    .forEach(this::addGroup);
            Set<Integer> missing = new HashSet<>(written);
            missing.removeAll(there);
            missing.removeAll(taken);
            // The last take of each process may have been done without an acknowledgement.
            assertThat(missing.size()).as("%s: %s", as, missing).isLessThanOrEqualTo(kills);
            assertThat(TupleSpaces.check(uri).problems()).as(as).isEmpty();
        }

        private int active() {
            return (int) Partitions.status(uri).stream().filter(Partitions.Status::isActive).count();
        }
    }

    private void killInRounds(int rounds, int longest, Supplier<List<String>> stores) throws Exception {
        long seed = Campaign.seed(System.nanoTime());
        Random random = new Random(seed);
        int written = 0;
        int taken = 0;
        int active = 0;
        for (int number = 0; number < rounds; number++) {
            Round round = new Round(number, stores.get());
            for (int i = 0; i < KILLS || round.active() == 1 && i < MOST_KILLS; i++) {
                if (i >= KILLS) {
                    Thread.sleep(LEASE);
                }
                // A slow machine may not split in that time.
                int time = longest * Math.max(1, i - KILLS + 2);
                round.kill(random, time, "seed " + seed + ", round " + number + ", kill " + i);
            }
            written += round.written.size();
            taken += round.taken.size();
            active += round.active();
        }
        System.out
                .println(written + " written, " + taken + " taken, " + active + " partitions in " + rounds + " spaces");
        assertThat(active).isGreaterThan(rounds);
    }

    private static List<String> directories() {
        return IntStream.range(0, STORES).mapToObj(i -> "p" + i).toList();
    }

    private static List<String> schemas() {
        return IntStream.range(0, SCHEMAS).mapToObj(i -> PostgresServer.shared().fresh().toString()).toList();
    }

    @Test
    @Tag("campaign")
    void killsDuringSplitsLoseNothingThatWasAcknowledgedAndDoubleNothing() throws Exception {
        killInRounds(Campaign.cases(20), 400, PartitionKillTest::directories);
    }

    @Test
    @Tag("rig")
    void aFewKillsDuringSplitsOverAServerLoseNothingThatWasAcknowledgedAndDoubleNothing() throws Exception {
        killInRounds(1, 800, PartitionKillTest::schemas);
    }

    @Test
    @Tag("campaign")
    void killsDuringSplitsOverAServerLoseNothingThatWasAcknowledgedAndDoubleNothing() throws Exception {
        killInRounds(Campaign.cases(20), 800, PartitionKillTest::schemas);
    }
}
