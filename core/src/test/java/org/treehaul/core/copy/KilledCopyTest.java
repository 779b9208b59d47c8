// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.copy.Copies.path;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.HostileTree;
import org.treehaul.core.testing.JavaCommand;
import org.treehaul.core.testing.ListedEntry;
import org.treehaul.core.testing.Ready;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeAssert.Aspect;
import org.treehaul.core.testing.TreeRemoval;
import org.treehaul.core.testing.TreeWriter;

/**
 * A copy that is killed at any moment: no old file is lost, every new file is complete, and a repeated copy succeeds.
 */
class KilledCopyTest {

    private static final int SMALL = 150;
    private static final int MEDIUM = 20;
    private static final int LARGE = 4;

    private static void make(TreeWriter writer) {
        for (int i = 0; i < SMALL; i++) {
            writer.file(path("d" + i % 10 + "/small" + i), 100 + i, i);
        }
        for (int i = 0; i < MEDIUM; i++) {
            writer.file(path("d" + i % 10 + "/medium" + i), 300_000 + i, i)
                    .hardLink(path("d" + i % 10 + "/medium" + i), path("e" + i % 3 + "/link" + i));
        }
        for (int i = 0; i < LARGE; i++) {
            writer.file(path("e0/large" + i), 3L * HostileTree.CHUNK_BYTES + i, i);
        }
        writer.symlink(path("e1/symlink"), path("nowhere")).special(path("e1/fifo"), EntryKind.FIFO, 0);
    }

    private static void makeOld(TreeWriter writer) {
        for (int i = 0; i < SMALL; i += 2) {
            writer.file(path("d" + i % 10 + "/small" + i), 200 + i, 1000 + i);
        }
        for (int i = 0; i < MEDIUM; i++) {
            writer.file(path("d" + i % 10 + "/medium" + i), 250_000 + i, 1000 + i)
                    .file(path("e" + i % 3 + "/link" + i), 20 + i, 2000 + i);
        }
        for (int i = 0; i < LARGE; i++) {
            writer.file(path("e0/large" + i), 2L * HostileTree.CHUNK_BYTES + i, 1000 + i);
        }
    }

    private static void killAtRandomMoments(String way, int kills, long seed) throws Exception {
        try (Copies copies = way.equals(CopyProcess.DIRECT) ? Copies.onDisk() : Copies.onTmpfs()) {
            copies.with(KilledCopyTest::make);
            SortedMap<ByteString, ListedEntry> wanted = copies.sourceListing().byPath();
            long nanos = timeOfOne(copies, way);
            Random random = new Random(seed);
            for (int i = 0; i < kills; i++) {
                if (Files.exists(copies.target())) {
                    TreeRemoval.remove(Linux.calls(), copies.target());
                }
                SortedMap<ByteString, ListedEntry> old = new TreeMap<>();
                if (i % 3 != 0) {
                    copies.there(KilledCopyTest::makeOld);
                    old = copies.targetListing().byPath();
                }
                killed(copies, way, random.nextLong(nanos), 1 + random.nextInt(4));
                if (i % 5 == 4) {
                    // Killed once more, on top of the remains of the first.
                    killed(copies, way, random.nextLong(nanos), 2);
                }
                assertNothingIsTorn(copies, wanted, old);
                copies.copy(CopyProcess.options(way).threads(2).chunkBytes(HostileTree.CHUNK_BYTES).build()).succeeds();
                copies.hasNoTemporaries();
                TreeAssert whole = TreeAssert.assertThat(copies.targetListing());
                if (way.equals(CopyProcess.PLAIN)) {
                    whole.ignoring(Aspect.TIMES, Aspect.DIRECTORY_TIMES, Aspect.LINKS);
                }
                whole.isCopyOf(copies.sourceListing());
            }
        }
    }

    private static long timeOfOne(Copies copies, String way) throws Exception {
        Process process = CopyProcess.start(List.of(), JavaCommand.classPath(), copies, 2, way);
        BufferedReader output = Ready.await(process);
        long start = System.nanoTime();
        assertThat(output.readLine()).isEqualTo("COMPLETE");
        long nanos = System.nanoTime() - start;
        process.waitFor();
        return nanos;
    }

    private static void killed(Copies copies, String way, long afterNanos, int threads) throws Exception {
        Process process = CopyProcess.start(List.of(), JavaCommand.classPath(), copies, threads, way);
        Ready.await(process);
        TimeUnit.NANOSECONDS.sleep(afterNanos);
        process.destroyForcibly().waitFor();
    }

    private static void assertNothingIsTorn(Copies copies, SortedMap<ByteString, ListedEntry> wanted,
            SortedMap<ByteString, ListedEntry> old) throws IOException {
        if (!Files.exists(copies.target())) {
            return;
        }
        SortedMap<ByteString, ListedEntry> found = copies.targetListing().byPath();
        assertThat(found.keySet()).containsAll(old.keySet());
        found.forEach((path, entry) -> {
            ListedEntry fresh = wanted.get(path);
            ListedEntry before = old.get(path);
            if (entry.status().kind() != EntryKind.REGULAR || fresh == null) {
                assertThat(fresh != null || path.toString().contains(".treehaul-")).isTrue();
                return;
            }
            boolean isNew = entry.content().equals(fresh.content()) && entry.status().size() == fresh.status().size();
            boolean isOld = before != null && entry.content().equals(before.content());
            // Only a new file of one buffer may be written under its final name.
            boolean mayBeTorn = before == null && fresh.status().size() < FileAccess.BUFFER_BYTES;
            assertThat(isNew || isOld || mayBeTorn).as(path.toString()).isTrue();
            // Programs like -u and rsync, which recognize a finished copy by size and time, are not deceived.
            boolean looksDone = entry.status().size() == fresh.status().size()
                    && entry.status().mtime().equals(fresh.status().mtime());
            assertThat(isNew || !looksDone).as(path + " looks done").isTrue();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {CopyProcess.ARCHIVE, CopyProcess.PLAIN})
    void killedAtAFewMomentsItEndsRightWhenMadeAgain(String way) throws Exception {
        killAtRandomMoments(way, 4, 1);
    }

    @Test
    void killedWhileItPassesByTheCacheItEndsRightWhenMadeAgain() throws Exception {
        killAtRandomMoments(CopyProcess.DIRECT, 2, 3);
    }

    @Tag("campaign")
    @ParameterizedTest
    @ValueSource(strings = {CopyProcess.ARCHIVE, CopyProcess.PLAIN, CopyProcess.DIRECT})
    void killedAtManyMomentsItEndsRightWhenMadeAgain(String way) throws Exception {
        killAtRandomMoments(way, Campaign.cases(300), Campaign.seed(2));
    }
}
