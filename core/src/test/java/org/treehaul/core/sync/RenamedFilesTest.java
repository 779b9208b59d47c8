// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.core.sync.SyncTrees.bytes;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeAssert.Aspect;

/** Files that were renamed or moved at the source since the last run are renamed at the destination. */
class RenamedFilesTest {

    private static final SyncOptions RENAMING = SyncOptions.defaults()
            .withDeletion(SyncOptions.Deletion.AFTER)
            .withDetectedRenames(true);

    private final SyncTrees trees = new SyncTrees();

    @AfterEach
    void remove() {
        trees.close();
    }

    /** Makes both trees, equal. */
    private void fill() throws Exception {
        trees.source(w -> w.file(bytes("a"), 5, 1)
                .file(bytes("d/b"), 300_000, 2)
                .file(bytes("d/c"), 7, 3)
                .attribute(bytes("d/c"), bytes("user.x"), bytes("1"))
                .file(bytes("d/e/empty"), 0, 4)
                .file(bytes("stays"), 9, 5)
                .symlink(bytes("d/link"), bytes("b")));
        trees.sync(SyncOptions.defaults());
    }

    private static SyncOptions dry(SyncOptions options) {
        return options.withCopy(CopyOptions.archive().dryRun(true).build());
    }

    private long inode(String path) throws IOException {
        return (Long) Files.getAttribute(trees.copy.resolve(path), "unix:ino", LinkOption.NOFOLLOW_LINKS);
    }

    private void move(String from, String to) throws IOException {
        Files.createDirectories(trees.source.resolve(to).getParent());
        Files.move(trees.source.resolve(from), trees.source.resolve(to));
    }

    private void isEqual() {
        TreeAssert.assertThat(SyncTrees.listing(trees.copy))
                .as("%s", trees.events)
                .ignoring(Aspect.HOLES)
                .isCopyOf(SyncTrees.listing(trees.source));
    }

    @Test
    void filesOfARenamedDirectoryAndRenamedFilesAreRenamed() throws Exception {
        fill();
        Map<String, Long> before = new HashMap<>();
        for (String path : List.of("a", "d/b", "d/c")) {
            before.put(path, inode(path));
        }
        move("d", "new/x");
        move("a", "new/x/e/other");
        SyncResult dry = trees.sync(dry(RENAMING));
        List<String> announced = trees.sortedChanges();
        SyncResult result = trees.sync(RENAMING);
        assertThat(trees.sortedChanges()).isEqualTo(announced)
                .containsExactly("*deleting   d/", "*deleting   d/e/", "*deleting   d/e/empty", "*deleting   d/link",
                        "*renaming   new/x/b", "*renaming   new/x/c", "*renaming   new/x/e/other", ".d..t...... ./",
                        ">f+++++++++ new/x/e/empty", "cL+++++++++ new/x/link", "cd+++++++++ new/", "cd+++++++++ new/x/",
                        "cd+++++++++ new/x/e/");
        isEqual();
        assertThat(List.of(inode("new/x/e/other"), inode("new/x/b"), inode("new/x/c")))
                .isEqualTo(List.of(before.get("a"), before.get("d/b"), before.get("d/c")));
        assertThat(List.of(result.renamed(), result.copied(), result.removed(), result.directories(), result.bytes()))
                .isEqualTo(List.of(3L, 2L, 4L, 3L, 0L))
                .isEqualTo(List.of(dry.renamed(), dry.copied(), dry.removed(), dry.directories(), dry.bytes()));
        assertThat(trees.sync(RENAMING).isSame()).as("%s", trees.changes).isTrue();
    }

    @Test
    void aFileWithOtherDataOfEqualSizeAndTimeIsCopied() throws Exception {
        fill();
        FileTime time = Files.getLastModifiedTime(trees.source.resolve("d/b"));
        move("d/b", "d/b2");
        byte[] data = Files.readAllBytes(trees.source.resolve("d/b2"));
        data[299_999]++;
        Files.write(trees.source.resolve("d/b2"), data);
        Files.setLastModifiedTime(trees.source.resolve("d/b2"), time);
        SyncResult result = trees.sync(RENAMING);
        assertThat(List.of(result.renamed(), result.copied(), result.removed())).isEqualTo(List.of(0L, 1L, 1L));
        isEqual();
    }

