// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.treehaul.strategies.ranks.Distribution;

class SimulationTest {

    private static final TreeShape SHAPE = TreeShape.generated();

    static List<Distribution> distributions() {
        return Distribution.all();
    }

    @ParameterizedTest
    @MethodSource("distributions")
    void everyEntryOfTheTreeIsDoneOnceByWhateverDistribution(Distribution distribution) {
        for (int processes : new int[]{1, 2, 7, 64}) {
            Prediction prediction = Simulation.run(distribution, SHAPE, Simulation.Parameters.of(20_000, processes));
            assertThat(prediction.shares().stream().mapToLong(Long::longValue).sum()).isEqualTo(20_000);
            assertThat(prediction.busy()).isBetween(0.0, 1.0);
        }
    }

    @ParameterizedTest
    @MethodSource("distributions")
    void theSameSeedGivesTheSameRun(Distribution distribution) {
        Simulation.Parameters parameters = Simulation.Parameters.of(30_000, 12);
        assertThat(Simulation.run(distribution, SHAPE, parameters))
                .isEqualTo(Simulation.run(distribution, SHAPE, parameters));
    }

    @Test
    void entriesThatWaitOneByOneAreTheSameEntries() {
        Simulation.Parameters p = Simulation.Parameters.of(5_000, 8);
        Simulation.Parameters byEntry = new Simulation.Parameters(p.entries(), p.processes(), p.perHost(), true,
                Lister.EACH, 250, 0, 0, p.costs(), p.settings());
        Prediction prediction = Simulation.run(Distribution.centralized(), SHAPE, byEntry);
        assertThat(prediction.shares().stream().mapToLong(Long::longValue).sum()).isEqualTo(5_000);
        // A request and a grant for each entry; a result for each directory that has entries.
        assertThat(prediction.messages()).isBetween(10_000L, 16_000L);
    }

    private static Simulation.Parameters listedBy(Lister lister, int processes) {
        Simulation.Parameters p = Simulation.Parameters.of(20_000, processes);
        return new Simulation.Parameters(p.entries(), processes, 2, true, lister, 250, 500_000, 0, p.costs(),
                p.settings());
    }

    private static Prediction listed(Lister lister, int processes) {
        Prediction prediction = Simulation.run(Distribution.centralized(), SHAPE, listedBy(lister, processes));
        assertThat(prediction.shares().stream().mapToLong(Long::longValue).sum()).isEqualTo(20_000);
        return prediction;
    }

    // The number of bytes that one rank sent to another.
    private static long bytes(Prediction p, int from, int to) {
        return p.pairs().get(2 * (from * p.ranks() + to) + 1);
    }

    @Test
    void theWorkerThatAloneListsDirectoriesSendsAllEntriesToTheMaster() {
        Prediction prediction = listed(Lister.WORKER, 8);
        // As in Figure 1 of the paper: one square, from rank 1 to rank 0. Rank 1 finds all entries but the root.
        assertThat(bytes(prediction, 1, 0)).isGreaterThanOrEqualTo(250 * 19_999L);
        assertThat(IntStream.range(2, 8).mapToLong(rank -> bytes(prediction, rank, 0)).max().orElseThrow())
                .isLessThan(100_000);
        assertThat(prediction.shares().getFirst()).isZero();
        // A directory has some 21 files; the others do only files.
        assertThat(prediction.shares().get(1)).isBetween(500L, 3_000L);
    }

    @Test
    void theMasterThatAloneListsDirectoriesIsSentNoEntries() {
        Prediction prediction = listed(Lister.MASTER, 8);
        assertThat(prediction.shares().getFirst()).isBetween(500L, 3_000L);
        assertThat(IntStream.range(1, 8).mapToLong(rank -> bytes(prediction, rank, 0)).sum()).isLessThan(400_000);
        // A request and a grant for each entry that the master did not do itself; then last requests in vain, and the
        // end.
        long given = 20_000 - prediction.shares().getFirst();
        assertThat(prediction.messages()).isBetween(2 * given, 2 * given + 40);
    }

