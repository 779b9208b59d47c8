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
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.sync.SyncOptions.Earlier;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.Installed;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeAssert.Aspect;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.walk.options.Patterns;

/** Snapshots: new entries that an earlier copy has become links to it, or are left out. */
class EarlierCopiesTest {

    // With -H, rsync 3.5.0 waits forever or ends in the middle in some of these cases.
    private static final SyncOptions WITHOUT_GROUPS = SyncOptions.defaults()
            .withCopy(CopyOptions.archive().preserve(EnumSet.complementOf(EnumSet.of(Preserve.LINKS))).build());

    private final SyncTrees trees = new SyncTrees();

    @AfterEach
    void remove() {
        trees.close();
    }

    private static SyncOptions linking(String... directories) {
        return SyncOptions.defaults().withEarlier(earlier(true, directories)).withListsBelow(true);
    }

    private static Earlier earlier(boolean isLinked, String... directories) {
        return new Earlier(Stream.of(directories).map(ByteString::of).toList(), isLinked);
    }

    private SyncResult snapshot(FileSystemCalls calls, SyncOptions options, String name) throws CopyRefusedException {
        return trees.sync(calls, options, trees.source + "/", trees.place.path() + "/" + name);
    }

    private SyncResult snapshot(SyncOptions options, String name) throws CopyRefusedException {
        return snapshot(Linux.calls(), options, name);
    }

    private long inode(String path) throws IOException {
        return (Long) Files.getAttribute(trees.place.resolve(path), "unix:ino", LinkOption.NOFOLLOW_LINKS);
    }

    private static SyncOptions dry(SyncOptions options) {
        return options.withCopy(CopyOptions.archive().dryRun(true).build());
    }

    private void isCopy(String name) {
        TreeAssert.assertThat(SyncTrees.listing(trees.place.resolve(name)))
                .ignoring(Aspect.HOLES)
                .isCopyOf(SyncTrees.listing(trees.source));
    }

    private void fill() {
        trees.source(w -> w.file(bytes("d/a"), 5, 1)
                .file(bytes("d/b"), 300_000, 2)
                .file(bytes("c"), 7, 3)
                .attribute(bytes("c"), bytes("user.x"), bytes("1"))
                .symlink(bytes("link"), bytes("d/a"))
                .hardLink(bytes("d/a"), bytes("d/a2")));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anEarlierCopyInsideTheDestinationIsNotRemoved(boolean isLinked) throws Exception {
        trees.source(w -> w.file(bytes("d/a"), 5, 1));
        trees.copy(w -> w.file(bytes("d/a"), 5, 1).file(bytes("old/1/d/a"), 5, 1));
        SyncOptions deleting = SyncOptions.defaults()
                .withDeletion(SyncOptions.Deletion.BEFORE)
                .withEarlier(earlier(isLinked, "old/1"));
        for (String directory : List.of("old/1", "../d/old/1", "old/none", trees.copy.resolve("old/1").toString())) {
            assertThatThrownBy(() -> trees.sync(deleting.withEarlier(earlier(isLinked, directory))))
                    .isInstanceOf(CopyRefusedException.class)
                    .hasMessageContaining("--delete would remove it");
        }
        assertThat(trees.copy.resolve("old/1/d/a")).exists();
        CopyOptions excluding = CopyOptions.archive().filter(Patterns.builder().exclude(bytes("/old")).build()).build();
        assertThat(trees.sync(deleting.withCopy(excluding)).isSuccess()).as("%s", trees.events).isTrue();
        assertThat(trees.sync(deleting.withEarlier(earlier(isLinked, "../none"))).isSuccess()).isTrue();
    }

    @Test
    void aSnapshotHasLinksToWhatIsUnchanged() throws Exception {
        fill();
        SyncResult first = snapshot(linking("../none"), "1");
        assertThat(List.of(first.copied(), first.fromEarlier())).isEqualTo(List.of(5L, 0L));
        assertThat(trees.events).singleElement().asString().contains("Notice", "there is no earlier copy");
        trees.source(w -> w.remove(bytes("d/b")).file(bytes("d/b"), 300_000, 9).file(bytes("new/f"), 5, 5));
        SyncResult dry = snapshot(dry(linking("../1")), "2");
        List<String> announced = trees.sortedChanges();
        SyncResult second = snapshot(linking("../1"), "2");
        isCopy("2");
        assertThat(trees.sortedChanges()).isEqualTo(announced)
                .containsExactly(">f+++++++++ d/b", ">f+++++++++ new/f", "cd+++++++++ ./", "cd+++++++++ d/",
                        "cd+++++++++ new/");
        assertThat(List.of(second.copied(), second.fromEarlier(), second.directories())).isEqualTo(List.of(3L, 3L, 3L))
                .isEqualTo(List.of(dry.copied(), dry.fromEarlier(), dry.directories()));
        for (String same : List.of("d/a", "d/a2", "c", "link")) {
            assertThat(inode("2/" + same)).as(same).isEqualTo(inode("1/" + same));
        }
        assertThat(inode("2/d/b")).isNotEqualTo(inode("1/d/b"));
        assertThat(snapshot(linking("../1"), "2").isSame()).as("%s", trees.changes).isTrue();
    }

    @Test
    void aDryRunKnowsThatASingleNewEntryIsInAnEarlierCopy() throws Exception {
        fill();
        snapshot(linking("../0"), "1");
        snapshot(linking("../1"), "2");
        Files.delete(trees.place.resolve("2/c"));
        SyncResult dry = snapshot(dry(linking("../1")), "2");
        assertThat(List.of(dry.copied(), dry.fromEarlier())).isEqualTo(List.of(0L, 1L));
        assertThat(trees.changes).containsExactly(".d..t...... ./");
    }

    @Test
    void aNameThatBecomesALinkAgainIsReportedOnce() throws Exception {
        fill();
        snapshot(linking("../0"), "1");
        snapshot(linking("../1"), "2");
        Path name = trees.place.resolve("2/d/a2");
        Files.delete(name);
        Files.copy(trees.source.resolve("d/a"), name, StandardCopyOption.COPY_ATTRIBUTES);
        snapshot(linking("../1"), "2");
        assertThat(trees.changes).filteredOn(change -> change.endsWith("/a2")).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"mode", "attribute", "time", "a later time of the copy", "content"})
    void anEntryThatDiffersInAnythingIsCopied(String what) throws Exception {
        fill();
        snapshot(linking("../0"), "1");
        switch (what) {
            case "mode" -> trees.source(w -> w.mode(bytes("c"), 0600));
            case "attribute" -> trees.source(w -> w.attribute(bytes("c"), bytes("user.x"), bytes("2")));
            case "time" -> trees.source(w -> w.times(bytes("c"), new Timestamp(9, 9)));
            case "a later time of the copy" -> {
                FileTime time = Files.getLastModifiedTime(trees.place.resolve("1/c"));
                Files.setLastModifiedTime(trees.place.resolve("1/c"), FileTime.from(time.toInstant().plusNanos(1)));
            }
            default -> {
                Path file = trees.source.resolve("c");
                FileTime time = Files.getLastModifiedTime(file);
                Files.writeString(file, "1234567");
                Files.setLastModifiedTime(file, time);
            }
        }
        SyncOptions options = what.equals("content")
                ? linking("../1").withCheck(SyncOptions.Check.CONTENT)
                : linking("../1");
        snapshot(options, "2");
        isCopy("2");
        assertThat(inode("2/c")).isNotEqualTo(inode("1/c"));
        assertThat(inode("2/d/b")).isEqualTo(inode("1/d/b"));
    }