    @ParameterizedTest
    @ValueSource(strings = {"mode", "attribute", "time"})
    void aFileWithOtherAttributesIsCopied(String what) throws Exception {
        fill();
        move("d/c", "c2");
        switch (what) {
            case "mode" -> trees.source(w -> w.mode(bytes("c2"), 0600));
            case "attribute" -> trees.source(w -> w.attribute(bytes("c2"), bytes("user.x"), bytes("2")));
            default -> Files.setLastModifiedTime(trees.source.resolve("c2"), FileTime.fromMillis(77_000));
        }
        assertThat(trees.sync(RENAMING).renamed()).isZero();
        isEqual();
    }

    @Test
    void filesWithSeveralNamesAreCopied() throws Exception {
        fill();
        trees.source(w -> w.hardLink(bytes("a"), bytes("a2")));
        trees.sync(SyncOptions.defaults());
        move("a", "x/a");
        move("a2", "x/a2");
        assertThat(trees.sync(RENAMING).renamed()).isZero();
        isEqual();
        // At the source one name is left, at the destination there are two.
        Files.delete(trees.source.resolve("x/a"));
        move("x/a2", "y/a");
        assertThat(trees.sync(RENAMING).renamed()).isZero();
        isEqual();
    }

    @Test
    void eachOfSeveralEqualFilesIsRenamedOnce() throws Exception {
        FileTime time = FileTime.fromMillis(1_000_000_123);
        for (int i = 0; i < 40; i++) {
            Path file = trees.source.resolve("d" + i % 4 + "/f" + i);
            Files.createDirectories(file.getParent());
            Files.writeString(file, i % 3 == 0 ? "same" : "othe");
            Files.setLastModifiedTime(file, time);
        }
        trees.sync(SyncOptions.defaults());
        for (int i = 0; i < 4; i++) {
            move("d" + i, "e" + i);
        }
        SyncResult result = trees.sync(RENAMING);
        assertThat(List.of(result.renamed(), result.copied(), result.removed())).isEqualTo(List.of(40L, 0L, 4L));
        isEqual();
    }

    @Test
    void aNewDestinationIsCopiedWithoutANotice() throws Exception {
        trees.source(w -> w.file(bytes("a"), 5, 1).file(bytes("b/a"), 5, 1));
        String to = trees.place.resolve("new").toString();
        SyncResult result = trees.sync(Linux.calls(), RENAMING, trees.source.toString(), to);
        assertThat(List.of(result.copied(), result.renamed())).isEqualTo(List.of(2L, 0L));
        assertThat(trees.events).isEmpty();
        TreeAssert.assertThat(SyncTrees.listing(trees.place.resolve("new/s")))
                .isCopyOf(SyncTrees.listing(trees.source));
    }

    // Without anything to remove, nothing can have been renamed.
    @Test
    void aSecondFileWithTheSameDataIsCopied() throws Exception {
        fill();
        Files.createDirectory(trees.source.resolve("c"));
        Files.copy(trees.source.resolve("a"), trees.source.resolve("c/a"), StandardCopyOption.COPY_ATTRIBUTES);
        assertThat(trees.sync(RENAMING).copied()).isEqualTo(1);
        isEqual();
    }

    // As far as the list goes nothing is lost: the files are in the source.
    @Test
    void aRenameOfMoreThanHalfOfALargeCopyIsNotRefused() throws Exception {
        trees.source(w -> {
            for (int i = 0; i < 1100; i++) {
                w.file(bytes("d/f" + i), 3, i);
            }
        });
        trees.sync(SyncOptions.defaults());
        move("d", "e");
        SyncResult result = trees.sync(RENAMING.withMostRemovals(1));
        assertThat(List.of(result.renamed(), result.removed(), result.kept())).isEqualTo(List.of(1100L, 1L, 0L));
        isEqual();
    }

