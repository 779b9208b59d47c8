// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.testing.Campaign;
import org.treehaul.tuplespace.Shapes.Job;

/** A process that writes, takes and makes snapshots is killed at any moment: every acknowledged change survives. */
class KillTest {

    @TempDir
    Path directory;

    @SuppressWarnings("NullAway") // set by JUnit
    KillTest() {}

    private void kill(int times, long seed) throws Exception {
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        Set<Integer> written = new HashSet<>();
        Set<Integer> taken = new HashSet<>();
        int unknown = 0;
        int snapshots = 0;
        for (int i = 0; i < times; i++) {
            Process child = Child.start("busy", directory, 1_000_000L * i);
            List<String> lines = new ArrayList<>();
            try (BufferedReader said = child.inputReader()) {
                // Some kills come while the process opens the space.
                if (random.nextInt(8) > 0) {
                    lines.add(String.valueOf(said.readLine()));
                }
                Thread.sleep(random.nextInt(300));
                // Through its handle: Process.destroy would close its output.
                child.toHandle().destroyForcibly();
                child.waitFor();
                said.lines().forEach(lines::add);
            } finally {
                child.destroyForcibly().waitFor();
            }
            for (String line : lines) {
                if (line.startsWith("w ")) {
                    written.add(Integer.valueOf(line.substring(2)));
                } else if (line.startsWith("t ")) {
                    assertThat(taken.add(Integer.valueOf(line.substring(2)))).as("seed %s: %s", seed, line).isTrue();
                } else {
                    snapshots++;
                }
            }
            Set<Integer> there = new HashSet<>();
            try (TupleSpace space = TupleSpaces.open(directory.resolve("space"), SpaceOptions.defaults());
                    Stream<Job> jobs = space.contents(SpaceFixture.JOBS)) {
                jobs.forEach(job -> assertThat(there.add(job.number())).as("seed %s: %s", seed, job).isTrue());
            }
            assertThat(Collections.disjoint(there, taken)).as("seed %s: %s and %s", seed, there, taken).isTrue();
            Set<Integer> missing = new HashSet<>(written);
            missing.removeAll(there);
            missing.removeAll(taken);
            // Its last take may have been done without an acknowledgement.
            assertThat(missing.size()).as("seed %s: %s", seed, missing).isLessThanOrEqualTo(unknown + 1);
            unknown = missing.size();
            if (Files.exists(directory.resolve("snapshot"))) {
                try (TupleSpace other = TupleSpaces.memory()) {
                    assertThat(other.load(directory.resolve("snapshot"))).isNotNegative();
                }
            }
        }
        System.out.println(written.size() + " written, " + taken.size() + " taken, " + snapshots + " snapshots, "
                + unknown + " takes not told");
        assertThat(written).isNotEmpty();
    }

    @Test
    void tenKillsLoseNothingThatWasAcknowledgedAndTakeNothingTwice() throws Exception {
        kill(10, System.nanoTime());
    }

    @Test
    @Tag("campaign")
    void twoHundredKillsLoseNothingThatWasAcknowledgedAndTakeNothingTwice() throws Exception {
        kill(Campaign.cases(200), Campaign.seed(System.nanoTime()));
    }
}