    @Test
    void moreProcessesDoNotHelpTheOneThatListsDirectories() {
        double each = listed(Lister.EACH, 32).seconds();
        assertThat(listed(Lister.EACH, 8).seconds()).isGreaterThan(3 * each);
        for (Lister lister : List.of(Lister.MASTER, Lister.WORKER)) {
            assertThat(listed(lister, 32).seconds()).isGreaterThan(2 * each);
            assertThat(listed(lister, lister.leastProcesses()).seconds()).isPositive();
        }
    }

    @Test
    void oneListerIsRefusedWhereItMeansNothing() {
        Simulation.Parameters byEntry = listedBy(Lister.WORKER, 3);
        assertThatThrownBy(() -> Simulation.run(Distribution.randomSplit(), SHAPE, byEntry))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("random-split");
        assertThatThrownBy(() -> byEntry.withProcesses(2)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("3 processes or more, not 2");
        assertThatThrownBy(() -> new Simulation.Parameters(10, 4, 2, false, Lister.MASTER, 0, 0, 0, byEntry.costs(),
                byEntry.settings())).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("only if each entry is a unit");
    }

    @ParameterizedTest
    @MethodSource("distributions")
    void unitsAreProcessedWhereTheyWereGiven(Distribution distribution) {
        Simulation.Parameters p = Simulation.Parameters.of(30_000, 6);
        for (boolean byEntry : new boolean[]{true, false}) {
            Prediction prediction = Simulation.run(distribution, SHAPE, new Simulation.Parameters(p.entries(), 6, 2,
                    byEntry, Lister.EACH, 0, 0, 0, p.costs(), p.settings()));
            assertThat(prediction.shares().stream().mapToLong(Long::longValue).sum()).isEqualTo(30_000);
            // Units do not move to and fro: fewer messages than a request, a grant and a result for each entry.
            assertThat(prediction.messages()).isLessThan(90_000);
        }
    }

    @Test
    void moreProcessesTakeLessTimeUntilTheFileSystemIsBusy() {
        Simulation.Parameters one = slow(1);
        double alone = Simulation.run(Distribution.randomSplit(), SHAPE, one).seconds();
        double ten = Simulation.run(Distribution.randomSplit(), SHAPE, slow(10)).seconds();
        assertThat(ten).isLessThan(alone / 5);
        Simulation.Parameters limited = new Simulation.Parameters(one.entries(), 10, 2, false, Lister.EACH, 0, 500_000,
                4_000, one.costs(), one.settings());
        double busy = Simulation.run(Distribution.randomSplit(), SHAPE, limited).seconds();
        assertThat(busy).isGreaterThan(100_000 / 4_000.0);
    }

    private static Simulation.Parameters slow(int processes) {
        Simulation.Parameters p = Simulation.Parameters.of(100_000, processes);
        return new Simulation.Parameters(p.entries(), processes, 2, false, Lister.EACH, 0, 500_000, 0, p.costs(),
                p.settings());
    }

    @Test
    void aShapeIsReadAsItWasWritten() throws IOException {
        assertThat(read(SHAPE.text())).isEqualTo(SHAPE);
    }

    @Test
    void badShapesAreRefusedWithAReason() {
        assertThatThrownBy(() -> read("hello\n")).isInstanceOf(IOException.class).hasMessageContaining("first line");
        assertThatThrownBy(() -> read("treehaul-shape 1\nfiles 1 2\n")).isInstanceOf(IOException.class)
                .hasMessageContaining("no line 'subdirectories'");
        assertThatThrownBy(() -> read(SHAPE.text().replace("files 2", "files x2"))).isInstanceOf(IOException.class)
                .hasMessageContaining("not a number");
        assertThatThrownBy(() -> read(SHAPE.text().replaceAll("status .*", "status 5 4")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("not ascending");
    }

    private static TreeShape read(String text) throws IOException {
        return TreeShape.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII)));
    }

    @Test
    void aSimulationThatIsCancelledEnds() {
        Simulation.Parameters endless = Simulation.Parameters.of(Long.MAX_VALUE, 2);
        AtomicInteger looks = new AtomicInteger();
        assertThatThrownBy(
                () -> Simulation.run(Distribution.randomSplit(), SHAPE, endless, () -> looks.incrementAndGet() > 1))
                .isInstanceOf(CancellationException.class);
    }
}