    private SyncResult meanwhile(SyncOptions options, Runnable work) throws Exception {
        AtomicBoolean isDone = new AtomicBoolean();
        trees.events.clear();
        return TreeSync.of(Linux.calls(), options, trees.place.path())
                .sync(bytes(trees.source + "/"), bytes(trees.copy.toString()), change -> {
                    // The data were compared, and the copy comes next.
                    if (change.action() == Change.Action.RENAME && !isDone.getAndSet(true)) {
                        work.run();
                    }
                }, event -> trees.events.add(event.toString()), new Progress(), new Cancellation());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFileThatChangesAfterTheComparisonIsNotRenamed(boolean isAtSource) throws Exception {
        fill();
        move("d/b", "b2");
        Path changed = isAtSource ? trees.source.resolve("b2") : trees.copy.resolve("d/b");
        FileTime time = Files.getLastModifiedTime(changed);
        SyncResult result = meanwhile(RENAMING, () -> {
            try {
                byte[] data = Files.readAllBytes(changed);
                data[9]++;
                Files.write(changed, data);
                Files.setLastModifiedTime(changed, time);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        assertThat(result.renamed()).isZero();
        isEqual();
    }

    @Test
    void aFileThatTakesThePlaceOfARenamedOneStays() throws Exception {
        fill();
        move("d/b", "b2");
        SyncResult result = meanwhile(RENAMING, () -> trees.copy(w -> w.remove(bytes("d/b")).file(bytes("d/b"), 4, 4)));
        assertThat(List.of(result.renamed(), result.copied(), result.removed())).isEqualTo(List.of(0L, 1L, 0L));
        assertThat(trees.events).singleElement().asString().contains("d/b", "changed concurrently");
        assertThat(trees.copy.resolve("d/b")).hasSize(4);
        assertThat(trees.sync(RENAMING).removed()).isEqualTo(1);
        isEqual();
    }

    @Test
    void withoutRenamesThatReplaceNothingTheFileGetsItsNewNameByALink() throws Exception {
        fill();
        long inode = inode("d/b");
        move("d/b", "b2");
        SyncResult result = trees.sync(
                FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.RENAMEAT2).named("b").fails(Errno.EINVAL)),
                RENAMING);
        assertThat(List.of(result.renamed(), result.removed())).isEqualTo(List.of(1L, 0L));
        assertThat(inode("b2")).isEqualTo(inode);
        isEqual();
    }

    @Test
    void aFileThatCannotBeRenamedIsCopied() throws Exception {
        fill();
        move("d/b", "b2");
        SyncResult result = trees.sync(
                FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.RENAMEAT2).named("b").fails(Errno.EXDEV)),
                RENAMING);
        assertThat(List.of(result.renamed(), result.copied(), result.removed())).isEqualTo(List.of(0L, 1L, 1L));
        assertThat(trees.events).singleElement()
                .asString()
                .contains("some renamed files are copied: rename: Invalid", "EXDEV");
        isEqual();
    }

    private TreeSync.Survey survey(FileSystemCalls calls, OutputStream list, Cancellation cancellation)
            throws Exception {
        trees.events.clear();
        return TreeSync.of(calls, RENAMING, trees.place.path())
                .survey(bytes(trees.source + "/"), bytes(trees.copy.toString()), list,
                        event -> trees.events.add(event.toString()), new Progress(), cancellation);
    }

