// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.walk.Walks.entries;
import static org.treehaul.core.walk.Walks.path;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Entry;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.walk.Walks.Seen;
import org.treehaul.core.walk.options.EntryFilter;
import org.treehaul.core.walk.options.Patterns;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedPaths;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.options.WalkOptions;

class TreeWalkerTest {

    private static final WalkOptions OPTIONS = WalkOptions.defaults().withThreads(4);

    // Shared, because making it takes much longer than its walks.
    private static final WalkedTree LARGE = new WalkedTree();

    private final WalkedTree tree = new WalkedTree();

    @BeforeAll
    static void makeLargeTree() {
        LARGE.make(w -> {
            for (int i = 0; i < 20_000; i++) {
                w.special(path("d/name-of-some-length-" + i), EntryKind.FIFO, 0);
            }
        });
    }

    @AfterAll
    static void removeLargeTree() {
        LARGE.close();
    }

    @AfterEach
    void removeTree() {
        tree.close();
    }

    @Test
    void namesAloneTakeNoCallPerEntry() {
        tree.make(w -> {
            for (int i = 0; i < 50; i++) {
                w.file(path("f" + i), 0, 1);
            }
        });
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
        Seen seen = Walks.walk(calls, OPTIONS.withStatus(false), tree.root());
        assertThat(calls.count(Call.STATX)).isLessThan(5);
        assertThat(seen.inOrder()).hasSize(51).allSatisfy(entry -> {
            Path file = Path.of(tree.root().path().toString()).resolve(entry.path().toString());
            assertThat(Files.getAttribute(file, "unix:ino")).isEqualTo(entry.inode());
        });
    }

    @ParameterizedTest
    @CsvSource({"9223372036854775807,0xef53,1", "2147483647,0xef53,2", "2147483647,0x01021994,1",
            "2147483646,0x01021994,2", "6442450943,0x01021994,2"})
    void aListingThatShowsItsEndIsNotReadAgain(long lastPosition, String fileSystem, int callsForEach) {
        tree.make(w -> w.file(path("d/f"), 1, 1).file(path("d/g"), 1, 1).directory(path("empty")));
        FaultInjectingCalls calls = FaultInjectingCalls
                .over(Walks.on(Long.decode(fileSystem), Walks.withLastPosition(Linux.calls(), lastPosition)));
        Seen seen = Walks.walk(calls, OPTIONS.withThreads(1), tree.root());
        assertThat(entries(seen)).containsExactly("directory .", "directory d", "directory empty", "regular d/f",
                "regular d/g");
        assertThat(calls.count(Call.GETDENTS64)).isEqualTo(3L * callsForEach);
        assertThat(calls.count(Call.FSTATFS)).as("when the root is opened, and when its thread lists")
                .isLessThanOrEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void entriesWithOtherNamesAreSkippedWhateverTheirKind(boolean hasKinds) {
        tree.make(w -> w.file(path("d7/f6"), 1, 1)
                .file(path("d7/f7"), 1, 1)
                .symlink(path("d6/l7"), path("d7"))
                .symlink(path("d6/l6"), path("d7")));
        Seen seen = Walks.walk(FaultInjectingCalls.over(hasKinds ? Linux.calls() : Walks.withoutKinds(Linux.calls())),
                OPTIONS.withStatus(false).withWhere(FileQuery.parse(List.of(path("name=*7")))), tree.root());
        assertThat(entries(seen)).containsExactly("directory .", "directory d6", "directory d7", "regular d7/f7",
                "symlink d6/l7");
    }

    @Test
    void kindsMissingFromTheListingAreLookedUp() {
        tree.make(w -> w.file(path("d/f"), 1, 1).symlink(path("l"), path("d")));
        Seen seen = Walks.walk(FaultInjectingCalls.over(Walks.withoutKinds(Linux.calls())), OPTIONS.withStatus(false),
                tree.root());
        assertThat(entries(seen)).containsExactly("directory .", "directory d", "regular d/f", "symlink l");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7})
    void aLargeDirectoryIsSharedAmongThreadsWithoutLoss(int threads) {
        Seen seen = LARGE.walk(OPTIONS.withThreads(threads));
        assertThat(seen.inOrder()).hasSize(20_002);
        assertThat(seen.inOrder().stream().map(Entry::path).distinct().count()).isEqualTo(20_002);
    }

