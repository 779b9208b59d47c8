// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.move;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.ListedEntry;
import org.treehaul.core.testing.Ready;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeAssert.Aspect;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.testing.TreeRemoval;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.transfer.FatalCalls;

/**
 * A move that is killed at any moment: each file is whole at the source or at the target, and the next move ends right.
 */
class KilledMoveTest {

    private static final int FILES = 200;
    // A move of this tree makes about as many.
    private static final int CALLS = 4_000;
    private static final int STATUS_CALLS = 1_500;

    private static void make(Path source) throws IOException {
        Files.createDirectories(source);
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), source)) {
            for (int i = 0; i < FILES; i++) {
                writer.file(ByteString.of("d" + i % 10 + "/e" + i % 7 + "/f" + i), 100 + 1000L * (i % 50), i);
            }
            for (int i = 0; i < FILES; i += 10) {
                writer.hardLink(ByteString.of("d" + i % 10 + "/e" + i % 7 + "/f" + i), ByteString.of("links/l" + i));
            }
            writer.symlink(ByteString.of("d1/link"), ByteString.of("nowhere"))
                    .special(ByteString.of("d2/fifo"), EntryKind.FIFO, 0);
        }
    }

    static SortedMap<ByteString, ListedEntry> listing(Path tree) {
        return Files.exists(tree) ? TreeListing.of(Linux.calls(), tree).byPath() : new TreeMap<>();
    }

    private static void killAtRandomMoments(int kills, long seed) throws Exception {
        Random random = new Random(seed);
        int killedAfterRemovals = 0;
        try (TestDirectory directory = TestDirectory.onTmpfs()) {
            Path source = directory.resolve(MoveProcess.SOURCE);
            Path target = directory.resolve("target");
            make(source);
            long nanos = timeOfOne(source, target);
            for (int i = 0; i < kills; i++) {
                remove(target);
                make(source);
                TreeListing wanted = TreeListing.of(Linux.calls(), source);
                for (int again = 0; again < 1 + i % 3; again++) {
                    String end = switch ((i + again) % 3) {
                        case 0 -> "";
                        case 1 -> String.valueOf(1 + random.nextInt(wanted.byPath().size()));
                        default -> FatalCalls.kill(random, CALLS);
                    };
                    Process process = MoveProcess.start(source, target, end);
                    Ready.await(process);
                    if (end.isEmpty()) {
                        TimeUnit.NANOSECONDS.sleep(random.nextLong(nanos));
                        process.destroyForcibly();
                    }
                    process.waitFor();
                    SortedMap<ByteString, ListedEntry> left = listing(source);
                    killedAfterRemovals += !left.isEmpty() && left.size() < wanted.byPath().size() ? 1 : 0;
                    assertNothingIsLost(wanted.byPath(), left, listing(target));
                    if (!Files.exists(source)) {
                        break;
                    }
                }
                if (Files.exists(source)) {
                    Process process = MoveProcess.start(source, target, "");
                    assertThat(Ready.await(process).lines().toList()).containsExactly("COMPLETE");
                }
                assertThat(source).doesNotExist();
                // Directories have the time at which their entries were removed.
                TreeAssert.assertThat(TreeListing.of(Linux.calls(), target))
                        .ignoring(Aspect.DIRECTORY_TIMES)
                        .isCopyOf(wanted);
            }
        }
        // Otherwise the moments say nothing about the removal.
        assertThat(killedAfterRemovals).isPositive();
    }

    private static void remove(Path tree) throws IOException {
        if (Files.exists(tree)) {
            TreeRemoval.remove(Linux.calls(), tree);
        }
    }

    private static long timeOfOne(Path source, Path target) throws Exception {
        Process process = MoveProcess.start(source, target, "");
        BufferedReader output = Ready.await(process);
        long start = System.nanoTime();
        assertThat(output.readLine()).isEqualTo("COMPLETE");
        long nanos = System.nanoTime() - start;
        process.waitFor();
        return nanos;
    }

    /** Checks that each entry is whole at the source or at the target. */
    static void assertNothingIsLost(SortedMap<ByteString, ListedEntry> wanted,
            SortedMap<ByteString, ListedEntry> source, SortedMap<ByteString, ListedEntry> target) {
        wanted.forEach((path, entry) -> {
            ListedEntry stays = source.get(path);
            if (stays == null) {
                assertThat(target.keySet()).as("neither at the source nor at the target").contains(path);
                ListedEntry moved = Objects.requireNonNull(target.get(path));
                assertThat(moved.content()).as(path.toString()).isEqualTo(entry.content());
                assertThat(moved.status().kind()).isEqualTo(entry.status().kind());
                assertThat(moved.status().permissions()).isEqualTo(entry.status().permissions());
            } else {
                assertThat(stays.content()).as(path.toString()).isEqualTo(entry.content());
            }
        });
    }

    /**
     * Suspends moves before an entry is examined; each time another move takes over, and names are made anew. After the
     * first one wakes up, no new file is lost.
     */
    private static void suspend(int times, long seed) throws Exception {
        Random random = new Random(seed);
        int suspended = 0;
        try (TestDirectory directory = TestDirectory.onTmpfs()) {
            Path source = directory.resolve(MoveProcess.SOURCE);
            Path target = directory.resolve("target");
            for (int i = 0; i < times; i++) {
                remove(target);
                make(source);
                SortedMap<ByteString, ListedEntry> wanted = new TreeMap<>(listing(source));
                Process process = MoveProcess.start(source, target, FatalCalls.stop(random, STATUS_CALLS));
                Ready.await(process);
                if (!isSuspended(process)) {
                    continue;
                }
                suspended++;
                Process next = MoveProcess.start(source, target, "");
                assertThat(Ready.await(next).lines().toList()).contains("COMPLETE");
                next.waitFor();
                List<String> anew = makeAnew(source, random);
                new ProcessBuilder("kill", "-CONT", String.valueOf(process.pid())).start().waitFor();
                process.waitFor();
                for (String name : anew) {
                    Path stays = source.resolve(name);
                    assertThat(Files.exists(stays) ? stays : target.resolve(name)).as(name).hasContent("anew");
                }
                wanted.keySet().removeIf(path -> anew.contains(path.toString()));
                assertNothingIsLost(wanted, listing(source), listing(target));
                remove(source);
            }
        }
        assertThat(suspended).isPositive();
    }

    private static boolean isSuspended(Process process) throws Exception {
        while (process.isAlive()) {
            try {
                String state = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
                if (state.startsWith("T", state.lastIndexOf(')') + 2)) {
                    return true;
                }
            } catch (NoSuchFileException e) {
                // It has just ended.
            }
            TimeUnit.MILLISECONDS.sleep(5);
        }
        return false;
    }

    private static List<String> makeAnew(Path source, Random random) throws IOException {
        Set<String> names = new HashSet<>();
        for (int j = 0; j < 20; j++) {
            int i = random.nextInt(FILES);
            String name = "d" + i % 10 + "/e" + i % 7 + "/f" + i;
            Path file = source.resolve(name);
            Files.createDirectories(file.getParent());
            // As a program that replaces a file: the old one may still be there.
            Path written = Files.writeString(source.resolve("written"), "anew");
            Files.move(written, file, StandardCopyOption.REPLACE_EXISTING);
            names.add(name);
        }
        return List.copyOf(names);
    }

    @Test
    void aSuspendedMoveThatWakesUpLosesNoNewFile() throws Exception {
        suspend(2, 3);
    }

    @Tag("campaign")
    @Test
    void manySuspendedMovesThatWakeUpLoseNoNewFile() throws Exception {
        suspend(Campaign.cases(200), Campaign.seed(4));
    }

    @Test
    void killedAtAFewMomentsNothingIsLostAndTheNextMoveEndsRight() throws Exception {
        killAtRandomMoments(3, 1);
    }

    @Tag("campaign")
    @Test
    void killedAtManyMomentsNothingIsLostAndTheNextMoveEndsRight() throws Exception {
        killAtRandomMoments(Campaign.cases(300), Campaign.seed(2));
    }
}