    @Test
    void theFirstDirectoryThatHasAnEqualEntryCounts() throws Exception {
        fill();
        snapshot(linking("../0"), "1");
        trees.source(w -> w.remove(bytes("c")).file(bytes("c"), 8, 8));
        snapshot(linking("../0"), "2");
        snapshot(linking("../0", "../1", "../2"), "3");
        assertThat(inode("3/d/b")).isEqualTo(inode("1/d/b"));
        assertThat(inode("3/c")).isEqualTo(inode("2/c"));
    }

    @Test
    void anEntryOfAnEarlierCopyNeverChangesInPlace() throws Exception {
        fill();
        snapshot(linking("../0"), "1");
        snapshot(linking("../1"), "2");
        TreeListing before = SyncTrees.listing(trees.place.resolve("1"));
        trees.source(w -> w.mode(bytes("d/b"), 0600).attribute(bytes("c"), bytes("user.x"), bytes("3")));
        assertThat(snapshot(linking("../1"), "2").copied()).isEqualTo(2);
        isCopy("2");
        TreeAssert.assertThat(SyncTrees.listing(trees.place.resolve("1"))).isCopyOf(before);
    }

    @Test
    void linksInAnEarlierCopyAreNotFollowed() throws Exception {
        fill();
        snapshot(linking("../0"), "1");
        Files.move(trees.place.resolve("1/d"), trees.place.resolve("moved"));
        Files.createSymbolicLink(trees.place.resolve("1/d"), Path.of("../moved"));
        snapshot(linking("../1"), "2");
        isCopy("2");
        assertThat(inode("2/d/b")).isNotEqualTo(inode("moved/b"));
        assertThat(inode("2/c")).isEqualTo(inode("1/c"));
    }