    @Test
    void skippedDirectoriesAreNotEntered() {
        tree.make(w -> w.file(path("no/f"), 1, 1).file(path("yes/f"), 1, 1));
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
        Seen seen = Walks.walk(calls, OPTIONS,
                entry -> entry.path().toString().equals("no") ? Step.SKIP : Step.CONTINUE, new Cancellation(),
                tree.root());
        assertThat(entries(seen)).containsExactly("directory .", "directory no", "directory yes", "regular yes/f");
        assertThat(seen.result().isComplete()).isTrue();
    }

    @Test
    void quitEndsTheWalkIncomplete() {
        tree.make(w -> {
            for (int i = 0; i < 300; i++) {
                w.file(path("d" + i + "/f"), 1, 1);
            }
        });
        Seen seen = Walks.walk(FaultInjectingCalls.over(Linux.calls()), OPTIONS.withThreads(1),
                entry -> entry.path().depth() == 2 ? Step.QUIT : Step.CONTINUE, new Cancellation(), tree.root());
        assertThat(seen.result().isComplete()).isFalse();
        assertThat(seen.inOrder().stream().filter(entry -> entry.path().depth() == 2)).hasSize(1);
    }

    @Test
    void cancellationEndsTheWalkIncompleteAndTheThreads() {
        tree.make(w -> {
            for (int i = 0; i < 300; i++) {
                w.file(path("d" + i + "/f"), 1, 1);
            }
        });
        Cancellation cancellation = new Cancellation();
        Seen seen = Walks.walk(FaultInjectingCalls.over(Linux.calls()), OPTIONS, entry -> {
            if (entry.path().depth() == 2) {
                cancellation.cancel();
            }
            return Step.CONTINUE;
        }, cancellation, tree.root());
        assertThat(seen.result().isComplete()).isFalse();
        assertThat(seen.inOrder()).hasSizeLessThan(601);
        Seen none = Walks.walk(FaultInjectingCalls.over(Linux.calls()), OPTIONS, entry -> Step.CONTINUE, cancellation,
                tree.root());
        assertThat(none.result().isComplete()).isFalse();
        assertThat(none.inOrder()).isEmpty();
        // A thread that has done its work still takes a moment to end.
        Awaitility.await()
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
                        .noneMatch(name -> name.startsWith("treehaul-walk")));
    }

    @Test
    void linksAreFollowedAsAsked() {
        tree.make(w -> w.file(path("real/d/f"), 1, 1)
                .symlink(path("real/to-d"), path("d"))
                .symlink(path("link"), path("real")));
        Root link = Root.of(path(tree.resolve("link")));
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
        assertThat(entries(Walks.walk(calls, OPTIONS, link))).containsExactly("symlink .");
        assertThat(entries(Walks.walk(calls, OPTIONS.withSymlinks(Symlinks.ROOTS), link)))
                .containsExactly("directory .", "directory d", "regular d/f", "symlink to-d");
        assertThat(entries(Walks.walk(calls, OPTIONS.withSymlinks(Symlinks.ALWAYS), link)))
                .containsExactly("directory .", "directory d", "directory to-d", "regular d/f", "regular to-d/f");
    }

    @Test
    void linksThatLeadBackAndLinksThatLeadNowhereAreReported() {
        tree.make(w -> w.symlink(path("a/b/up"), path("../.."))
                .symlink(path("loop"), path("loop"))
                .symlink(path("none"), path("nothing"))
                .file(path("f"), 1, 1));
        Seen seen = tree.walk(OPTIONS.withSymlinks(Symlinks.ALWAYS));
        assertThat(seen.failures()).containsExactlyInAnyOrder("ERROR a/b/up open " + Errno.ELOOP,
                "ERROR loop stat " + Errno.ELOOP, "ERROR none stat " + Errno.ENOENT);
        assertThat(entries(seen)).contains("regular f", "directory a/b/up").hasSize(5);
    }

    @Test
    void otherFileSystemsAreEntriesWithoutContent() throws IOException, InterruptedException {
        Privilege.requireRoot("mounts a tmpfs");
        tree.make(w -> w.file(path("mnt/hidden"), 1, 1).file(path("d/f"), 1, 1));
        Path mount = tree.resolve("mnt");
        Process process = new ProcessBuilder("mount", "-t", "tmpfs", "none", mount.toString()).start();
        Assumptions.assumeTrue(process.waitFor(1, TimeUnit.MINUTES) && process.exitValue() == 0,
                "a tmpfs cannot be mounted here");
        try {
            tree.make(w -> w.file(path("mnt/inside"), 1, 1));
            assertThat(entries(tree.walk(OPTIONS))).contains("regular mnt/inside");
            assertThat(entries(tree.walk(OPTIONS.withOneFileSystem(true)))).containsExactly("directory .",
                    "directory d", "directory mnt", "regular d/f");
        } finally {
            new ProcessBuilder("umount", mount.toString()).start().waitFor();
        }
    }

    @Test
    void filtersExcludeEntriesButNoRoot() {
        tree.make(w -> w.file(path("x/x"), 1, 1).file(path("a/x/f"), 1, 1).file(path("a/f"), 1, 1));
        EntryFilter filter = Patterns.builder().exclude(ByteString.of("x")).build();
        Seen seen = Walks.walk(FaultInjectingCalls.over(Linux.calls()), OPTIONS.withFilter(filter),
                Root.of(path(tree.resolve("x"))), Root.of(path(tree.resolve("a"))));
        assertThat(entries(seen)).containsExactly("directory .", "directory .", "regular f");
    }

    @Test
    void rootsThatAreMissingAreReportedAndTheOthersWalked() {
        tree.make(w -> w.file(path("d/f"), 1, 1).file(path("file"), 1, 1));
        Seen seen = Walks.walk(FaultInjectingCalls.over(Linux.calls()), OPTIONS, Root.of(path(tree.resolve("d"))),
                Root.of(path(tree.resolve("none"))), Root.of(path(tree.resolve("file"))));
        assertThat(entries(seen)).containsExactly("directory .", "regular .", "regular f");
        assertThat(seen.failures()).containsExactly("ERROR . stat 2");
    }

    @Test
    void aSelectionIsWalkedWithTheEntriesBelowAndTheDirectoriesAbove() {
        tree.make(w -> w.file(path("d/e/f"), 1, 1)
                .file(path("d/g"), 1, 1)
                .file(path("h"), 1, 1)
                .file(path("i/j"), 1, 1)
                .file(path("file"), 1, 1)
                .symlink(path("link"), path("i")));
        SelectedPaths selection = SelectedPaths.following();
        for (String selected : List.of("d/e", "h", "i/none", "file/below", "link/j")) {
            selection.add(TreePath.of(path(selected).toBytes()));
        }
        Seen seen = Walks.walk(FaultInjectingCalls.over(Linux.calls()), OPTIONS,
                Root.of(tree.root().path(), selection));
        assertThat(entries(seen)).containsExactly("directory .", "directory d", "directory d/e", "directory i",
                "directory link", "regular d/e/f", "regular h", "regular link/j");
        assertThat(seen.failures()).containsExactlyInAnyOrder("ERROR i/none stat 2",
                "ERROR file open " + Errno.ENOTDIR);
    }

    @Test
    void theWalksOwnChoiceOfThreadsSeesAllToo() {
        tree.make(w -> {
            for (int i = 0; i < 200; i++) {
                w.file(path("d" + i % 10 + "/f" + i), 1, 1);
            }
        });
        assertThat(tree.walk(OPTIONS.withThreads(0)).inOrder()).hasSize(211);
    }

    @Test
    void interruptionEndsTheWalkAndIsKept() throws InterruptedException {
        tree.make(w -> w.file(path("d/f"), 1, 1));
        boolean[] outcome = new boolean[2];
        Thread walker = Thread.ofPlatform().unstarted(() -> {
            Thread.currentThread().interrupt();
            outcome[0] = tree.walk(OPTIONS).result().isComplete();
            outcome[1] = Thread.currentThread().isInterrupted();
        });
        walker.start();
        walker.join();
        assertThat(outcome[1]).as("interrupted").isTrue();
    }
}
