// SPDX-License-Identifier: Apache-2.0
package org.treehaul.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.SortedMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.compare.CompareOptions;
import org.treehaul.core.compare.CompareResult;
import org.treehaul.core.compare.TreeComparer;
import org.treehaul.core.copy.TreeCopier;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.ListedEntry;
import org.treehaul.core.testing.Names;
import org.treehaul.core.testing.RandomTree;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.options.Root;
import org.treehaul.packaged.Run;

/**
 * Copies random hostile trees and compares them both ways, by the library and by rsync(1) as an independent judge. Then
 * it changes each copy in one place, which both must detect, and copies again.
 *
 * <p>
 * It prints the seed; {@code -Dtreehaul.seed=N} makes the same trees again.
 */
class RandomTreesTest {

    // The number of trees that share one run of rsync, which costs more than a tree.
    private static final int BATCH = 50;
    private static final CompareOptions EXACT = CompareOptions.defaults().withContent(true).withThreads(2);

    @Test
    void copiesOfSomeRandomTreesAreEqualAndChangesAreFound() throws Exception {
        copyAndCompare(100);
    }

    @Tag("campaign")
    @Test
    void copiesOfManyRandomTreesAreEqualAndChangesAreFound() throws Exception {
        copyAndCompare(Campaign.cases(10_000));
    }

