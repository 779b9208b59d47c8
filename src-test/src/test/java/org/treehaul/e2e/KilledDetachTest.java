// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.TestDirectory;

/**
 * {@code rm --detach} whose processes are killed at any moment: each tree is whole under its own name, or what is left
 * of it is under one hidden name, and the next {@code rm} removes both.
 */
class KilledDetachTest {

    private static final int FILES = 2_000;

    private static void makeTrees(Path directory) throws IOException {
        for (String tree : List.of("a", "b")) {
            for (int i = 0; i < FILES; i++) {
                Path file = directory.resolve(tree + "/d" + i % 20 + "/f" + i);
                Files.createDirectories(file.getParent());
                Files.createFile(file);
            }
        }
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(path -> path.getFileName().toString()).toList();
        }
    }

    private static long files(Path tree) throws IOException {
        try (Stream<Path> all = Files.walk(tree)) {
            return all.filter(Files::isRegularFile).count();
        }
    }

    /** Returns the processes that work in a directory. */
    private static List<ProcessHandle> workers(Path directory) {
        return ProcessHandle.allProcesses().filter(process -> {
            try {
                return Files.readSymbolicLink(Path.of("/proc/" + process.pid() + "/cwd"))
                        .equals(directory.toRealPath());
            } catch (IOException e) {
                // It has ended.
                return false;
            }
        }).toList();
    }

    private static void awaitNone(Path directory) {
        for (List<ProcessHandle> some = workers(directory); !some.isEmpty(); some = workers(directory)) {
            some.forEach(process -> process.onExit().join());
        }
    }

    private static void kill(int cases, long seed) throws Exception {
        Random random = new Random(seed);
        List<String> moments = new ArrayList<>();
        try (TestDirectory directory = TestDirectory.make()) {
            Path here = directory.directory("here");
            Cli cli = new Cli(here);
            long nanos = 0;
            for (int i = 0; i < cases; i++) {
                makeTrees(here);
                long begin = System.nanoTime();
                Process process = cli.start("rm", "-r", "--detach", "--rate", "4000", "a", "b");
                if (i == 0) {
                    process.waitFor();
                    nanos = System.nanoTime() - begin;
                } else if (i % 2 == 0) {
                    TimeUnit.NANOSECONDS.sleep(random.nextLong(nanos));
                    process.descendants().forEach(ProcessHandle::destroyForcibly);
                    process.destroyForcibly().waitFor();
                } else {
                    process.waitFor();
                    // At first at once, so that one kill certainly leaves something.
                    TimeUnit.NANOSECONDS.sleep(i == 1 ? 0 : random.nextLong(2 * nanos));
                    workers(here).forEach(ProcessHandle::destroyForcibly);
                }
                awaitNone(here);
                List<String> names = names(here);
                moments.add(String.join(" ", names));
                assertThat(names.stream().filter(name -> name.startsWith("."))).hasSizeLessThanOrEqualTo(2);
                assertThat(names).hasSizeLessThanOrEqualTo(2)
                        .allMatch(name -> name.matches("[ab]|\\.treehaul-removed-[0-9a-f]{16}"));
                for (String name : names) {
                    if (!name.startsWith(".")) {
                        assertThat(files(here.resolve(name))).as(name).isEqualTo(FILES);
                    }
                }
                cli.sh("$T rm -rf a b .treehaul-removed-*").expect(0);
                awaitNone(here);
                assertThat(names(here)).isEmpty();
            }
        }
        assertThat(moments).as("a kill that leaves hidden names").anyMatch(names -> names.contains("."));
    }

    @Test
    void killedAtAFewMomentsNothingIsLeftOutsideTheTwoNames() throws Exception {
        kill(3, 1);
    }

    @Tag("campaign")
    @Test
    void killedAtManyMomentsNothingIsLeftOutsideTheTwoNames() throws Exception {
        kill(Campaign.cases(100), Campaign.seed(2));
    }
}
