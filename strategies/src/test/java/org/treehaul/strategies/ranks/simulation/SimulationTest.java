// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

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
        Simulation.Parameters byEntry = new Simulation.Parameters(p.entries(), p.processes(), p.perHost(), true, 250, 0,
                0, p.costs(), p.settings());
        Prediction prediction = Simulation.run(Distribution.centralized(), SHAPE, byEntry);
        assertThat(prediction.shares().stream().mapToLong(Long::longValue).sum()).isEqualTo(5_000);
        // Asked for, given, for each entry; found, for each directory that has entries.
        assertThat(prediction.messages()).isBetween(10_000L, 16_000L);
    }

    @ParameterizedTest
    @MethodSource("distributions")
    void whateverIsGivenAtATimeIsDoneWhereItWasGiven(Distribution distribution) {
        Simulation.Parameters p = Simulation.Parameters.of(30_000, 6);
        for (boolean byEntry : new boolean[]{true, false}) {
            Prediction prediction = Simulation.run(distribution, SHAPE,
                    new Simulation.Parameters(p.entries(), 6, 2, byEntry, 0, 0, 0, p.costs(), p.settings()));
            assertThat(prediction.shares().stream().mapToLong(Long::longValue).sum()).isEqualTo(30_000);
            // Nothing goes to and fro: less than asked for, given and found for each entry.
            assertThat(prediction.messages()).isLessThan(90_000);
        }
    }

    @Test
    void moreProcessesTakeLessTimeUntilTheFileSystemIsBusy() {
        Simulation.Parameters one = slow(1);
        double alone = Simulation.run(Distribution.randomSplit(), SHAPE, one).seconds();
        double ten = Simulation.run(Distribution.randomSplit(), SHAPE, slow(10)).seconds();
        assertThat(ten).isLessThan(alone / 5);
        Simulation.Parameters limited = new Simulation.Parameters(one.entries(), 10, 2, false, 0, 500_000, 4_000,
                one.costs(), one.settings());
        double busy = Simulation.run(Distribution.randomSplit(), SHAPE, limited).seconds();
        assertThat(busy).isGreaterThan(100_000 / 4_000.0);
    }

    private static Simulation.Parameters slow(int processes) {
        Simulation.Parameters p = Simulation.Parameters.of(100_000, processes);
        return new Simulation.Parameters(p.entries(), processes, 2, false, 0, 500_000, 0, p.costs(), p.settings());
    }

    @Test
    void aShapeIsReadAsItWasWritten() throws IOException {
        assertThat(read(SHAPE.text())).isEqualTo(SHAPE);
    }

    @Test
    void whatIsNoShapeIsRefusedWithAReason() {
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
}
