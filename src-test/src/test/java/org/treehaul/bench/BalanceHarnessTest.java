// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;
import org.treehaul.programs.Programs;

/** Tests that the harness works, not how even anything is. */
class BalanceHarnessTest {

    @Test
    void aHollowTreeIsPlannedByTheSizesOfItsFiles() throws Exception {
        try (TestDirectory directory = TestDirectory.make()) {
            Layout layout = ThesisSet.MANY.layout(0.01, 1, 1);
            Path tree = directory.resolve("tree");
            new LayoutWriter(layout, 1, true).write(tree);
            Path plan = directory.resolve("plan");

            Run.treehaul("plan", "-a", "--batches", 4, "-o", plan, tree, directory.resolve("copy")).expect(0);

            assertThat(PlanRun.of(plan, 0).bytes().percent()).isLessThan(5);
        }
    }

    @Test
    @Tag("rig")
    void aSmallRunPlansCopiesAndReports() throws IOException {
        try (TestDirectory directory = TestDirectory.make()) {
            Path report = directory.path().resolve("balance.md");

            int code = run(directory, report, "--sets", "MANY", "--jobs", "2", "--strategies",
                    "size-balanced,streaming", "--scheduler", "local");

            assertThat(code).as(Files.readString(report)).isZero();
            assertThat(report).content()
                    .contains("### Many small files\n", "407 files in 30 directories", "Nuss 3.11 / 3.13 / 3.15")
                    .containsPattern("\\| size-balanced \\| 2 \\| 203-204 \\| 0\\.49 \\|")
                    .containsPattern(
                            "\\| 2 \\| size-balanced \\| 2 \\| [12] \\| [0-9.]+ \\| .*\\| 1\\.08 / 1\\.08 / - \\|")
                    .containsPattern("\\| 2 \\| streaming \\| [23] \\|")
                    .doesNotContain("## Wrong", "NaN");
            try (Stream<Path> left = Files.list(directory.path().resolve("work"))) {
                assertThat(left.map(Path::getFileName)).containsExactly(Path.of("data"));
            }
        }
    }

    @Test
    @Tag("campaign")
    void everySetIsCopiedByJobsOfSlurm() throws IOException {
        Privilege.requireRoot("to start the daemons of Slurm");
        Programs.require("slurmctld", "slurmctld");
        try (TestDirectory directory = TestDirectory.make()) {
            Path report = directory.path().resolve("balance.md");

            int code = run(directory, report, "--jobs", "1,2", "--scheduler", "slurm");

            assertThat(code).as(Files.readString(report)).isZero();
            assertThat(report).content().contains("### Partial large files, copied", "| 8 a job | one slow |");
        }
    }

    private static int run(TestDirectory directory, Path report, String... options) throws IOException {
        List<String> all = new ArrayList<>(List.of("--on", directory.path().resolve("work").toString(), "--scale",
                "0.002", "--plan-scale", "0.002", "--rounds", "1", "--treehaul",
                SpeedHarnessTest.treehaul(directory.path()).toString(), "--report", report.toString()));
        all.addAll(List.of(options));
        return Balance.run(all.toArray(String[]::new));
    }

    @ParameterizedTest
    @EnumSource
    void aSetOfTheThesisHasItsFilesAndBytes(ThesisSet set) {
        Layout layout = set.layout(1, 1, 1);

        assertThat(layout.files()).isEqualTo(Arrays.stream(set.counts()).sum());
        // Sizes are random, and a few large ones make up most of a set.
        assertThat((double) layout.bytes()).isCloseTo(set.total(), within(0.1 * set.total()));
    }

    @ParameterizedTest
    @EnumSource
    void aSetOfTheThesisNamesParentsFirstAndNothingTwice(ThesisSet set) {
        Layout layout = set.layout(0.01, 0.001, 7);
        Set<String> paths = new HashSet<>(Set.of(""));
        for (int i = 0; i < layout.entries(); i++) {
            String path = i < layout.directories()
                    ? layout.directory().apply(i)
                    : layout.file().apply(i - layout.directories());
            assertThat(paths).contains(path.substring(0, Math.max(0, path.lastIndexOf('/'))));
            assertThat(paths.add(path)).as("%s is new", path).isTrue();
        }
    }
}
