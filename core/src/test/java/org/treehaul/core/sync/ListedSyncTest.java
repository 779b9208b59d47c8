// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.core.sync.SyncTrees.bytes;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.walk.options.PathList;
import org.treehaul.core.walk.options.Patterns;
import org.treehaul.core.walk.options.SelectedPaths;

/** Syncs of listed paths: a listed path, and what is below it, becomes equal; nothing else changes. */
class ListedSyncTest {

    private static final SyncOptions COPYING = SyncOptions.defaults().withListsBelow(true);
    private static final SyncOptions DELETING = COPYING.withDeletion(SyncOptions.Deletion.BEFORE);

    private final SyncTrees trees = new SyncTrees();

    @AfterEach
    void remove() {
        trees.close();
    }

    static SelectedPaths list(String... paths) throws IOException {
        byte[] text = (String.join("\0", paths) + "\0").getBytes(StandardCharsets.ISO_8859_1);
        return PathList.read(new ByteArrayInputStream(text), true, "list");
    }

    private SyncResult sync(SyncOptions options, Path copy, String... paths) throws CopyRefusedException, IOException {
        return sync(Linux.calls(), options, copy, paths);
    }

    private SyncResult sync(FileSystemCalls calls, SyncOptions options, Path copy, String... paths)
            throws CopyRefusedException, IOException {
        trees.changes.clear();
        trees.events.clear();
        return TreeSync.of(calls, options, trees.place.path())
                .ofPaths(list(paths))
                .sync(bytes(trees.source.toString()), bytes(copy.toString()),
                        change -> trees.changes.add(change.itemized(true) + " " + change.path()),
                        event -> trees.events.add(event.toString()), new Progress(), new Cancellation());
    }

    private SyncResult sync(SyncOptions options, String... paths) throws CopyRefusedException, IOException {
        return sync(options, trees.copy, paths);
    }

