// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.copy.Copies.path;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.Copies;
import org.treehaul.core.copy.CopyProcess;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.HostileTree;
import org.treehaul.core.testing.Installed;
import org.treehaul.core.testing.JavaCommand;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.Ready;
import org.treehaul.core.testing.TreeRemoval;
import org.treehaul.core.testing.TreeWriter;

/** Batches copied by processes of their own, at the same time, killed at any moment, and with few descriptors. */
class BatchProcessTest {

    private static void make(TreeWriter writer) {
        IntStream.range(0, 120).forEach(i -> writer.file(path("d" + i % 10 + "/small" + i), 100 + i, i));
        IntStream.range(0, 20)
                .forEach(i -> writer.file(path("d" + i % 10 + "/medium" + i), 300_000 + i, i)
                        .hardLink(path("d" + i % 10 + "/medium" + i), path("e" + i % 3 + "/link" + i)));
        IntStream.range(0, 3)
                .forEach(i -> writer.file(path("e0/large" + i), 3L * HostileTree.CHUNK_BYTES + i, i)
                        .hardLink(path("e0/large" + i), path("e1/again" + i)));
        writer.symlink(path("e1/symlink"), path("nowhere"))
                .special(path("e1/fifo"), EntryKind.FIFO, 0)
                .directory(path("empty"))
                .mode(path("d1"), 0555);
    }

    private static List<String> output(Process process) throws Exception {
        List<String> told = Ready.await(process).lines().toList();
        process.waitFor();
        return told;
    }

    private static Batches here(Copies copies) {
        return Batches.of(copies, BatchProcess.options(), BatchProcess.BATCHES, BatchProcess.SEED,
                HostileTree.CHUNK_BYTES);
    }

    @Test
    void processesAtOnceMakeOneTree() throws Exception {
        try (Copies copies = Copies.onTmpfs()) {
            copies.with(BatchProcessTest::make);
            List<Process> processes = new ArrayList<>();
            for (int i = 0; i < BatchProcess.BATCHES; i++) {
                processes.add(BatchProcess.start(List.of(), JavaCommand.classPath(), copies, String.valueOf(i)));
            }
            // A process that has taken a batch over from another one that is still alive.
            processes.add(BatchProcess.start(List.of(), JavaCommand.classPath(), copies, "0"));
            for (Process process : processes) {
                assertThat(output(process)).containsExactly("COMPLETE");
            }
            here(copies).copyAll(new Random(1)).finish().allDone();
            copies.isCopied().hasNoTemporaries();
        }
    }

    @Test
    void fewDescriptorsAreEnough() throws Exception {
        try (Copies copies = Copies.onTmpfs()) {
            copies.with(BatchProcessTest::make)
                    .with(writer -> writer.file(path("deep/" + "d/".repeat(100) + "deep"), 10, 1));
            List<String> limited = List.of("sh", "-c", "ulimit -n 64 && exec \"$@\"", "sh");
            assertThat(output(BatchProcess.start(limited, JavaCommand.classPath(), copies, "all")))
                    .containsExactly("COMPLETE");
            copies.isCopied().hasNoTemporaries();
        }
    }

    @Test
    void anOrdinaryUserMakesDirectoriesThatTheUmaskKeepsItFromReading() throws Exception {
        Privilege.requireRoot("becomes another user");
        Installed.require("setpriv", "chown");
        try (Copies copies = Copies.onTmpfs()) {
            copies.with(BatchProcessTest::make);
            assertThat(new ProcessBuilder("chown", "-Rh", "1234:1234", copies.directory().path().toString()).inheritIO()
                    .start()
                    .waitFor()).isZero();
            String classPath = JavaCommand.classPathIn(copies.directory().resolve("classes"));
            List<String> by = CopyProcess.AS_MASKED_USER;
            assertThat(output(BatchProcess.start(by, classPath, copies, "all"))).containsExactly("COMPLETE");
            copies.isCopied().hasNoTemporaries();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0333, 0})
    void anOrdinaryUserGoesThroughDirectoriesThatAreShutToIt(int mode) throws Exception {
        goThrough(mode);
    }

