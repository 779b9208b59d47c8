// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;
import org.treehaul.programs.Programs;

/** Tests that the harness works, not how fast anything is. */
public class SpeedHarnessTest {

    @Test
    @Tag("rig")
    void aSmallRunMeasuresJudgesAndReports() throws IOException {
        try (TestDirectory directory = TestDirectory.make()) {
            Path report = directory.path().resolve("speed.md");
            Path csv = directory.path().resolve("speed.csv");

            int code = Bench.run("--on", directory.path().resolve("work").toString(), "--scale", "0.001", "--rounds",
                    "1", "--no-calls", "--tools", "treehaul,C floor,cp -a,find -printf,find -size,du", "--treehaul",
                    "treehaul=" + treehaul(directory.path()), "--report", report.toString(), "--csv", csv.toString(),
                    "walk", "du", "find", "tiny");

            assertThat(code).isZero();
            assertThat(report).content()
                    .contains("## Walk with the status of each entry, warm", "## Copy of tiny files, warm",
                            "60 files in 2 directories")
                    .containsPattern("\\| find -printf \\| [0-9.]+ \\| [0-9.]+-[0-9.]+ \\| 1\\.00 \\|")
                    .containsPattern("\\| du \\| [0-9.]+ \\| [0-9.]+-[0-9.]+ \\| 1\\.00 \\| .*`du SOURCE`")
                    .containsPattern(
                            "\\| find -size \\| [0-9.]+ \\| [0-9.]+-[0-9.]+ \\| 1\\.00 \\| .*`find SOURCE -size \\+0c`")
                    .containsPattern("\\| treehaul \\| .*`treehaul cp -a -T SOURCE TARGET` \\|")
                    .doesNotContain("WRONG", "exit code");
            assertThat(Files.readAllLines(csv)).filteredOn(line -> line.contains(",treehaul,1,")).hasSize(4);
            try (Stream<Path> left = Files.list(directory.path().resolve("work"))) {
                assertThat(left.map(Path::getFileName)).containsExactly(Path.of("data"));
            }
        }
    }

    @Test
    @Tag("campaign")
    void everyScenarioRunsWithEveryTool() throws IOException {
        try (TestDirectory memory = TestDirectory.onTmpfs(); TestDirectory disk = TestDirectory.make()) {
            Path report = disk.path().resolve("speed.md");

            int code = Bench.run("--on", memory.path().resolve("work").toString(), "--on",
                    disk.path().resolve("work").toString(), "--scale", "0.002", "--rounds", "1", "--treehaul",
                    "treehaul=" + treehaul(disk.path()), "--report", report.toString());

            assertThat(code).as(Files.readString(report)).isZero();
            assertThat(report).content().contains("`start`", "`slow-copy`", "## What copies lack");
        }
    }

    @Test
    void aWrongCopyIsNoted() throws IOException {
        try (TestDirectory directory = TestDirectory.make()) {
            Path source = directory.directory("source");
            Path target = directory.directory("target");
            Files.writeString(source.resolve("file"), "right");
            Files.writeString(target.resolve("file"), "wrong");
            Files.setLastModifiedTime(target.resolve("file"), Files.getLastModifiedTime(source.resolve("file")));

            assertThat(Judge.copy(source, target)).startsWith(Judge.WRONG);
        }
    }

    @Test
    void theTimeOfProcessesThatOutliveACommandCountsAndTheMeterWaitsForThem() throws Exception {
        try (TestDirectory directory = TestDirectory.make()) {
            assumeTrue(Programs.find("gcc").isPresent() && Programs.find("setsid").isPresent());
            Path end = directory.path().resolve("end");
            String job = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; cat /proc/$$/stat > '" + end + "'";

            Meter.Measurement run = Meter.choose(directory.path()).measure(List.of("setsid", "-f", "sh", "-c", job));

            assertThat(end).as("the job has ended").isNotEmptyFile();
            // Fields 14 and 15 of proc_pid_stat(5), in ticks of 10 ms; the name before them has no spaces.
            String[] field = Files.readString(end).split(" ", -1);
            double seconds = (Long.parseLong(field[13]) + Long.parseLong(field[14])) / 100.0;
            assertThat(seconds).isPositive();
            assertThat(run.cpu()).isGreaterThanOrEqualTo(seconds);
        }
    }

    @Test
    void jobsMayTakeMoreTimeOfTheProcessorThanACopyAndAStartBesides() {
        Series plain = series("treehaul", 2);
        Goal goal = Goal.cpu("treehaul", 1.25, 1.5);

        assertThat(verdict(goal, series("treehaul --jobs 2", 3.9), plain)).contains("1.20, reached");
        assertThat(verdict(goal, series("treehaul --jobs 2", 4.1), plain)).contains("1.30, **not reached**");
        assertThat(goal.verdict(plain, List.of(plain))).as("nothing to compare with").isEmpty();
        assertThat(Goal.cpu(1.5).verdict(plain, List.of(plain)).orElseThrow())
                .isEqualTo("treehaul: at most 1.5 s of CPU: 2.00, **not reached**");
    }

    private static String verdict(Goal goal, Series ours, Series other) {
        return goal.verdict(ours, List.of(other, ours)).orElseThrow();
    }

    private static Series series(String name, double seconds) {
        Series series = new Series(new Tool(name, Tool.Role.OURS, List.of("treehaul")));
        series.add(new Meter.Measurement(9, seconds / 2, seconds / 2, 0, 0, ""));
        return series;
    }

    @Test
    void manySmallFilesAreScaledFromTheThesis() {
        Layout many = DataSet.MANY.layout(1, 1);

        assertThat(many.files()).isEqualTo(200_000);
        assertThat(many.bytes() / 1e9).isCloseTo(4, within(0.5));
    }

    @Test
    void everyLayoutNamesParentsFirstAndNothingTwice() {
        for (DataSet set : DataSet.values()) {
            Layout layout = set.layout(0.003, 7);
            Set<String> paths = new HashSet<>(Set.of(""));
            for (int i = 0; i < layout.directories(); i++) {
                String path = layout.directory().apply(i);
                assertThat(paths).as(set.label()).contains(parent(path));
                assertThat(paths.add(path)).as("%s: %s is new", set, path).isTrue();
            }
            for (int i = 0; i < layout.files(); i++) {
                String path = layout.file().apply(i);
                assertThat(paths).as(set.label()).contains(parent(path));
                assertThat(paths.add(path)).as("%s: %s is new", set, path).isTrue();
                assertThat(path).hasSizeLessThan(3500);
                assertThat(layout.size().applyAsLong(i)).isNotNegative();
            }
        }
    }

    private static String parent(String path) {
        return path.substring(0, Math.max(0, path.lastIndexOf('/')));
    }

    /** Writes a script in place of that of the checkout, which would record its archive of classes. */
    public static Path treehaul(Path directory) throws IOException {
        Path script = directory.resolve("treehaul");
        Files.writeString(script, "#!/bin/sh\nexec " + String.join(" ", Run.command(List.of(), Run.JAR)) + " \"$@\"\n");
        return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