    private static void copyAndCompare(int trees) throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/rsync")), "rsync is not installed");
        long seed = Long.getLong("treehaul.seed", System.nanoTime());
        System.out.println("RandomTreesTest: -Dtreehaul.seed=" + seed);
        Random random = new Random(seed);
        for (int done = 0; done < trees; done += BATCH) {
            try (TestDirectory directory = TestDirectory.onTmpfs()) {
                batch(directory, random, "seed " + seed + ", trees from " + done);
            }
        }
    }

    private static void batch(TestDirectory directory, Random random, String what) throws Exception {
        Path sources = directory.directory("sources");
        Path copies = directory.directory("copies");
        for (int i = 0; i < BATCH; i++) {
            Path source = Files.createDirectory(sources.resolve("t" + i));
            RandomTree.make(Linux.calls(), source, random.nextLong(), random.nextInt(60));
            copy(source, copies.resolve("t" + i), random, what);
            assertThat(compare(source, copies.resolve("t" + i)).isSame()).as("%s, t%d", what, i).isTrue();
            assertThat(compare(copies.resolve("t" + i), source).isSame()).as("%s, t%d", what, i).isTrue();
        }
        setTimesAlike(sources, copies);
        assertThat(rsync(sources, copies)).as(what).isEmpty();
        assertThat(rsync(copies, sources)).as(what).isEmpty();

        List<String> changes = new ArrayList<>();
        for (int i = 0; i < BATCH; i++) {
            changes.add(change(copies.resolve("t" + i), random));
        }
        setTimesAlike(sources, copies);
        List<String> told = rsync(sources, copies);
        for (int i = 0; i < BATCH; i++) {
            String tree = "t" + i;
            String here = what + ", " + tree + ": " + changes.get(i);
            assertThat(told).as(here).anyMatch(line -> line.matches("(?s)\\S+\\s+" + tree + "/.*"));
            assertThat(compare(sources.resolve(tree), copies.resolve(tree)).isSame()).as(here).isFalse();
            assertThat(compare(copies.resolve(tree), sources.resolve(tree)).isSame()).as(here).isFalse();
            if (!changes.get(i).startsWith("more ")) {
                // Entries that only the copy has stay there; all others equal the source after another copy.
                copy(sources.resolve(tree), copies.resolve(tree), random, here);
                assertThat(compare(sources.resolve(tree), copies.resolve(tree)).isSame()).as(here).isTrue();
            }
        }
    }

    private static void copy(Path from, Path to, Random random, String what) {
        CopyOptions options = CopyOptions.archive()
                .threads(1 + random.nextInt(4))
                .chunkBytes(random.nextBoolean() ? 1 << 20 : 1L << 30)
                .verify(random.nextInt(4) == 0 ? CopyOptions.Verify.XXH3 : CopyOptions.Verify.NONE)
                .build();
        List<String> told = new ArrayList<>();
        EventListener listener = event -> {
            synchronized (told) {
                told.add(event.toString());
            }
        };
        assertThat(TreeCopier.of(Linux.calls(), options)
                .copy(List.of(new CopyPair(Root.of(bytes(from)), bytes(to))), listener, new Progress(),
                        new Cancellation())
                .isSuccess()).as("%s: %s", what, told).isTrue();
    }

    private static CompareResult compare(Path a, Path b) {
        CompareResult result = TreeComparer.of(Linux.calls(), EXACT)
                .compare(Root.of(bytes(a)), bytes(b), difference -> {
                }, EventListener.none(), new Progress(), new Cancellation());
        assertThat(result.hasTrouble()).isFalse();
        return result;
    }

    private static ByteString bytes(Path path) {
        return ByteString.of(path.toString());
    }

    /** Sets the times of the batch's directories, which belong to the test. */
    private static void setTimesAlike(Path... directories) {
        for (Path directory : directories) {
            try (TreeWriter writer = TreeWriter.in(Linux.calls(), directory)) {
                writer.times(ByteString.empty(), new Timestamp(1_000_000, 0));
            }
        }
    }

    /** Returns the changes that rsync would make to the second tree to make it equal to the first. */
    private static List<String> rsync(Path from, Path to) throws IOException, InterruptedException {
        Run run = Run.of("rsync", "-aHAXn", "--itemize-changes", "--checksum", "--delete", from + "/", to + "/")
                .expect(0);
        return Stream.of(run.out().split("\n")).filter(line -> !line.isEmpty()).toList();
    }

    /** Changes a tree in one place; returns a description of the change. */
    private static String change(Path tree, Random random) throws IOException {
        SortedMap<ByteString, ListedEntry> listed = TreeListing.of(Linux.calls(), tree).byPath();
        List<ByteString> paths = new ArrayList<>(listed.keySet());
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), tree)) {
            for (int tries = 0; tries < 50; tries++) {
                ByteString path = paths.get(random.nextInt(paths.size()));
                FileStatus status = Objects.requireNonNull(listed.get(path)).status();
                String done = change(writer, path, status, random);
                if (!done.isEmpty()) {
                    return done + " " + path;
                }
            }
            writer.directory(ByteString.of("new"));
            return "more new";
        }
    }

    private static String change(TreeWriter writer, ByteString path, FileStatus status, Random random) {
        EntryKind kind = status.kind();
        boolean isWritable = (status.permissions() & 0200) != 0;
        switch (random.nextInt(6)) {
            case 0 -> {
                writer.times(path, new Timestamp(status.mtimeSeconds() + 1, status.mtimeNanos()));
                return "time";
            }
            case 1 -> {
                if (kind != EntryKind.SYMLINK) {
                    writer.mode(path, status.permissions() ^ 0020);
                    return "mode";
                }
            }
            case 2 -> {
                if (path.length() > 0 && (kind == EntryKind.REGULAR && isWritable || kind == EntryKind.DIRECTORY)) {
                    writer.attribute(path, ByteString.of("user.changed"), ByteString.of("1"));
                    // A copy removes nothing from an existing directory.
                    return kind == EntryKind.DIRECTORY ? "more attributes" : "attribute";
                }
            }
            case 3 -> {
                if (kind == EntryKind.REGULAR && isWritable && status.size() > 0) {
                    // Neither size nor time shows the change.
                    writer.flipByte(path, random.nextLong(status.size())).times(path, status.mtime());
                    return "content";
                }
            }
            case 4 -> {
                if (kind == EntryKind.DIRECTORY) {
                    ByteString more = Names.join(path, "a new one");
                    switch (random.nextInt(4)) {
                        case 0 -> writer.directory(more);
                        case 1 -> writer.symlink(more, ByteString.of("x"));
                        case 2 -> writer.special(more, EntryKind.FIFO, 0);
                        default -> writer.file(more, 1, 1);
                    }
                    writer.times(path, status.mtime());
                    return "more";
                }
            }
            case 5 -> {
                if (kind != EntryKind.DIRECTORY) {
                    writer.remove(path);
                    return "removed";
                }
            }
            default -> {
            }
        }
        return "";
    }
}
