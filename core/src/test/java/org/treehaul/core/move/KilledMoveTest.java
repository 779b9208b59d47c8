// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.move;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Random;
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

/**
 * A move that is killed at any moment: each file is whole at the source or at the target, and the next move ends right.
 */
class KilledMoveTest {

    private static final int FILES = 200;

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

    private static SortedMap<ByteString, ListedEntry> listing(Path tree) {
        return Files.exists(tree) ? TreeListing.of(Linux.calls(), tree).byPath() : new TreeMap<>();
    }

    private static void killAtRandomMoments(int kills, long seed) throws Exception {
        Random random = new Random(seed);
        int[] killedAfterRemovals = {0};
        try (TestDirectory directory = TestDirectory.onTmpfs()) {
            Path source = directory.resolve(MoveProcess.SOURCE);
            Path target = directory.resolve("target");
            make(source);
            long nanos = timeOfOne(source, target);
            for (int i = 0; i < kills; i++) {
                TreeRemoval.remove(Linux.calls(), target);
                make(source);
                TreeListing wanted = TreeListing.of(Linux.calls(), source);
                for (int again = 0; again < 1 + i % 3; again++) {
                    boolean isInRemoval = (i + again) % 2 == 1;
                    Process process = MoveProcess.start(source, target,
                            isInRemoval ? 1 + random.nextInt(wanted.byPath().size()) : 0);
                    Ready.await(process);
                    if (!isInRemoval) {
                        TimeUnit.NANOSECONDS.sleep(random.nextLong(nanos));
                        process.destroyForcibly();
                    }
                    process.waitFor();
                    assertNothingIsLost(wanted.byPath(), listing(source), listing(target), killedAfterRemovals);
                    if (!Files.exists(source)) {
                        break;
                    }
                }
                if (Files.exists(source)) {
                    Process process = MoveProcess.start(source, target, 0);
                    assertThat(Ready.await(process).lines().toList()).containsExactly("COMPLETE");
                }
                assertThat(source).doesNotExist();
                // The groups may be divided, and directories have the time at which their entries were removed.
                TreeAssert.assertThat(TreeListing.of(Linux.calls(), target))
                        .ignoring(Aspect.DIRECTORY_TIMES, Aspect.LINKS)
                        .isCopyOf(wanted);
            }
        }
        // Otherwise the moments say nothing about the removal.
        assertThat(killedAfterRemovals[0]).isPositive();
    }

    private static long timeOfOne(Path source, Path target) throws Exception {
        Process process = MoveProcess.start(source, target, 0);
        BufferedReader output = Ready.await(process);
        long start = System.nanoTime();
        assertThat(output.readLine()).isEqualTo("COMPLETE");
        long nanos = System.nanoTime() - start;
        process.waitFor();
        return nanos;
    }

    private static void assertNothingIsLost(SortedMap<ByteString, ListedEntry> wanted,
            SortedMap<ByteString, ListedEntry> source, SortedMap<ByteString, ListedEntry> target,
            int[] killedAfterRemovals) {
        killedAfterRemovals[0] += !source.isEmpty() && source.size() < wanted.size() ? 1 : 0;
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

    @Test
    void killedAtAFewMomentsNothingIsLostAndTheNextMoveEndsRight() throws Exception {
        killAtRandomMoments(8, 1);
    }

    @Tag("campaign")
    @Test
    void killedAtManyMomentsNothingIsLostAndTheNextMoveEndsRight() throws Exception {
        killAtRandomMoments(Campaign.cases(300), Campaign.seed(2));
    }
}