    private static List<String> files(Path root) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            return all.filter(path -> !path.equals(root))
                    .map(path -> root.relativize(path).toString())
                    .sorted()
                    .toList();
        }
    }

    @Test
    void onlyListedPathsAreCopiedWithTheDirectoriesAboveThem() throws Exception {
        trees.source(w -> w.file(bytes("a/b/f"), 5, 1).file(bytes("a/b/g"), 5, 2).file(bytes("a/h"), 5, 3));
        Path fresh = trees.place.resolve("fresh");
        SyncResult dry = sync(COPYING.withCopy(CopyOptions.archive().dryRun(true).build()), fresh, "a/b/f");
        List<String> announced = trees.sortedChanges();
        assertThat(fresh).doesNotExist();
        SyncResult result = sync(COPYING, fresh, "a/b/f");
        assertThat(files(fresh)).containsExactly("a", "a/b", "a/b/f");
        assertThat(trees.sortedChanges()).isEqualTo(announced)
                .containsExactly(">f+++++++++ a/b/f", "cd+++++++++ .", "cd+++++++++ a", "cd+++++++++ a/b");
        assertThat(List.of(result.copied(), result.directories())).isEqualTo(List.of(1L, 3L))
                .isEqualTo(List.of(dry.copied(), dry.directories()));
        assertThat(Files.getLastModifiedTime(fresh.resolve("a")))
                .isEqualTo(Files.getLastModifiedTime(trees.source.resolve("a")));
        assertThat(sync(COPYING, fresh, "a/b/f").isSame()).as("%s", trees.changes).isTrue();
        assertThat(sync(COPYING, fresh, "a/h", "a/b").copied()).isEqualTo(2);
        TreeAssert.assertThat(SyncTrees.listing(fresh)).isCopyOf(SyncTrees.listing(trees.source));
    }

    @Test
    void aListedPathThatIsGoneIsAFailureAndWithDeleteARemoval() throws Exception {
        trees.source(w -> w.file(bytes("a/f"), 5, 1));
        trees.copy(w -> w.file(bytes("a/gone/x"), 5, 1).file(bytes("a/stays"), 5, 1).file(bytes("b/c/x"), 5, 1));
        trees.copy(w -> w.file(bytes("b/c/stays"), 5, 1).symlink(bytes("link"), bytes("b")));
        String[] paths = {"a/f", "a/gone", "b/c/x", "b/nothing", "nothing/at/all", "link/c/stays"};
        SyncResult failed = sync(COPYING, paths);
        assertThat(failed.isSuccess()).isFalse();
        assertThat(trees.events).hasSize(4).allMatch(event -> event.contains("(ENOENT)"));
        assertThat(files(trees.copy)).contains("a/f", "a/gone/x");
        SyncResult result = sync(DELETING, paths);
        assertThat(result.isSuccess()).as("%s", trees.events).isTrue();
        assertThat(result.removed()).isEqualTo(3);
        assertThat(files(trees.copy)).containsExactly("a", "a/f", "a/stays", "b", "b/c", "b/c/stays", "link");
        assertThat(sync(DELETING, paths).isSame()).isTrue();
    }

    @Test
    void anExcludedPathIsNotRemoved() throws Exception {
        trees.source(w -> w.file(bytes("f"), 5, 1));
        trees.copy(w -> w.file(bytes("x.keep"), 5, 1).file(bytes("d/x.keep"), 5, 1).file(bytes("d/y"), 5, 1));
        CopyOptions copy = CopyOptions.archive().filter(Patterns.builder().exclude(bytes("*.keep")).build()).build();
        assertThat(sync(DELETING.withCopy(copy), "x.keep", "d/x.keep", "d/y").removed()).isEqualTo(1);
        assertThat(files(trees.copy)).containsExactly("d", "d/x.keep", "x.keep");
    }

    @Test
    void anEmptySourceRemovesNoListedPathsUnlessForced() throws Exception {
        trees.copy(w -> w.file(bytes("d/f"), 5, 1));
        assertThatThrownBy(() -> sync(DELETING, "d/f")).isInstanceOf(CopyRefusedException.class)
                .hasMessageContaining("is empty");
        assertThat(sync(DELETING.withForced(true), "d/f").removed()).isEqualTo(1);
        trees.copy(w -> w.file(bytes("d/f"), 5, 1));
        trees.source(w -> w.file(bytes("other"), 5, 1));
        assertThat(sync(DELETING, "d/f").removed()).isEqualTo(1);
    }

    @Test
    void aSourceThatCannotBeListedCountsAsEmpty() throws Exception {
        trees.copy(w -> w.file(bytes("d/f"), 5, 1));
        FileSystemCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.GETDENTS64).named(trees.source.getFileName().toString()).fails(Errno.EIO));
        assertThatThrownBy(() -> sync(calls, DELETING, trees.copy, "d/f")).isInstanceOf(CopyRefusedException.class)
                .hasMessageContaining("is empty");
    }

    @Test
    void aLinkOnTheWayIsFollowedInTheSourceOnly() throws Exception {
        Path elsewhere = trees.place.directory("elsewhere");
        trees.source(w -> w.file(bytes("real/f"), 5, 1).symlink(bytes("link"), bytes("real")));
        trees.copy(w -> w.symlink(bytes("link"), bytes("../elsewhere")));
        assertThat(sync(COPYING, "link/f").isSuccess()).as("%s", trees.events).isTrue();
        assertThat(files(trees.copy)).containsExactly("link", "link/f");
        assertThat(elsewhere).isEmptyDirectory();
        assertThat(sync(COPYING, "link/f").isSame()).as("%s", trees.changes).isTrue();
    }

    // The link cannot be copied as an entry and as a directory. Below a listed directory, which is new, it is an entry.
    @Test
    void aPathThroughALinkThatIsListedTooIsAFailure() throws Exception {
        trees.source(w -> w.file(bytes("real/f"), 5, 1)
                .symlink(bytes("link"), bytes("real"))
                .symlink(bytes("d/link"), bytes("../real")));
        for (int run = 1; run <= 2; run++) {
            assertThat(sync(COPYING, "link", "link/f", "d", "d/link/f").isSuccess()).isFalse();
            assertThat(trees.events).hasSize(2)
                    .allMatch(event -> event.contains("link/f") && event.contains("list only one of them"));
            assertThat(files(trees.copy)).containsExactly("d", "d/link", "link");
        }
    }

    @Test
    void pathsBelowAFileAreRefused() throws Exception {
        trees.source(w -> w.file(bytes("f"), 5, 1));
        assertThatThrownBy(() -> TreeSync.of(Linux.calls(), COPYING, trees.place.path())
                .ofPaths(list("x"))
                .sync(bytes(trees.source + "/f"), bytes(trees.copy.toString()), change -> {
                }, event -> {
                }, new Progress(), new Cancellation())).isInstanceOf(CopyRefusedException.class)
                .hasMessageContaining("is not a directory, so no paths below it can be listed");
    }
}
