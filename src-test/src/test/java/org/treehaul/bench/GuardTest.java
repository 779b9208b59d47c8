// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;
import org.treehaul.programs.Programs;

/** Tests that the guard measures and judges, not how fast anything is. */
class GuardTest {

    @Test
    void aRatioBelowTheBarIsKept() {
        GuardTable table = new GuardTable();

        assertThat(table.addMedians("walk", "CPU s", 1.0, 1.0, 1.029)).isTrue();
        assertThat(table.addMedians("walk", "CPU s", 1.0, 1.0, 1.031)).isFalse();
        assertThat(table.broken()).containsExactly("walk: CPU s: 1.031 times that of the old program, allowed: 1.030");
    }

    @Test
    void theDifferenceOfTheTwoCopiesRaisesTheBarInBothDirections() {
        GuardTable table = new GuardTable();

        assertThat(table.addMedians("walk", "wall s", 1.0, 1.1, 1.09)).isTrue();
        assertThat(table.addMedians("walk", "wall s", 1.0, 0.9, 1.11)).isTrue();
        assertThat(table.addMedians("walk", "wall s", 1.0, 0.9, 1.12)).isFalse();
    }

    @Test
    void aMissingMeasurementBreaksTheBar() {
        assertThat(new GuardTable().addMedians("walk", "CPU s", 1.0, 1.0, Double.NaN)).isFalse();
    }

    @Test
    void oneMoreCallForEachDirectoryBreaksTheBar() {
        GuardTable table = new GuardTable();
        Map<String, Double> old = Map.of("statx", 1.0, "openat", 0.02, "total", 1.02);

        assertThat(table.addCalls("walk", old, old, old)).isTrue();
        assertThat(table.addCalls("walk", old, old, Map.of("statx", 1.0, "openat", 0.03, "total", 1.03))).isFalse();
        assertThat(table.broken())
                .anyMatch(text -> text.contains("0.0300 calls of openat for each file, 0.0200 before"));
    }

    @Test
    void callsThatTheJvmMakesForItselfMayVary() {
        GuardTable table = new GuardTable();
        Map<String, Double> old = Map.of("statx", 1.0, "mmap", 0.01, "total", 1.01);

        assertThat(table.addCalls("walk", old, old, Map.of("statx", 1.0, "mmap", 0.03, "total", 1.03))).isTrue();
        assertThat(table.addCalls("walk", old, old, Map.of("statx", 1.0, "mmap", 1.01, "total", 2.01))).isFalse();
    }

    @Test
    void aNewCallBreaksTheBarEvenIfAnotherOneIsSaved() {
        GuardTable table = new GuardTable();

        assertThat(table.addCalls("tiny", Map.of("fstat", 1.0), Map.of("fstat", 1.0), Map.of("statx", 1.0))).isFalse();
    }

    @Test
    void theTableOfStraceIsReadByName() {
        assertThat(CallCounter.byName("""
                % time     seconds  usecs/call     calls    errors syscall
                ------ ----------- ----------- --------- --------- ----------------
                 60.00    0.004711           3      1400        23 openat
                 40.00    0.004711           3        67           close
                ------ ----------- ----------- --------- --------- ----------------
                100.00    0.009422           3      1467        23 total
                """)).containsOnly(entry("openat", 1400L), entry("close", 67L), entry(CallCounter.TOTAL, 1467L));
    }

    @Test
    void noBuildHasAnArchiveOfClassesIfOneHasNone() throws IOException {
        try (TestDirectory directory = TestDirectory.make()) {
            Path full = Files.writeString(directory.path().resolve("full.aot"), "classes");
            Path empty = Files.createFile(directory.path().resolve("empty.aot"));

            assertThat(Guard.keepAllOrNone(List.of(full), true)).isTrue();
            assertThat(full).hasContent("classes");
            assertThat(Guard.keepAllOrNone(List.of(full, empty), true)).isFalse();
            assertThat(full).isEmptyFile();
            Files.writeString(full, "classes");
            assertThat(Guard.keepAllOrNone(List.of(full), false)).isFalse();
            assertThat(full).isEmptyFile();
        }
    }

    @Test
    void eachStartOfABuildUsesTheNextOfItsArchives() throws IOException {
        try (TestDirectory directory = TestDirectory.make()) {
            List<String> scripts = new ArrayList<>();
            for (String name : List.of("first", "second", "third")) {
                Path script = Files.writeString(directory.path().resolve(name),
                        "#!/bin/sh\necho " + name + " \"$@\"\n");
                assertThat(script.toFile().setExecutable(true)).isTrue();
                scripts.add(script.toString());
            }

            String build = Guard.inTurns(scripts, directory.path().resolve("in turns"));

            StringBuilder text = new StringBuilder();
            for (int i = 0; i < 4; i++) {
                text.append(Programs.run(build, "a b")).append('\n');
            }
            assertThat(text.toString().lines().filter(line -> !line.isBlank())).containsExactly("first a b",
                    "second a b", "third a b", "first a b");
        }
    }

    /** Makes a checkout whose script takes no time to record its archive of classes; returns its jar. */
    private static Path checkout(Path root) throws IOException {
        Path jar = Files.createDirectories(root.resolve("cli/target")).resolve("treehaul.jar");
        Files.copy(Run.JAR, jar);
        Path script = Files.writeString(root.resolve("treehaul"),
                "#!/bin/sh\necho classes > \"${0%/*}/cli/target/a.aot\"\nexec "
                        + String.join(" ", Run.command(List.of(), Run.JAR)) + " \"$@\"\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
        return jar;
    }

    @Test
    @Tag("rig")
    void aSmallRunMeasuresBothBuildsAndLeavesNothing() throws IOException {
        try (TestDirectory directory = TestDirectory.make()) {
            String jar = checkout(directory.path().resolve("checkout")).toString();
            Path report = directory.path().resolve("guard.md");

            // One round proves nothing about speed, so the exit code is not checked.
            int code = Guard.run("--on", directory.path().resolve("work").toString(), "--scale", "0.001", "--rounds",
                    "1", "--archives", "1", "--no-calls", "--report", report.toString(), jar, jar, "tiny");

            assertThat(code).isLessThan(2);
            assertThat(report).content()
                    .containsPattern(
                            "\\| tiny \\| CPU s \\| [0-9.]+ \\| [0-9.]+ \\| [0-9.]+ \\| [0-9.]+ \\| [0-9.]+ \\|")
                    .contains("| tiny | wall s |", "| tiny | peak MiB |")
                    .doesNotContain("exit code", Judge.WRONG);
            try (Stream<Path> left = Files.list(directory.path().resolve("work"))) {
                assertThat(left).isEmpty();
            }
        }
    }
}
