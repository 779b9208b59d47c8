// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.core.sync.SyncTrees.bytes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.NetworkLike;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.options.Patterns;

class TreeSyncTest {

    private static final SyncOptions COPYING = SyncOptions.defaults();
    private static final SyncOptions DELETING = COPYING.withDeletion(SyncOptions.Deletion.BEFORE);

    private final SyncTrees trees = new SyncTrees();

    @AfterEach
    void remove() {
        trees.close();
    }

    private static void files(TreeWriter writer, String prefix, int count) {
        for (int i = 0; i < count; i++) {
            writer.file(bytes(prefix + i), 3, i);
        }
    }

    private void isEqual() {
        TreeAssert.assertThat(SyncTrees.listing(trees.copy)).isCopyOf(SyncTrees.listing(trees.source));
    }

    private static long inode(Path path) throws IOException {
        return (Long) Files.getAttribute(path, "unix:ino", LinkOption.NOFOLLOW_LINKS);
    }

    @Test
    void onlyWhatDiffersIsCopied() throws Exception {
        trees.source(w -> files(w.directory(bytes("e")), "f", 9));
        assertThat(trees.sync(COPYING).copied()).isEqualTo(9);
        isEqual();
        long kept = inode(trees.copy.resolve("f1"));
        Files.writeString(trees.source.resolve("f2"), "other");
        Files.createDirectory(trees.source.resolve("e/new"));
        SyncResult result = trees.sync(COPYING);
        assertThat(result.copied()).isEqualTo(1);
        assertThat(result.directories()).isEqualTo(1);
        assertThat(inode(trees.copy.resolve("f1"))).isEqualTo(kept);
        isEqual();
        assertThat(trees.sync(COPYING).isSame()).isTrue();
    }

    @Test
    void onFatFilesOfOddSecondsAreNotCopiedAgainAndRenamedOnesAreFound() throws Exception {
        trees.source(w -> w.file(bytes("d/f"), 9, 1).times(bytes("d/f"), new Timestamp(1_000_000_001, 5)));
        trees.sync(COPYING);
        FileSystemCalls fat = NetworkLike.keepingTimesTo(2_000_000_000, trees.copy);
        assertThat(trees.sync(fat, COPYING).isSame()).isTrue();
        assertThat(trees.events).singleElement().asString().contains("two seconds", trees.copy.toString());
        Files.move(trees.source.resolve("d/f"), trees.source.resolve("d/g"));
        SyncResult result = trees.sync(fat, COPYING.withDeletion(SyncOptions.Deletion.AFTER).withDetectedRenames(true));
        assertThat(result.renamed()).as(trees.events + " " + result).isOne();
        assertThat(result.copied()).isZero();
    }

    @Test
    void attributesChangeInPlace() throws Exception {
        trees.source(w -> files(w, "f", 2));
        trees.sync(COPYING);
        long inode = inode(trees.copy.resolve("f0"));
        trees.source(w -> w.mode(bytes("f0"), 0400).attribute(bytes("f0"), bytes("user.a"), bytes("1")));
        SyncResult result = trees.sync(COPYING);
        assertThat(trees.changes).containsExactly(".f...p....x f0");
        assertThat(result.copied()).isZero();
        assertThat(result.attributes()).isEqualTo(1);
        assertThat(inode(trees.copy.resolve("f0"))).isEqualTo(inode);
        trees.source(w -> w.mode(bytes("f0"), 0644));
        trees.sync(COPYING);
        isEqual();
    }

