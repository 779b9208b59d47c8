// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.treehaul.core.testing.Campaign;
import org.treehaul.strategies.ranks.Distribution;
import org.treehaul.strategies.ranks.Group;

/**
 * Runs every distribution under random schedules: units of any length, messages that overtake each other and some that
 * take a thousand times longer. No rank may detect the end before all work is done, all ranks must detect it
 * eventually, and every unit is done once. The simulator itself verifies that no message comes to a rank that has left.
 */
class SchedulesTest {

    private static final List<Distribution> ALL = Distribution.all();

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void theEndIsSeenNeverEarlyAndAlwaysAtLast() {
        // Among these, with seed 1,010,271 a token that no rank makes black would detect the end too early.
        schedules(1_009_700, 1000);
    }

    @Test
    @Tag("campaign")
    @Timeout(value = 120, unit = TimeUnit.MINUTES)
    void theEndIsSeenNeverEarlyAndAlwaysAtLastInManySchedules() {
        schedules(Campaign.seed(1_000_000), Campaign.cases(100_000));
    }

    private static void schedules(long firstSeed, int count) {
        long units = 0;
        for (long seed = firstSeed; seed < firstSeed + count; seed++) {
            try {
                units += schedule(seed);
            } catch (RuntimeException | AssertionError e) {
                fail("seed " + seed, e);
            }
        }
        assertThat(units).isGreaterThan(count);
    }

    private static long schedule(long seed) {
        Chance chance = new Chance(seed);
        Distribution distribution = ALL.get((int) (seed % ALL.size()));
        int ranks = 1 + (int) (chance.fraction() * chance.fraction() * 20);
        int perHost = 1 + (int) (chance.fraction() * 4);
        int threads = chance.fraction() < 0.5 ? 1 : 3;
        long pause = chance.fraction() < 0.3 ? 1000 : 100_000;
        Group.Settings settings = Group.Settings.defaults()
                .withSeed(seed)
                .withPauses(pause / 10, pause)
                .withLongestMessage(1000 + (int) (chance.fraction() * 5000));
        SmallPool.World world = new SmallPool.World(seed, 1 + (int) (chance.fraction() * 600));
        double slowest = chance.fraction() < 0.5 ? 0 : 0.1;
        RankSimulator simulator = new RankSimulator(distribution, ranks, perHost, threads, settings, Costs.defaults(),
                rank -> new SmallPool(world, threads, rank == 0),
                way -> (long) (way * (chance.fraction() < slowest ? 1000 : 1) * (0.1 + 4 * chance.fraction())));
        world.isOver(() -> IntStream.range(0, ranks).anyMatch(simulator::isOver));
        simulator.run(() -> false);
        assertThat(world.fault()).isNull();
        return world.made();
    }
}