    @ParameterizedTest
    @Tag("rig")
    @ValueSource(ints = {0444, 0644, 0600})
    void anOrdinaryUserGoesThroughDirectoriesThatItMayNotSearch(int mode) throws Exception {
        goThrough(mode);
    }

    private static void goThrough(int mode) throws Exception {
        Privilege.requireRoot("becomes another user");
        Installed.require("setpriv", "chown");
        try (Copies copies = Copies.onTmpfs()) {
            Files.setPosixFilePermissions(copies.directory().path(), PosixFilePermissions.fromString("rwxr-xr-x"));
            copies.with(writer -> writer.directory(path("a/empty"))
                    .file(path("b/c/large"), 3L * HostileTree.CHUNK_BYTES, 1)
                    .file(path("d/e/small"), 5, 1));
            copies.there(writer -> {
                for (String below : List.of("a/empty", "b/c", "d/e")) {
                    writer.directory(path(below)).mode(path(below.substring(0, 1)), mode);
                }
            });
            assertThat(new ProcessBuilder("chown", "-Rh", "1234:1234", copies.source().toString(),
                    copies.target().toString()).inheritIO().start().waitFor()).isZero();
            String classPath = JavaCommand.classPathIn(copies.directory().resolve("classes"));
            assertThat(output(BatchProcess.start(CopyProcess.AS_USER, classPath, copies, "all")))
                    .containsExactly("COMPLETE");
            copies.isCopied().hasNoTemporaries();
        }
    }

    @Test
    void anOrdinaryUserReplacesEntriesOfUnwritableDirectories() throws Exception {
        Privilege.requireRoot("becomes another user");
        Installed.require("setpriv", "chown");
        try (Copies copies = Copies.onTmpfs()) {
            Files.setPosixFilePermissions(copies.directory().path(), PosixFilePermissions.fromString("rwxr-xr-x"));
            copies.with(BatchProcessTest::make).with(writer -> writer.mode(path("e0/large1"), 0444));
            copies.there(writer -> writer.file(path("d1/small1"), 3, 3).mode(path("d1"), 0500));
            assertThat(new ProcessBuilder("chown", "-Rh", "1234:1234", copies.source().toString(),
                    copies.target().toString()).inheritIO().start().waitFor()).isZero();
            String classPath = JavaCommand.classPathIn(copies.directory().resolve("classes"));
            List<String> asUser = CopyProcess.AS_USER;
            for (int i = 0; i < 2; i++) {
                // The second time, its directories exist and are inaccessible.
                assertThat(output(BatchProcess.start(asUser, classPath, copies, "all"))).containsExactly("COMPLETE");
                copies.isCopied().hasNoTemporaries();
            }
        }
    }

    private static void killAtRandomMoments(int kills, long seed) throws Exception {
        try (Copies copies = Copies.onTmpfs()) {
            copies.with(BatchProcessTest::make);
            long nanos = timeOfOne(copies);
            Random random = new Random(seed);
            for (int i = 0; i < kills; i++) {
                if (copies.target().toFile().exists() && i % 3 != 2) {
                    TreeRemoval.remove(Linux.calls(), copies.target());
                }
                Process process = BatchProcess.start(List.of(), JavaCommand.classPath(), copies, "all");
                Ready.await(process);
                TimeUnit.NANOSECONDS.sleep(random.nextLong(nanos));
                process.destroyForcibly().waitFor();
                here(copies).copyAll(new Random(i)).finish().allDone();
                copies.isCopied().hasNoTemporaries();
            }
        }
    }

    private static long timeOfOne(Copies copies) throws Exception {
        Process process = BatchProcess.start(List.of(), JavaCommand.classPath(), copies, "all");
        BufferedReader output = Ready.await(process);
        long start = System.nanoTime();
        assertThat(output.readLine()).isEqualTo("COMPLETE");
        long nanos = System.nanoTime() - start;
        process.waitFor();
        return nanos;
    }

    @Test
    void killedAtAFewMomentsItEndsRightWhenDoneAgain() throws Exception {
        killAtRandomMoments(4, 1);
    }

    @Tag("campaign")
    @Test
    void killedAtManyMomentsItEndsRightWhenDoneAgain() throws Exception {
        killAtRandomMoments(Campaign.cases(200), Campaign.seed(2));
    }
}
