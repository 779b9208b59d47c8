// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.sync.SyncTrees.bytes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.ListedEntry;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.transfer.FatalCalls;
import org.treehaul.core.walk.options.Patterns;

/**
 * A sync that is killed at any call, or suspended before any removal: no file that the source has is ever missing,
 * nothing is removed but what was listed, and the repeated sync leaves the right tree.
 */
class KilledSyncTest {

    private static final int FILES = 90;
    // With one thread, a run of these trees makes about this number of calls.
    private static final int CALLS = 1500;
    private static final Timestamp OLD = new Timestamp(1_000_000_000, 5);

    /** The ways in which a sync removes. */
    enum Mode {
        BEFORE,
        AFTER,
        BACKUP,
        RENAMES;

        private SyncOptions of(SyncOptions options) {
            return switch (this) {
                case BEFORE -> options.withDeletion(SyncOptions.Deletion.BEFORE);
                case AFTER -> options.withDeletion(SyncOptions.Deletion.AFTER);
                case BACKUP -> options.withDeletion(SyncOptions.Deletion.BEFORE).withBackup(bytes("../kept"));
                case RENAMES -> options.withDeletion(SyncOptions.Deletion.AFTER).withDetectedRenames(true);
            };
        }
    }

    static SyncOptions options(Mode mode, int threads) {
        CopyOptions copy = CopyOptions.archive()
                .threads(threads)
                .filter(Patterns.builder().exclude(bytes("*.keep")).build())
                .build();
        return mode.of(SyncOptions.defaults().withCopy(copy));
    }

    private static String name(int i) {
        return "d" + i % 6 + "/e" + i % 2 + "/f" + i;
    }

    private static String moved(int i) {
        return "moved" + i % 2 + "/m" + i;
    }

    private static void makeSource(TreeWriter writer) {
        for (int i = 0; i < FILES; i++) {
            writer.file(bytes(name(i)), i % 9 == 0 ? 2 * FileAccess.BUFFER_BYTES + i : 50 + i, i);
            if (i % 7 == 0) {
                writer.hardLink(bytes(name(i)), bytes("links/l" + i));
            }
        }
        writer.symlink(bytes("d0/link"), bytes("f0"))
                .file(bytes("d1/was-directory"), 70, 1)
                .file(bytes("d2/was-link/now-directory"), 70, 1);
    }

    // A third of the files is equal, a third differs, a third is missing; the rest is in the way, or only here.
    private static void makeCopy(TreeWriter writer) {
        for (int i = 0; i < FILES; i++) {
            if (i % 3 == 1) {
                writer.file(bytes(name(i)), 60 + i, 1000 + i).times(bytes(name(i)), OLD);
            }
            writer.file(bytes("d" + i % 6 + "/only-here" + i % 4 + "/x" + i), 30, i);
        }
        writer.file(bytes("d1/was-directory/content"), 10, 1)
                .symlink(bytes("d2/was-link"), bytes("nowhere"))
                .file(bytes("d3/only-here3/a.keep"), 5, 5)
                .file(bytes("b.keep"), 5, 6);
    }

    private static Map<ByteString, String> contents(Map<ByteString, ListedEntry> listing) {
        Map<ByteString, String> contents = new TreeMap<>();
        listing.forEach((path, entry) -> contents.put(path, entry.status().kind() + entry.content()));
        return contents;
    }

    /** Two trees, and what they were before. */
    private static final class Rig implements AutoCloseable {
        final SyncTrees trees = new SyncTrees();
        final Random random;
        final SortedMap<ByteString, ListedEntry> wanted;
        final SortedMap<ByteString, ListedEntry> old;