    @ParameterizedTest
    @ValueSource(ints = {Errno.EXDEV, Errno.EMLINK, Errno.EPERM})
    void anEntryThatCannotBeLinkedIsCopied(int errno) throws Exception {
        fill();
        snapshot(linking("../0"), "1");
        SyncResult result = snapshot(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.LINKAT).nth(1).fails(errno)),
                linking("../1"), "2");
        assertThat(result.isSuccess()).isTrue();
        assertThat(trees.events).singleElement().asString().contains("are copied although an earlier copy has them");
        isCopy("2");
    }

    @Test
    void anEarlierCopyOnAnotherFileSystemIsCopiedFrom() throws Exception {
        try (TestDirectory elsewhere = TestDirectory.make()) {
            fill();
            trees.sync(Linux.calls(), SyncOptions.defaults(), trees.source + "/", elsewhere.path() + "/1");
            SyncResult result = snapshot(linking(elsewhere.path() + "/1"), "2");
            assertThat(List.of(result.copied(), result.fromEarlier())).isEqualTo(List.of(5L, 0L));
            isCopy("2");
        }
    }

    @Test
    void entriesOfAnEarlierCopyAreLeftOut() throws Exception {
        fill();
        snapshot(SyncOptions.defaults(), "1");
        trees.source(w -> w.file(bytes("d/new"), 5, 5));
        SyncOptions options = SyncOptions.defaults().withEarlier(earlier(false, "../1")).withListsBelow(true);
        SyncResult result = snapshot(options, "2");
        assertThat(List.of(result.copied(), result.fromEarlier(), result.directories())).isEqualTo(List.of(1L, 5L, 2L));
        assertThat(trees.sortedChanges()).containsExactly(">f+++++++++ d/new", "cd+++++++++ ./", "cd+++++++++ d/");
        try (Stream<Path> all = Files.walk(trees.place.resolve("2"))) {
            assertThat(all.filter(path -> !Files.isDirectory(path)).map(path -> path.getFileName().toString()))
                    .containsExactly("new");
        }
    }

    @Test
    void anEarlierCopyThatIsNoDirectoryIsRefused() throws Exception {
        fill();
        assertThatThrownBy(() -> snapshot(linking("../s/c"), "2")).isInstanceOf(CopyRefusedException.class)
                .hasMessageContaining("the earlier copy");
        assertThatThrownBy(() -> new Earlier(Collections.nCopies(21, bytes("x")), true))
                .hasMessageContaining("at most 20");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void aSnapshotHasTheLinksOfOneByRsync(int seed) throws Exception {
        Installed.require("rsync");
        compare(seed, true);
        compare(seed, false);
    }

    @Test
    @Tag("campaign")
    void manySnapshotsHaveTheLinksOfThoseByRsync() throws Exception {
        Installed.require("rsync");
        Campaign.each(Campaign.seed(5000), Campaign.cases(300), seed -> {
            compare(seed, true);
            compare(seed, false);
        });
    }

    // The trees of both programs beside the earlier copies show also which names are linked to those.
    private static void compare(long seed, boolean isLinked) throws Exception {
        try (SyncTrees trees = new SyncTrees()) {
            SyncTrees.random(trees.source, seed);
            Path ours = trees.place.directory("ours");
            Path theirs = trees.place.directory("theirs");
            List<String> output = new ArrayList<>();
            for (Path place : List.of(ours, theirs)) {
                // Mostly equal to the source, and some entries that are not.
                SyncTrees.run(output, "rsync", "-aHAX", trees.source + "/", place + "/2/");
                Files.createDirectory(place.resolve("1"));
                SyncTrees.random(place.resolve("1"), seed + 7);
                SyncTrees.run(output, "sh", "-c", "cd " + place
                        + "/2 && find . -name 'b' ! -type d -exec chmod 0604 {} + ;"
                        + " find . -name 'd' -type f -delete; find . -name c -type f -exec touch -h -d @5 {} +");
            }
            Path fresh = ours.resolve("3");
            SyncResult result = trees.sync(Linux.calls(), WITHOUT_GROUPS.withEarlier(earlier(isLinked, "../1", "../2")),
                    trees.source + "/", fresh.toString());
            String option = isLinked ? "--link-dest=" : "--compare-dest=";
            int code = SyncTrees.run(output, "timeout", "60", "rsync", "-aAX", "--modify-window=-1", option + "../1",
                    option + "../2", trees.source + "/", theirs + "/3/");
            String report = "seed " + seed + " " + option + result + trees.events + output;
            assertThat(code).as(report).isZero();
            TreeAssert.assertThat(SyncTrees.listing(ours))
                    .as(report)
                    .ignoring(Aspect.CONTENT, Aspect.HOLES, Aspect.ROOT, Aspect.DIRECTORY_TIMES)
                    .isCopyOf(SyncTrees.listing(theirs));
            hasDataOf(trees.source, fresh, report);
        }
    }

    // If only the mode of a file differs from its earlier copy, rsync copies the data of the earlier copy.
    private static void hasDataOf(Path source, Path snapshot, String report) throws IOException {
        try (Stream<Path> all = Files.walk(snapshot)) {
            for (Path path : (Iterable<Path>) all::iterator) {
                Path original = source.resolve(snapshot.relativize(path).toString());
                if (Files.isSymbolicLink(path)) {
                    assertThat(Files.readSymbolicLink(path)).as(report).isEqualTo(Files.readSymbolicLink(original));
                } else if (Files.isRegularFile(path) && Files.getAttribute(path, "unix:nlink").equals(1)) {
                    assertThat(path).as(report).hasSameBinaryContentAs(original);
                }
            }
        }
    }
}
