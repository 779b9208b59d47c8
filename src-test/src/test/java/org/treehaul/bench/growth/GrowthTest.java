// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench.growth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.testing.TestDirectory;

/** Tests that growth is measured, and as a campaign how much there is; not how fast anything is. */
class GrowthTest {

    private static final double LARGEST_POWER = 1.2;

    @Test
    @Tag("rig")
    void aSmallRunMeasuresStepsInProcessesAndReportsTheirGrowth() throws IOException {
        try (TestDirectory directory = TestDirectory.onTmpfs()) {
            Path report = directory.path().resolve("growth.md");
            Path figures = directory.path().resolve("figures");

            int code = Growth.run("--entries", "3000,300", "--files", "20", "--steps", "walk,plan,status", "--heap",
                    "64m", "--on", directory.path().resolve("work").toString(), "--report", report.toString(),
                    "--figures", figures.toString());

            assertThat(report).content()
                    .containsPattern(
                            "\\| walk \\| 300 \\| 3,000 \\| -?[0-9.]+ \\| -?[0-9.]+ \\| -?[0-9.]+ \\| -?[0-9.]+ \\|\n")
                    .containsPattern("\\| plan \\| 300 \\| 3,000 \\|")
                    .containsPattern(
                            "\\| plan \\| 3,000 \\| [0-9.]+ \\| [0-9.]+ \\| [0-9.]+ \\| [0-9]+ \\| [0-9.]+ \\|\n")
                    .contains("![CPU time over entries](figures/growth-time.svg)")
                    .doesNotContain("exit code");
            assertThat(code).isZero();
            assertThat(figures.resolve("growth-memory.svg")).content().contains("status, 3k: ").doesNotContain("NaN");
            assertThat(directory.path().resolve("work")).isEmptyDirectory();
        }
    }

    @Test
    void aStepThatFailsIsReported() {
        try (TestDirectory directory = TestDirectory.onTmpfs()) {
            Path report = directory.path().resolve("growth.md");

            assertThat(Growth.run("--entries", "100", "--steps", "work", "--on", directory.path().toString(),
                    "--report", report.toString())).isEqualTo(1);

            assertThat(report).content().contains("**exit code 1**");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eachStepDoesItsWork(boolean isReal) throws IOException {
        try (TestDirectory directory = TestDirectory.onTmpfs()) {
            GrowthPlace place = new GrowthPlace(directory.path(), new GeneratedTree(1500, 40, 1), isReal, 10);
            place.make();
            List<GrowthStep> steps = Stream.of(GrowthStep.values())
                    .filter(step -> step.arguments(place).isEmpty())
                    // Its copy would be in the way of the transfer.
                    .filter(step -> !isReal || step != GrowthStep.COPY)
                    .toList();

            for (GrowthStep step : steps) {
                GrowthRun.run(step, place);
            }

            assertThat(steps).contains(GrowthStep.WALK, GrowthStep.RESUME, GrowthStep.UPDATE);
            assertThat(GrowthPlace.bytes(place.state())).isPositive();
            assertThat(Files.exists(place.copy())).isEqualTo(isReal);
        }
    }

    @Test
    void thePowerOfGrowthIsThatOfTheNumberOfEntries() {
        assertThat(GrowthReport.exponent(10, 3, 1000, 300)).isCloseTo(1, within(1e-9));
        assertThat(GrowthReport.exponent(10, 3, 1000, 3)).isCloseTo(0, within(1e-9));
        assertThat(GrowthReport.exponent(10, 1, 100, 100)).isCloseTo(2, within(1e-9));
    }

    @Test
    @Tag("campaign")
    void tenMillionEntriesNeedAHeapOf128MegabytesAndProportionalTime() throws IOException {
        try (TestDirectory directory = TestDirectory.make()) {
            Path report = directory.path().resolve("growth.md");

            int code = Growth.run("--entries", "1000000,10000000", "--on", directory.path().resolve("work").toString(),
                    "--report", report.toString());

            String text = Files.readString(report);
            System.out.println(text);
            assertThat(code).as(text).isZero();
            List<String[]> growth = text.lines()
                    .filter(line -> line.contains("| 1,000,000 | 10,000,000 |"))
                    .map(line -> line.split(" *[|] *", -1))
                    .toList();
            assertThat(growth).hasSize(GrowthStep.values().length)
                    .allSatisfy(row -> assertThat(Double.parseDouble(row[5])).as(row[1]).isLessThan(LARGEST_POWER));
        }
    }
}