        Rig(long seed) throws Exception {
            random = new Random(seed);
            trees.source(KilledSyncTest::makeSource);
            equalFiles();
            trees.copy(KilledSyncTest::makeCopy);
            for (int i = 3; i < FILES; i += 9) {
                Path to = trees.source.resolve(moved(i));
                Files.createDirectories(to.getParent());
                Files.move(trees.source.resolve(name(i)), to);
            }
            wanted = SyncTrees.listing(trees.source).byPath();
            old = SyncTrees.listing(trees.copy).byPath();
        }

        // Those whose number is a multiple of three.
        private void equalFiles() throws Exception {
            Patterns.Builder others = Patterns.builder().exclude(bytes("was-*")).exclude(bytes("link*"));
            for (int i = 0; i < FILES; i++) {
                if (i % 3 != 0) {
                    others.exclude(bytes("f" + i));
                }
            }
            CopyOptions copy = CopyOptions.archive().filter(others.build()).build();
            assertThat(trees.sync(SyncOptions.defaults().withCopy(copy)).isSuccess()).isTrue();
        }

        void assertNothingIsLostOrTorn(Mode mode) {
            if (mode == Mode.BACKUP) {
                assertEachIsKept();
            }
            for (int i = 3; i < FILES && mode == Mode.RENAMES; i += 9) {
                // One with several names is copied.
                boolean isRenamed = i % 7 != 0;
                assertThat(!isRenamed || Files.exists(trees.copy.resolve(name(i)))
                        || Files.exists(trees.copy.resolve(moved(i)))).as(name(i) + " has no name").isTrue();
            }
            assertThat(contents(SyncTrees.listing(trees.source).byPath())).isEqualTo(contents(wanted));
            SortedMap<ByteString, ListedEntry> found = SyncTrees.listing(trees.copy).byPath();
            old.forEach((path, before) -> {
                ListedEntry fresh = wanted.get(path);
                boolean mustBeThere = fresh != null && fresh.status().kind() == before.status().kind()
                        || path.toString().endsWith(".keep");
                assertThat(!mustBeThere || found.containsKey(path)).as(path + " is missing").isTrue();
            });
            found.forEach((path, entry) -> {
                ListedEntry fresh = wanted.get(path);
                ListedEntry before = old.get(path);
                boolean isTemporary = path.toString().contains(".treehaul-");
                assertThat(fresh != null || before != null || isTemporary).as(path + " is neither").isTrue();
                if (entry.status().kind() != EntryKind.REGULAR || isTemporary) {
                    return;
                }
                boolean isNew = fresh != null && entry.content().equals(fresh.content())
                        && entry.status().size() == fresh.status().size();
                boolean isOld = before != null && entry.content().equals(before.content());
                // Only a new file of one buffer may be written under its final name.
                boolean mayBeTorn = fresh != null && (before == null || before.status().kind() != EntryKind.REGULAR)
                        && fresh.status().size() < FileAccess.BUFFER_BYTES;
                assertThat(isNew || isOld || mayBeTorn).as(path + " is torn").isTrue();
                // Else no later run would copy it.
                boolean looksDone = fresh != null && entry.status().size() == fresh.status().size()
                        && entry.status().mtime().equals(fresh.status().mtime());
                assertThat(isNew || !looksDone).as(path + " looks done").isTrue();
            });
        }

        private void assertEachIsKept() {
            Path place = trees.place.resolve("kept");
            Map<ByteString, String> kept = Files.exists(place) ? contents(SyncTrees.listing(place).byPath()) : Map.of();
            Map<ByteString, String> found = contents(SyncTrees.listing(trees.copy).byPath());
            contents(old).forEach((path, content) -> {
                boolean isThere = content.equals(found.get(path)) || content.equals(kept.get(path));
                assertThat(isThere || content.startsWith("DIRECTORY")).as(path + " is lost").isTrue();
            });
        }