    @Test
    void aSurveyThatRenamesReportsEachFailureOnce() throws Exception {
        trees.source(w -> w.file(bytes("a"), 9, 1).file(bytes("shut/f"), 9, 2));
        trees.sync(SyncOptions.defaults());
        Files.move(trees.source.resolve("a"), trees.source.resolve("b"));
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.GETDENTS64).named("shut").endsListing(0, Errno.EIO));
        assertThat(survey(calls, new ByteArrayOutputStream(), new Cancellation()).renamed()).isOne();
        assertThat(trees.events).isNotEmpty().doesNotHaveDuplicates();
    }

    @Test
    void aSurveyThatIsStoppedSaysWhatItRenamed() throws Exception {
        trees.source(w -> w.file(bytes("a"), 9, 1));
        trees.sync(SyncOptions.defaults());
        Files.move(trees.source.resolve("a"), trees.source.resolve("b"));
        Cancellation stop = new Cancellation();
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.RENAMEAT2).runs(call -> stop.cancel()));
        TreeSync.Survey survey = survey(calls, new ByteArrayOutputStream(), stop);
        assertThat(survey.isComplete()).isFalse();
        assertThat(survey.renamed()).isOne();
        assertThat(trees.copy.resolve("b")).exists();
    }

    @Test
    void aSurveyLeavesWhatCannotBeRenamedToTheJobs() throws Exception {
        trees.source(w -> w.file(bytes("a"), 9, 1));
        trees.sync(SyncOptions.defaults());
        Files.move(trees.source.resolve("a"), trees.source.resolve("b"));
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.RENAMEAT2).fails(Errno.EXDEV));
        ByteArrayOutputStream list = new ByteArrayOutputStream();
        assertThat(survey(calls, list, new Cancellation()).renamed()).isZero();
        assertThat(list).hasToString("b\0");
        assertThat(trees.copy.resolve("a")).exists();
        assertThat(trees.copy.resolve("b")).doesNotExist();
        assertThat(trees.events).singleElement().asString().contains("rename");
    }

    @Test
    void aSurveyDoesNotRefuseAfterItsFirstRenameWhatItAcceptedBefore() throws Exception {
        int files = 1_200;
        trees.source(w -> {
            for (int i = 0; i < files; i++) {
                w.file(bytes("old/f" + i), 8, i);
            }
        });
        trees.sync(SyncOptions.defaults());
        move("old", "new");
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.RENAMEAT2).from(2).fails(Errno.EXDEV));
        ByteArrayOutputStream list = new ByteArrayOutputStream();
        TreeSync.Survey survey = survey(calls, list, new Cancellation());
        assertThat(survey.isComplete()).isTrue();
        assertThat(survey.renamed()).isOne();
        assertThat(survey.listed()).isEqualTo(files - 1);
    }

    @Test
    void renamedFilesNeedNoBackup() throws Exception {
        fill();
        move("d", "x");
        Files.delete(trees.source.resolve("stays"));
        assertThat(trees.sync(RENAMING.withBackup(bytes("../kept"))).renamed()).isEqualTo(2);
        isEqual();
        assertThat(trees.copy.resolve("x/b")).exists();
        try (Stream<Path> kept = Files.walk(trees.place.resolve("kept"))) {
            assertThat(kept.filter(path -> !Files.isDirectory(path)).map(path -> path.getFileName().toString()))
                    .containsExactlyInAnyOrder("stays", "empty", "link");
        }
    }

    @Test
    void renamesNeedRemovalsAfterTheCopyAndACheck() {
        for (SyncOptions options : List.of(SyncOptions.defaults(),
                SyncOptions.defaults().withDeletion(SyncOptions.Deletion.BEFORE),
                SyncOptions.defaults().withDeletion(SyncOptions.Deletion.AFTER).withCheck(SyncOptions.Check.NONE))) {
            assertThatThrownBy(() -> options.withDetectedRenames(true)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    /** Renames and moves random entries of a tree, and makes and removes some. */
    private static void shuffle(Path root, Random random) throws IOException {
        for (int i = 0; i < 12; i++) {
            List<Path> all = new ArrayList<>();
            try (Stream<Path> paths = Files.walk(root)) {
                paths.sorted().forEach(all::add);
            }
            Path one = all.get(random.nextInt(all.size()));
            Path into = all.get(random.nextInt(all.size()));
            Path to = (Files.isDirectory(into, LinkOption.NOFOLLOW_LINKS)
                    ? into
                    : Objects.requireNonNull(into.getParent())).resolve("m" + random.nextInt(30));
            if (one.equals(root) || to.startsWith(one) || Files.exists(to, LinkOption.NOFOLLOW_LINKS)
                    || into.equals(root) && !Files.isDirectory(into)) {
                continue;
            }
            if (random.nextInt(6) == 0 && Files.isRegularFile(one, LinkOption.NOFOLLOW_LINKS)) {
                Files.copy(one, to, StandardCopyOption.COPY_ATTRIBUTES);
            } else {
                Files.move(one, to);
            }
        }
    }

    private static void compare(long seed) throws Exception {
        try (SyncTrees trees = new SyncTrees()) {
            SyncTrees.random(trees.source, seed);
            assertThat(trees.sync(SyncOptions.defaults()).isSuccess()).isTrue();
            shuffle(trees.source, new Random(seed));
            SyncOptions forced = RENAMING.withForced(true).withListsBelow(true);
            SyncResult dry = trees.sync(Linux.calls(), dry(forced), trees.source + "/", trees.copy.toString());
            List<String> announced = trees.sortedChanges();
            SyncResult result = trees.sync(forced);
            String report = "seed " + seed + " " + result + trees.changes + trees.events;
            assertThat(result.isSuccess()).as(report).isTrue();
            assertThat(result.renamed()).as(report).isEqualTo(dry.renamed());
            assertThat(result.removed()).as(report).isEqualTo(dry.removed());
            // Which of several equal files is renamed to which name depends on the order, but not how many.
            assertThat(trees.changes).as(report).hasSameSizeAs(announced);
            TreeAssert.assertThat(SyncTrees.listing(trees.copy))
                    .as(report)
                    .ignoring(Aspect.HOLES)
                    .isCopyOf(SyncTrees.listing(trees.source));
            assertThat(trees.sync(forced).isSame()).as(report + " again " + trees.changes).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void aSyncOfShuffledTreesLeavesEqualTrees(int seed) throws Exception {
        compare(seed);
    }

    @Test
    @Tag("campaign")
    void manySyncsOfShuffledTreesLeaveEqualTrees() throws Exception {
        Campaign.each(Campaign.seed(7000), Campaign.cases(1000), RenamedFilesTest::compare);
    }
}
