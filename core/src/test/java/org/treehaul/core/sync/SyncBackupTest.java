// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.core.sync.SyncTrees.bytes;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.SortedMap;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.ListedEntry;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.testing.TreeWriter;

/** A sync with a backup directory keeps what it replaces and removes. */
class SyncBackupTest {

    private static final SyncOptions DELETING = SyncOptions.defaults().withDeletion(SyncOptions.Deletion.BEFORE);

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

    // With a relative path below the destination, and with an absolute one on another file system.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void filesThatAreReplacedOrRemovedAreKept(boolean isNear) throws Exception {
        try (TestDirectory elsewhere = TestDirectory.make()) {
            trees.source(w -> files(w.directory(bytes("d")), "d/f", 4));
            trees.copy(w -> files(w.directory(bytes("d")).directory(bytes("x")), "x/", 3));
            trees.copy(w -> w.file(bytes("d/f1"), 9, 9)
                    .file(bytes("d/f2/below"), 4, 4)
                    .symlink(bytes("d/f3"), bytes("there"))
                    .file(bytes("d/extra"), 5, 5));
            TreeListing before = SyncTrees.listing(trees.copy);
            SyncOptions options = DELETING.withBackup(bytes(isNear ? "../kept" : elsewhere.path() + "/kept"));
            assertThat(trees.sync(options.withCopy(CopyOptions.archive().dryRun(true).build())).isSuccess()).isTrue();
            Path kept = (isNear ? trees.place.path() : elsewhere.path()).resolve("kept");
            assertThat(kept).doesNotExist();

            assertThat(trees.sync(options).isSuccess()).as("%s", trees.events).isTrue();
            isEqual();
            SortedMap<ByteString, ListedEntry> found = SyncTrees.listing(kept).byPath();
            before.byPath().forEach((path, entry) -> {
                if (entry.status().kind() != EntryKind.DIRECTORY) {
                    ListedEntry backup = Objects.requireNonNull(found.get(path), path.toString());
                    assertThat(backup.content()).isEqualTo(entry.content());
                    assertThat(backup.status().mtime()).isEqualTo(entry.status().mtime());
                    assertThat(backup.status().linkCount()).isOne();
                }
            });
            assertThat(trees.sync(options).isSame()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBackupOfAnotherKindFromAnEarlierRunGetsAnotherName(boolean isNear) throws Exception {
        try (TestDirectory elsewhere = TestDirectory.make()) {
            Path kept = (isNear ? trees.place.path() : elsewhere.path()).resolve("kept");
            SyncOptions options = DELETING.withForced(true).withBackup(bytes(kept.toString()));
            trees.source(w -> w.file(bytes("f"), 1, 1));
            for (int run = 1; run <= 3; run++) {
                int size = run;
                trees.copy(w -> w.file(bytes("p/q"), size, size).file(bytes("r"), size, size));
                trees.sync(options);
                trees.copy(w -> w.file(bytes("p"), size, 10 + size).file(bytes("r/q/s"), size, 10 + size));
                assertThat(trees.sync(options).isSuccess()).as("%s", trees.events).isTrue();
                isEqual();
            }
            assertThat(trees.events).anySatisfy(event -> assertThat(event).contains("kept/r'", "kept/r.~5~'"));
            SortedMap<ByteString, ListedEntry> found = SyncTrees.listing(kept).byPath();
            assertThat(found.keySet()).extracting(ByteString::toString)
                    .contains("p", "p.~1~/q", "p.~3~/q", "p.~4~", "r/q/s", "r.~1~", "r.~2~/q/s");
            // The first content and the last one.
            assertThat(Files.size(kept.resolve("p.~1~/q"))).isEqualTo(1);
            assertThat(Files.size(kept.resolve("p"))).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anOlderBackupThatIsALinkOrAFifoIsReplaced(boolean isNear) throws Exception {
        try (TestDirectory elsewhere = TestDirectory.make()) {
            Path kept = (isNear ? trees.place.path() : elsewhere.path()).resolve("kept");
            SyncOptions options = DELETING.withBackup(bytes(kept.toString()));
            Path outside = trees.place.path().resolve("outside");
            trees.source(w -> w.file(bytes("link"), 1, 1).file(bytes("fifo"), 1, 1));
            trees.copy(
                    w -> w.symlink(bytes("link"), bytes(outside.toString())).special(bytes("fifo"), EntryKind.FIFO, 0));
            assertThat(trees.sync(options).isSuccess()).as("%s", trees.events).isTrue();
            assertThat(kept.resolve("link")).isSymbolicLink();
            Files.writeString(trees.copy.resolve("link"), "22");
            Files.writeString(trees.copy.resolve("fifo"), "22");
            assertThat(trees.sync(options).isSuccess()).as("%s", trees.events).isTrue();
            isEqual();
            assertThat(outside).doesNotExist();
            assertThat(Files.readAttributes(kept.resolve("link"), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .size()).isEqualTo(2);
            assertThat(Files.size(kept.resolve("fifo"))).isEqualTo(2);
        }
    }

    @Test
    void aBackupThatFailsStopsTheRunBeforeItsFirstChange() throws Exception {
        trees.source(w -> files(w, "f", 3));
        trees.copy(w -> files(w.file(bytes("f1"), 9, 9), "x", 3));
        TreeListing before = SyncTrees.listing(trees.copy);
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.LINKAT).named("x2").nth(1).fails(Errno.EDQUOT));
        SyncResult result = trees.sync(calls, DELETING.withBackup(bytes("../kept")));
        assertThat(result.isSuccess()).isFalse();
        assertThat(trees.events).singleElement().asString().contains("x2");
        TreeAssert.assertThat(SyncTrees.listing(trees.copy)).isCopyOf(before);
    }

    // Another file system below the destination, one without hard links, or a file of another user.
    @ParameterizedTest
    @ValueSource(ints = {Errno.EXDEV, Errno.EPERM, Errno.EMLINK})
    void backupsThatCannotBeLinkedAreCopied(int errno) throws Exception {
        trees.source(w -> files(w.directory(bytes("d")), "d/f", 3));
        trees.copy(w -> files(w.directory(bytes("d")), "d/x", 2)).copy(w -> w.file(bytes("d/f1"), 9, 9));
        TreeListing before = SyncTrees.listing(trees.copy);
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.LINKAT).named("f1").nth(1).fails(errno),
                Fault.on(Call.LINKAT).named("x0").nth(1).fails(errno));
        SyncResult result = trees.sync(calls, DELETING.withBackup(bytes("../kept")));
        assertThat(result.isSuccess()).as("%s", trees.events).isTrue();
        assertThat(trees.events).isEmpty();
        isEqual();
        SortedMap<ByteString, ListedEntry> found = SyncTrees.listing(trees.place.path().resolve("kept")).byPath();
        for (String name : new String[]{"d/f1", "d/x0", "d/x1"}) {
            ListedEntry kept = Objects.requireNonNull(found.get(bytes(name)), name);
            ListedEntry old = Objects.requireNonNull(before.byPath().get(bytes(name)));
            assertThat(kept.content()).isEqualTo(old.content());
            assertThat(kept.status().mtime()).isEqualTo(old.status().mtime());
        }
    }

    // Their sizes and times are equal, so that only their links show that they differ.
    @Test
    void namesThatBecomeNamesOfOtherFilesAreKept() throws Exception {
        Timestamp time = new Timestamp(1_000_000_000, 5);
        trees.source(
                w -> w.file(bytes("a"), 3, 1).times(bytes("a"), time).file(bytes("b"), 3, 2).times(bytes("b"), time));
        trees.copy(w -> w.file(bytes("a"), 3, 7).hardLink(bytes("a"), bytes("b")).times(bytes("a"), time));
        TreeListing before = SyncTrees.listing(trees.copy);
        assertThat(trees.sync(DELETING.withBackup(bytes("../kept"))).isSuccess()).as("%s", trees.events).isTrue();
        isEqual();
        SortedMap<ByteString, ListedEntry> kept = SyncTrees.listing(trees.place.path().resolve("kept")).byPath();
        for (String name : new String[]{"a", "b"}) {
            assertThat(Objects.requireNonNull(kept.get(bytes(name)), name).content())
                    .isEqualTo(Objects.requireNonNull(before.byPath().get(bytes(name))).content());
        }
    }

    // Only size and time were compared, so the data of the existing name may be others. A thread takes the names in any
    // order: each name may become a link to the file of the other one.
    @ParameterizedTest
    @ValueSource(strings = {"b", "0/b", "z/b", "b0", "00"})
    void anExistingNameThatBecomesALinkToANewOneIsKept(String other) throws Exception {
        Timestamp time = new Timestamp(1_000_000_000, 5);
        trees.source(w -> (other.contains("/") ? w.directory(bytes(other.substring(0, 1))) : w).file(bytes("a"), 3, 1)
                .times(bytes("a"), time)
                .hardLink(bytes("a"), bytes(other)));
        trees.copy(w -> w.file(bytes("a"), 3, 7).times(bytes("a"), time));
        TreeListing before = SyncTrees.listing(trees.copy);
        String old = Objects.requireNonNull(before.byPath().get(bytes("a"))).content();
        assertThat(trees.sync(SyncOptions.defaults().withBackup(bytes("../kept"))).isSuccess()).as("%s", trees.events)
                .isTrue();
        ListedEntry now = Objects.requireNonNull(SyncTrees.listing(trees.copy).byPath().get(bytes("a")));
        Path kept = trees.place.path().resolve("kept");
        assertThat(now.status().linkCount()).isEqualTo(2);
        if (!now.content().equals(old)) {
            ListedEntry backup = Objects.requireNonNull(SyncTrees.listing(kept).byPath().get(bytes("a")));
            assertThat(backup.content()).isEqualTo(old);
        } else {
            assertThat(kept.resolve("a")).doesNotExist();
        }
        assertThat(kept.resolve(other)).doesNotExist();
    }

    @Test
    void backupsInsideATreeAreRefused() throws Exception {
        trees.source(w -> files(w.directory(bytes("in")), "f", 2));
        for (String directory : new String[]{"kept", "kept/below", trees.source + "/in"}) {
            assertThatThrownBy(() -> trees.sync(DELETING.withBackup(bytes(directory))))
                    .isInstanceOf(CopyRefusedException.class)
                    .hasMessageContaining("is inside");
        }
    }

    @Test
    void backupsBelowADirectoryThatDoesNotExistAreRefusedWithItsName() throws Exception {
        trees.source(w -> files(w, "f", 2));
        for (String directory : new String[]{"../nowhere/kept", trees.place.path() + "/nowhere/there/kept"}) {
            assertThatThrownBy(() -> trees.sync(DELETING.withBackup(bytes(directory))))
                    .isInstanceOf(CopyRefusedException.class)
                    .hasMessageContaining(Path.of(directory).getParent() + "' above that of the backups does not exist")
                    .hasMessageNotContaining("inside");
        }
    }
}