        void complete(Mode mode) throws Exception {
            SyncResult result = trees.sync(options(mode, 2));
            assertThat(result.isSuccess()).as("%s %s", result, trees.events).isTrue();
            assertThat(trees.copy.resolve("b.keep")).exists();
            assertThat(trees.copy.resolve("d3/only-here3/a.keep")).exists();
            assertThat(trees.sync(options(mode, 2)).isSame()).as("%s", trees.changes).isTrue();
            Files.delete(trees.copy.resolve("b.keep"));
            // With the last excluded file the directory goes.
            Files.delete(trees.copy.resolve("d3/only-here3/a.keep"));
            assertThat(trees.sync(options(mode, 2)).isSuccess()).isTrue();
            TreeAssert.assertThat(SyncTrees.listing(trees.copy))
                    .ignoring(TreeAssert.Aspect.HOLES)
                    .isCopyOf(SyncTrees.listing(trees.source));
        }

        @Override
        public void close() {
            trees.close();
        }
    }

    private static void killAtACall(long seed, Mode mode) throws Exception {
        try (Rig rig = new Rig(seed)) {
            int threads = 1 + rig.random.nextInt(3);
            for (int kills = 1 + rig.random.nextInt(2); kills > 0; kills--) {
                try (SyncProcess process = new SyncProcess(rig.trees, mode, threads,
                        FatalCalls.kill(rig.random, CALLS))) {
                    process.await();
                }
                rig.assertNothingIsLostOrTorn(mode);
            }
            rig.complete(mode);
        }
    }

    private static void stopAndMakeAnew(long seed, Mode mode) throws Exception {
        try (Rig rig = new Rig(seed)) {
            List<Path> anew = new ArrayList<>();
            try (SyncProcess process = new SyncProcess(rig.trees, mode, 1 + rig.random.nextInt(3),
                    SyncProcess.stop(1 + rig.random.nextInt(FILES)))) {
                assertThat(process.awaitStop()).isTrue();
                anew.addAll(makeAnew(rig));
                process.continueToItsEnd();
            }
            assertThat(anew).allSatisfy(file -> assertThat(file).hasContent("anew"));
            assertThat(contents(SyncTrees.listing(rig.trees.source).byPath())).isEqualTo(contents(rig.wanted));
            rig.complete(mode);
        }
    }

    // A user makes some entries anew that only the destination has, or has had.
    private static List<Path> makeAnew(Rig rig) throws IOException {
        List<Path> made = new ArrayList<>();
        for (int i = 0; i < 15; i++) {
            int number = rig.random.nextInt(FILES);
            Path file = rig.trees.copy.resolve("d" + number % 6 + "/only-here" + number % 4 + "/x" + number);
            if (!made.contains(file)) {
                Files.createDirectories(file.getParent());
                Files.deleteIfExists(file);
                Files.writeString(file, "anew", StandardOpenOption.CREATE_NEW);
                made.add(file);
            }
        }
        return made;
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void killedAtAFewCallsItEndsRightWhenRepeated(Mode mode) throws Exception {
        Campaign.each(1, 1, seed -> killAtACall(seed, mode));
    }

    @ParameterizedTest
    @EnumSource(value = Mode.class, names = {"BEFORE", "AFTER"})
    void suspendedBeforeAFewRemovalsItRemovesNothingThatIsNew(Mode mode) throws Exception {
        Campaign.each(1, 2, seed -> stopAndMakeAnew(seed, mode));
    }

    @Tag("campaign")
    @ParameterizedTest
    @EnumSource(Mode.class)
    void killedAtManyCallsItEndsRightWhenRepeated(Mode mode) throws Exception {
        Campaign.each(Campaign.seed(100), Campaign.cases(150), seed -> killAtACall(seed, mode));
    }

    @Tag("campaign")
    @ParameterizedTest
    @EnumSource(value = Mode.class, names = {"BEFORE", "AFTER"})
    void suspendedBeforeManyRemovalsItRemovesNothingThatIsNew(Mode mode) throws Exception {
        Campaign.each(Campaign.seed(500), Campaign.cases(150), seed -> stopAndMakeAnew(seed, mode));
    }
}