    @Test
    void anInterruptEndsTheSyncEarlyWithAResult() throws Exception {
        trees.source(w -> files(w.directory(bytes("old")), "old/f", 9));
        trees.sync(COPYING);
        trees.source(w -> {
            files(w.directory(bytes("new")), "new/f", 9);
            for (int i = 0; i < 9; i++) {
                w.mode(bytes("old/f" + i), 0600);
            }
        });
        Thread caller = Thread.currentThread();
        FileSystemCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.MKDIRAT).runs(call -> caller.interrupt()));
        SyncResult result;
        try {
            result = trees.sync(calls, COPYING);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(result.failures()).as(trees.events.toString()).isEmpty();
        assertThat(trees.sync(COPYING).isSuccess()).isTrue();
        isEqual();
    }

    // Else the copy would have the new time with the old data, and no later run would copy it.
    @Test
    void aFileThatChangesAfterTheComparisonGetsNoAttributes() throws Exception {
        trees.source(w -> files(w, "f", 1));
        trees.sync(COPYING);
        trees.source(w -> w.mode(bytes("f0"), 0600));
        AtomicBoolean isChanged = new AtomicBoolean();
        SyncResult result = TreeSync.of(Linux.calls(), COPYING, trees.place.path())
                .sync(bytes(trees.source + "/"), bytes(trees.copy.toString()), change -> {
                    if (!isChanged.getAndSet(true)) {
                        trees.source(w -> w.file(bytes("f1"), 0, 0).remove(bytes("f0")).file(bytes("f0"), 3, 77));
                    }
                }, event -> trees.events.add(event.toString()), new Progress(), new Cancellation());
        assertThat(result.isSuccess()).isFalse();
        assertThat(trees.events).singleElement().asString().contains("changed concurrently", "f0");
        assertThat(trees.sync(COPYING).isSuccess()).isTrue();
        isEqual();
    }

    @Test
    void aNewNameOfAnExistingFileBecomesALinkToItsCopy() throws Exception {
        trees.source(w -> w.directory(bytes("d")).file(bytes("a"), 5, 1));
        trees.sync(COPYING);
        trees.source(
                w -> w.hardLink(bytes("a"), bytes("d/b")).directory(bytes("new")).hardLink(bytes("a"), bytes("new/c")));
        trees.sync(COPYING);
        isEqual();
        assertThat(trees.sync(COPYING).isSame()).as("%s", trees.changes).isTrue();
    }

    @Test
    void aNameThatGetsItsMissingOtherNameAlsoGetsItsAttributes() throws Exception {
        for (String gone : List.of("a", "b", "d/c")) {
            trees.source(w -> w.directory(bytes("d"))
                    .file(bytes("a"), 5, 1)
                    .hardLink(bytes("a"), bytes("b"))
                    .hardLink(bytes("a"), bytes("d/c")));
            trees.sync(COPYING);
            trees.copy(w -> w.remove(bytes(gone)).mode(bytes(gone.equals("a") ? "b" : "a"), 0600));
            assertThat(trees.sync(COPYING).isSuccess()).as("%s %s", gone, trees.events).isTrue();
            isEqual();
            trees.source(w -> w.remove(bytes("a")).remove(bytes("b")).remove(bytes("d/c")));
            trees.sync(DELETING);
        }
    }

    @ParameterizedTest
    @CsvSource({"s,d,d/s", "s/,d,d", "s/,new,new", "s/.,d,d", "s,new,new/s", "s//,d/,d"})
    void theSlashOfTheSourceDecidesWhereTheCopyIs(String from, String to, String expected) throws Exception {
        trees.source(w -> files(w, "f", 2));
        Path base = trees.place.path();
        trees.sync(Linux.calls(), COPYING, base + "/" + from, base + "/" + to);
        TreeAssert.assertThat(SyncTrees.listing(base.resolve(expected))).isCopyOf(SyncTrees.listing(trees.source));
        assertThat(trees.sync(Linux.calls(), COPYING, base + "/" + from, base + "/" + to).isSame())
                .as("%s", trees.changes)
                .isTrue();
    }

    @Test
    void aSingleFileIsSynced() throws Exception {
        trees.source(w -> files(w, "f", 2));
        String file = trees.source + "/f0";
        assertThat(trees.sync(Linux.calls(), DELETING, file, trees.copy.toString()).copied()).isEqualTo(1);
        assertThat(trees.sync(Linux.calls(), DELETING, file, trees.copy.toString()).isSame()).isTrue();
        assertThat(trees.sync(Linux.calls(), COPYING, file, trees.copy + "/other").copied()).isEqualTo(1);
        assertThat(trees.copy.toFile().list()).containsExactlyInAnyOrder("f0", "other");
    }

    @Test
    void aDestinationThatIsALinkToADirectoryIsFollowed() throws Exception {
        trees.source(w -> files(w, "f", 2));
        Path link = Files.createSymbolicLink(trees.place.resolve("link"), trees.copy);
        trees.sync(Linux.calls(), COPYING, trees.source + "/", link.toString());
        isEqual();
        assertThat(link).isSymbolicLink();
    }

    @Test
    void runsThatWouldDoHarmAreRefused() throws Exception {
        trees.source(w -> files(w.directory(bytes("in")), "f", 2));
        String from = trees.source.toString();
        assertRefused(COPYING, from + "/", from + "/in", "into itself");
        assertRefused(COPYING, from + "/", from, "same file");
        assertRefused(COPYING, from + "/nothing", from, "does not exist");
        assertRefused(COPYING, from + "/in", from + "/f0", "not a directory");
        assertRefused(DELETING, from + "/in/", from, "--delete would remove it");
        assertRefused(COPYING.withForced(true), from + "/in/", from, "--force would remove it");
        assertThat(trees.source.toFile().list()).containsExactlyInAnyOrder("f0", "f1", "in");
    }

    private void assertRefused(SyncOptions options, String from, String to, String reason) {
        assertThatThrownBy(() -> trees.sync(Linux.calls(), options, from, to)).isInstanceOf(CopyRefusedException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void anEmptySourceRemovesNothingUnlessForced() throws Exception {
        trees.copy(w -> files(w, "f", 3));
        assertRefused(DELETING, trees.source + "/", trees.copy.toString(), "is empty");
        assertThat(trees.copy.toFile().list()).hasSize(3);
        assertThat(trees.sync(DELETING.withForced(true)).removed()).isEqualTo(3);
        assertThat(trees.copy.toFile().list()).isEmpty();
    }

    private SyncResult remembering(SyncOptions options, Path source) throws CopyRefusedException {
        trees.events.clear();
        return TreeSync.of(Linux.calls(), options, trees.place.path())
                .remembering(trees.place.resolve("memory"))
                .sync(bytes(source + "/"), bytes(trees.copy.toString()), change -> {
                }, event -> trees.events.add(event.toString()), new Progress(), new Cancellation());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSourceOnAnotherFileSystemThanThatOfTheLastRunRemovesNothingUnlessForced(boolean isNew) throws Exception {
        try (TestDirectory elsewhere = TestDirectory.make()) {
            if (isNew) {
                Files.delete(trees.copy);
            }
            trees.source(w -> files(w, "f", 5));
            TreeWriter.in(Linux.calls(), elsewhere.path()).file(bytes("f1"), 3, 1).close();
            assertThat(remembering(DELETING, trees.source).isSuccess()).isTrue();
            assertThatThrownBy(() -> remembering(DELETING, elsewhere.path())).isInstanceOf(CopyRefusedException.class)
                    .hasMessageContaining("on another file system than '" + trees.source + "/'");
            assertThat(trees.copy.toFile().list()).hasSize(5);
            assertThat(remembering(COPYING, trees.source).isSame()).isTrue();
            assertThat(remembering(DELETING.withForced(true), elsewhere.path()).removed()).isEqualTo(4);
            assertThat(remembering(DELETING, elsewhere.path()).isSame()).isTrue();
            Files.createFile(trees.copy.resolve("x"));
            assertRefused(DELETING, trees.source);
        }
    }

    private void assertRefused(SyncOptions options, Path source) {
        assertThatThrownBy(() -> remembering(options, source)).isInstanceOf(CopyRefusedException.class);
    }

    @Test
    void aMemoryThatCannotBeWrittenIsANotice() throws Exception {
        trees.source(w -> files(w, "f", 5));
        Files.createFile(trees.place.resolve("memory"));
        assertThat(remembering(DELETING, trees.source).isSuccess()).isTrue();
        assertThat(trees.events).singleElement().asString().contains("Notice", "cannot be remembered");
    }

    @ParameterizedTest
    @CsvSource({"400,700,true", "600,500,false", "100,800,false"})
    void aRemovalOfMoreThanHalfOfALargeCopyIsRefused(int common, int extra, boolean isRefused) throws Exception {
        trees.source(w -> files(w, "f", common));
        trees.copy(w -> files(files2(w, common), "x", extra));
        if (isRefused) {
            assertRefused(DELETING, trees.source + "/", trees.copy.toString(), "more than half");
            assertThat(trees.copy.toFile().list()).hasSize(common + extra);
        }
        SyncResult result = trees.sync(DELETING.withForced(isRefused));
        assertThat(result.removed()).isEqualTo(extra);
        isEqual();
    }

    private static TreeWriter files2(TreeWriter writer, int count) {
        files(writer, "f", count);
        return writer;
    }

    @ParameterizedTest
    @CsvSource({"s,0", "s,5", "sub,0", "sub,3"})
    void aListingThatEndsEarlyOrFailsRemovesNothingThere(String directory, int entries) throws Exception {
        trees.source(w -> files2(w.directory(bytes("sub")), 20));
        trees.source(w -> files(w, "sub/f", 20));
        trees.copy(w -> files2(w.directory(bytes("sub")), 20));
        trees.copy(w -> files(w, "sub/f", 20));
        for (int errno : new int[]{Errno.EIO, 0}) {
            FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                    Fault.on(Call.GETDENTS64).named(directory).nth(1).endsListing(entries, errno));
            SyncResult result = trees.sync(calls, DELETING);
            assertThat(result.removed()).isZero();
            assertThat(result.isSuccess()).isFalse();
            assertThat(trees.copy.toFile().list()).hasSize(21);
            assertThat(trees.copy.resolve("sub").toFile().list()).hasSize(20);
        }
    }

    @Test
    void whereUpperAndLowerCaseAreTheSameTheOnlyCopyIsNotRemoved() throws Exception {
        trees.source(w -> files(w.directory(bytes("Photos")).directory(bytes("sub")), "Photos/f", 3));
        trees.sync(COPYING);
        trees.copy(w -> w.file(bytes("extra"), 1, 1).file(bytes("sub/extra"), 1, 1));
        Files.move(trees.source.resolve("Photos"), trees.source.resolve("photos"));
        SyncResult result = trees.sync(new LooseNames(Linux.calls(), trees.copy), DELETING);
        assertThat(trees.copy.resolve("Photos").toFile().list()).hasSize(3);
        assertThat(trees.changes).filteredOn(change -> change.startsWith("*")).containsExactly("*deleting   sub/extra");
        assertThat(trees.events).anyMatch(event -> event.contains("d/photos: changed concurrently"));
        assertThat(result.removed()).isOne();
    }

    @Test
    void aSourceEntryThatCannotBeReadIsNotRemoved() throws Exception {
        trees.source(w -> files(w, "f", 5));
        trees.sync(COPYING);
        for (int errno : new int[]{Errno.EIO, Errno.ENOENT, Errno.EACCES}) {
            FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                    Fault.on(Call.STATX).named("f3").nth(1).fails(errno));
            assertThat(trees.sync(calls, DELETING).removed()).isZero();
            assertThat(trees.copy.toFile().list()).hasSize(5);
        }
    }

    // It fails in the comparison, and again when its attributes are copied.
    // A status is needed for conditions, and where listings do not have the kinds of entries.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anEntryThatVanishesDuringTheRunIsNotRemoved(boolean hasConditions) throws Exception {
        trees.source(w -> files(w, "f", 5));
        trees.sync(COPYING);
        FileQuery query = hasConditions ? FileQuery.parse(List.of(bytes("size>0"))) : FileQuery.all();
        SyncOptions options = DELETING.withCopy(CopyOptions.archive().where(query).build());
        SyncResult result = trees.sync(new Vanishing(trees.source.resolve("f3"), !hasConditions), options);
        assertThat(result.removed()).as("%s", trees.changes).isZero();
        assertThat(trees.events).singleElement().asString().contains("f3: vanished");
        assertThat(trees.copy.resolve("f3")).exists();
        assertThat(trees.sync(options).removed()).isOne();
    }

    @Test
    void aDirectoryThatCannotBeReadIsReportedOnce() throws Exception {
        trees.source(w -> files(w.directory(bytes("sub")).mode(bytes("sub"), 0700), "sub/f", 2));
        trees.copy(w -> w.directory(bytes("sub")));
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.OPENAT).named("sub").fails(Errno.EACCES));
        SyncResult result = trees.sync(calls, COPYING);
        assertThat(trees.events).singleElement().asString().contains("sub", "EACCES");
        assertThat(result.failures().values()).containsExactly(1L);
        assertThat(result.isSuccess()).isFalse();
    }

    @Test
    void anEntryMadeAnewAfterTheComparisonIsNotRemoved() throws Exception {
        trees.source(w -> files(w, "f", 5));
        trees.sync(COPYING);
        trees.copy(w -> files(w.directory(bytes("x")), "x/", 3));
        AtomicBoolean isChanged = new AtomicBoolean();
        SyncResult result = TreeSync.of(Linux.calls(), DELETING, trees.place.path())
                .sync(bytes(trees.source + "/"), bytes(trees.copy.toString()), change -> {
                    if (change.action() == Change.Action.REMOVE && !isChanged.getAndSet(true)) {
                        trees.copy(w -> w.file(bytes("x/late"), 1, 1).remove(bytes("x/1")).file(bytes("x/1"), 9, 9));
                    }
                }, event -> trees.events.add(event.toString()), new Progress(), new Cancellation());
        assertThat(result.removed()).isEqualTo(2);
        assertThat(result.isSuccess()).isFalse();
        assertThat(trees.copy.resolve("x").toFile().list()).containsExactlyInAnyOrder("1", "late");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aNameIsRemovedWhoseFileGotTheTimeOfTheSourceByAnotherName(boolean isOfData) throws Exception {
        Timestamp old = new Timestamp(1_000_000_000, 5);
        if (isOfData) {
            trees.source(w -> w.file(bytes("a"), 3, 1));
            trees.copy(w -> w.file(bytes("a"), 3, 1).hardLink(bytes("a"), bytes("b")).times(bytes("a"), old));
        } else {
            trees.source(w -> w.symlink(bytes("a"), bytes("there")));
            trees.copy(
                    w -> w.symlink(bytes("a"), bytes("there")).hardLink(bytes("a"), bytes("b")).times(bytes("a"), old));
        }
        SyncOptions after = COPYING.withDeletion(SyncOptions.Deletion.AFTER).withCheck(SyncOptions.Check.SIZE_ONLY);
        assertThat(trees.sync(after).isSuccess()).as("%s", trees.events).isTrue();
        isEqual();
    }

    // As a log needs them.
    @Test
    void removedEntriesAreReportedIfTheOptionsAskForThose() throws Exception {
        trees.source(w -> files(w, "f", 2));
        trees.copy(w -> files(w.file(bytes("x/y"), 1, 1).file(bytes("f1/in"), 1, 1), "z", 1));
        trees.sync(DELETING.withCopy(CopyOptions.archive().reportDone(true).build()));
        String copy = trees.copy.toString();
        assertThat(trees.events).filteredOn(event -> event.startsWith("Removed"))
                .containsExactlyInAnyOrder("Removed[path=" + copy + "/x/y]", "Removed[path=" + copy + "/x]",
                        "Removed[path=" + copy + "/z0]", "Removed[path=" + copy + "/f1/in]",
                        "Removed[path=" + copy + "/f1]");
        isEqual();
        trees.copy(w -> files(w, "z", 1));
        trees.sync(DELETING);
        assertThat(trees.events).isEmpty();
    }

    @Test
    void noMoreThanTheLimitIsRemoved() throws Exception {
        trees.source(w -> files(w, "f", 5));
        trees.sync(COPYING);
        trees.copy(w -> files(w.directory(bytes("x")), "x/", 3));
        SyncResult dry = trees.sync(DELETING.withMostRemovals(2).withCopy(CopyOptions.archive().dryRun(true).build()));
        SyncResult result = trees.sync(DELETING.withMostRemovals(2));
        assertThat(result.removed()).isEqualTo(2).isEqualTo(dry.removed());
        assertThat(result.kept()).isEqualTo(2).isEqualTo(dry.kept());
        assertThat(trees.copy.resolve("x").toFile().list()).hasSize(1);
    }

    @Test
    void withoutDeleteNothingIsRemovedFromADirectoryInTheWayWithExcludedContent() throws Exception {
        trees.source(w -> w.file(bytes("x"), 3, 1));
        trees.copy(w -> w.directory(bytes("x")).file(bytes("x/a.o"), 1, 1).file(bytes("x/b"), 1, 1));
        CopyOptions excluding = CopyOptions.archive().filter(Patterns.builder().exclude(bytes("*.o")).build()).build();
        assertThat(trees.sync(COPYING.withCopy(excluding)).isSuccess()).isFalse();
        assertThat(trees.copy.resolve("x").toFile().list()).containsExactlyInAnyOrder("a.o", "b");
    }

    // rsync --max-delete removes part of such a directory, up to the limit, and then cannot make way either.
    @ParameterizedTest
    @CsvSource({"0,0,8", "2,2,6", "4,3,5", "5,5,3", "7,7,1", "8,8,0"})
    void theLimitCountsWhatIsInTheWay(long most, long removed, long kept) throws Exception {
        trees.source(w -> files(w.file(bytes("x"), 3, 1), "f", 5));
        trees.copy(w -> {
            files(w.directory(bytes("x")), "x/", 5);
            files(w, "g", 3);
        });
        SyncOptions options = DELETING.withMostRemovals(most);
        SyncResult dry = trees.sync(options.withCopy(CopyOptions.archive().dryRun(true).build()));
        SyncResult result = trees.sync(options);
        assertThat(List.of(dry.removed(), dry.kept())).containsExactly(result.removed(), result.kept());
        assertThat(result.removed()).isEqualTo(removed);
        assertThat(result.kept()).isEqualTo(kept);
        assertThat(Files.isRegularFile(trees.copy.resolve("x"))).isEqualTo(most >= 5);
        if (most < 5) {
            assertThat(trees.copy.resolve("x").toFile().list()).hasSize(5);
            assertThat(trees.events).singleElement().asString().contains("'x' was not copied", "5 entries");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void excludedEntriesStayOnBothSides(boolean isBefore) throws Exception {
        trees.source(w -> files(w.directory(bytes("d")).file(bytes("no.o"), 1, 1), "f", 2));
        trees.copy(w -> w.directory(bytes("x"))
                .file(bytes("x/a.o"), 1, 1)
                .file(bytes("x/b"), 1, 1)
                .file(bytes("c.o"), 1, 1));
        CopyOptions excluding = CopyOptions.archive().filter(Patterns.builder().exclude(bytes("*.o")).build()).build();
        SyncOptions.Deletion when = isBefore ? SyncOptions.Deletion.BEFORE : SyncOptions.Deletion.AFTER;
        assertThat(trees.sync(COPYING.withCopy(excluding).withDeletion(when)).isSuccess()).isTrue();
        assertThat(trees.copy.toFile().list()).containsExactlyInAnyOrder("d", "f0", "f1", "x", "c.o");
        assertThat(trees.copy.resolve("x").toFile().list()).containsExactly("a.o");
    }

    @Test
    void timesWithinTheWindowAreEqual() throws Exception {
        trees.source(w -> files(w, "f", 1));
        trees.sync(COPYING);
        Path file = trees.source.resolve("f0");
        Files.setLastModifiedTime(file, FileTime.fromMillis(Files.getLastModifiedTime(file).toMillis() + 1500));
        SyncOptions window = COPYING.withModifyWindow(Duration.ofSeconds(2));
        assertThat(trees.sync(window).isSame()).isTrue();
        assertThat(trees.sync(COPYING).copied()).isEqualTo(1);
    }

    @Test
    void attributesThatTheSourceDoesNotHaveAreRemoved() throws Exception {
        trees.source(writer -> writer.file(bytes("f"), 5, 1).directory(bytes("d")));
        trees.sync(SyncOptions.defaults());
        trees.copy(writer -> writer.attribute(bytes("f"), bytes("user.x"), bytes("1"))
                .attribute(bytes("d"), bytes("user.x"), bytes("1")));
        assertThat(trees.sync(SyncOptions.defaults()).attributes()).isEqualTo(2);
        TreeAssert.assertThat(SyncTrees.listing(trees.copy)).isCopyOf(SyncTrees.listing(trees.source));
        assertThat(trees.sync(SyncOptions.defaults()).isSame()).isTrue();
    }

    @Test
    void separateFilesWithOtherAttributesBecomeNamesOfOneFile() throws Exception {
        trees.source(writer -> writer.file(bytes("a"), 5, 1).hardLink(bytes("a"), bytes("b")));
        trees.sync(SyncOptions.defaults());
        Files.delete(trees.copy.resolve("b"));
        Files.copy(trees.copy.resolve("a"), trees.copy.resolve("b"), StandardCopyOption.COPY_ATTRIBUTES);
        trees.copy(writer -> writer.mode(bytes("b"), 0600));
        SyncResult result = trees.sync(SyncOptions.defaults());
        assertThat(result.isSuccess()).as("%s", trees.events).isTrue();
        TreeAssert.assertThat(SyncTrees.listing(trees.copy)).isCopyOf(SyncTrees.listing(trees.source));
    }

    @Test
    void aNewNameOfAFileWithOtherAttributesIsALink() throws Exception {
        trees.source(writer -> writer.file(bytes("b"), 5, 1));
        trees.sync(SyncOptions.defaults());
        trees.source(writer -> writer.hardLink(bytes("b"), bytes("a")).hardLink(bytes("b"), bytes("c")));
        trees.copy(writer -> writer.attribute(bytes("b"), bytes("user.x"), bytes("1")).mode(bytes("b"), 0600));
        SyncResult result = trees.sync(SyncOptions.defaults());
        assertThat(result.isSuccess()).as("%s", trees.events).isTrue();
        TreeAssert.assertThat(SyncTrees.listing(trees.copy)).isCopyOf(SyncTrees.listing(trees.source));
    }
}
