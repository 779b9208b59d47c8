// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.walk.Walks.entries;
import static org.treehaul.core.walk.Walks.path;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Entry;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.RandomTree;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.Walks.Seen;

class TreeWalkerTest {

    private static final WalkOptions OPTIONS = WalkOptions.defaults().withThreads(4);

    private final TestDirectory tree = TestDirectory.make();

    @AfterEach
    void removeTree() {
        tree.close();
    }

    private void make(Consumer<TreeWriter> making) {
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), tree.path())) {
            making.accept(writer);
        }
    }

    private Root root() {
        return Root.of(path(tree.path()));
    }

    private Seen walk(WalkOptions options, Fault... faults) {
        return Walks.walk(FaultInjectingCalls.over(Linux.calls(), faults), options, root());
    }

    @Property(tries = 20, shrinking = ShrinkingMode.OFF)
    void seesEveryEntryOnceWithItsStatusAndDirectoriesBeforeTheirContent(@ForAll long seed,
            @ForAll @IntRange(min = 1, max = 8) int threads, @ForAll @IntRange(min = 1, max = 20) int budget) {
        try (TestDirectory random = TestDirectory.make()) {
            RandomTree.make(Linux.calls(), random.path(), seed, 150);
            Seen seen = Walks.walk(FaultInjectingCalls.over(Linux.calls()),
                    OPTIONS.withThreads(threads).withDirectoryBudget(budget), Root.of(path(random.path())));
            assertThat(seen.failures()).isEmpty();
            assertThat(seen.result().isComplete()).isTrue();
            Map<String, String> expected = new TreeMap<>();
            TreeListing.of(Linux.calls(), random.path())
                    .entries()
                    .forEach(entry -> expected.put(TreePath.of(entry.path().toBytes()).toString(),
                            entry.status().kind() + " " + entry.status().inode() + " " + entry.status().size()
                                    + (entry.status().kind() == EntryKind.SYMLINK ? " " + entry.content() : "")));
            Map<String, String> found = new TreeMap<>();
            for (Entry entry : seen.inOrder()) {
                String old = found.put(entry.path().toString(), entry.kind() + " " + entry.inode() + " "
                        + entry.status().orElseThrow().size() + entry.linkTarget().map(t -> " " + t).orElse(""));
                assertThat(old).as("seen twice").isNull();
                assertThat(entry.path().isRoot() || found.containsKey(entry.path().parent().toString())).isTrue();
            }
            assertThat(found).isEqualTo(expected);
        }
    }

    @Test
    void namesAloneTakeNoCallPerEntry() {
        make(w -> {
            for (int i = 0; i < 50; i++) {
                w.file(path("f" + i), 0, 1);
            }
        });
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
        Seen seen = Walks.walk(calls, OPTIONS.withStatus(false), root());
        assertThat(seen.inOrder()).hasSize(51);
        assertThat(calls.count(Call.STATX)).isLessThan(5);
    }

    @Test
    void kindsThatTheListingDoesNotTellAreLookedUp() {
        make(w -> w.file(path("d/f"), 1, 1).symlink(path("l"), path("d")));
        Seen seen = Walks.walk(FaultInjectingCalls.over(Walks.withoutKinds(Linux.calls())), OPTIONS.withStatus(false),
                root());
        assertThat(entries(seen)).containsExactly("directory .", "directory d", "regular d/f", "symlink l");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7})
    void aLargeDirectoryIsSharedAmongThreadsWithoutLoss(int threads) {
        make(w -> {
            for (int i = 0; i < 20_000; i++) {
                w.special(path("d/name-of-some-length-" + i), EntryKind.FIFO, 0);
            }
        });
        Seen seen = walk(OPTIONS.withThreads(threads));
        assertThat(seen.inOrder()).hasSize(20_002);
        assertThat(seen.inOrder().stream().map(Entry::path).distinct().count()).isEqualTo(20_002);
    }

    @Test
    void skippedDirectoriesAreNotEntered() {
        make(w -> w.file(path("no/f"), 1, 1).file(path("yes/f"), 1, 1));
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
        Seen seen = Walks.walk(calls, OPTIONS,
                entry -> entry.path().toString().equals("no") ? Step.SKIP : Step.CONTINUE, new Cancellation(), root());
        assertThat(entries(seen)).containsExactly("directory .", "directory no", "directory yes", "regular yes/f");
        assertThat(seen.result().isComplete()).isTrue();
    }

    @Test
    void quitEndsTheWalkIncomplete() {
        make(w -> {
            for (int i = 0; i < 300; i++) {
                w.file(path("d" + i + "/f"), 1, 1);
            }
        });
        Seen seen = Walks.walk(FaultInjectingCalls.over(Linux.calls()), OPTIONS.withThreads(1),
                entry -> entry.path().depth() == 2 ? Step.QUIT : Step.CONTINUE, new Cancellation(), root());
        assertThat(seen.result().isComplete()).isFalse();
        assertThat(seen.inOrder().stream().filter(entry -> entry.path().depth() == 2)).hasSize(1);
    }

    @Test
    void cancellationEndsTheWalkIncompleteAndTheThreads() {
        make(w -> {
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
        }, cancellation, root());
        assertThat(seen.result().isComplete()).isFalse();
        assertThat(seen.inOrder()).hasSizeLessThan(601);
        Seen none = Walks.walk(FaultInjectingCalls.over(Linux.calls()), OPTIONS, entry -> Step.CONTINUE, cancellation,
                root());
        assertThat(none.result().isComplete()).isFalse();
        assertThat(none.inOrder()).isEmpty();
        assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("treehaul-walk"));
    }

    @Test
    void linksAreFollowedAsAsked() {
        make(w -> w.file(path("real/d/f"), 1, 1)
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
        make(w -> w.symlink(path("a/b/up"), path("../.."))
                .symlink(path("loop"), path("loop"))
                .symlink(path("none"), path("nothing"))
                .file(path("f"), 1, 1));
        Seen seen = walk(OPTIONS.withSymlinks(Symlinks.ALWAYS));
        assertThat(seen.failures()).containsExactlyInAnyOrder("ERROR a/b/up open " + Errno.ELOOP,
                "ERROR loop stat " + Errno.ELOOP, "ERROR none stat " + Errno.ENOENT);
        assertThat(entries(seen)).contains("regular f", "directory a/b/up").hasSize(5);
    }

    @Test
    void otherFileSystemsAreEntriesWithoutContent() throws IOException, InterruptedException {
        Privilege.requireRoot("mounts a tmpfs");
        make(w -> w.file(path("mnt/hidden"), 1, 1).file(path("d/f"), 1, 1));
        Path mount = tree.resolve("mnt");
        Process process = new ProcessBuilder("mount", "-t", "tmpfs", "none", mount.toString()).start();
        Assumptions.assumeTrue(process.waitFor(1, TimeUnit.MINUTES) && process.exitValue() == 0,
                "a tmpfs cannot be mounted here");
        try {
            make(w -> w.file(path("mnt/inside"), 1, 1));
            assertThat(entries(walk(OPTIONS))).contains("regular mnt/inside");
            assertThat(entries(walk(OPTIONS.withOneFileSystem(true)))).containsExactly("directory .", "directory d",
                    "directory mnt", "regular d/f");
        } finally {
            new ProcessBuilder("umount", mount.toString()).start().waitFor();
        }
    }

    @Test
    void whatTheFilterExcludesIsPassedOverButNeverARoot() {
        make(w -> w.file(path("x/x"), 1, 1).file(path("a/x/f"), 1, 1).file(path("a/f"), 1, 1));
        EntryFilter filter = Patterns.builder().exclude(ByteString.of("x")).build();
        Seen seen = Walks.walk(FaultInjectingCalls.over(Linux.calls()), OPTIONS.withFilter(filter),
                Root.of(path(tree.resolve("x"))), Root.of(path(tree.resolve("a"))));
        assertThat(entries(seen)).containsExactly("directory .", "directory .", "regular f");
    }

    @Test
    void rootsThatAreMissingAreReportedAndTheOthersWalked() {
        make(w -> w.file(path("d/f"), 1, 1).file(path("file"), 1, 1));
        Seen seen = Walks.walk(FaultInjectingCalls.over(Linux.calls()), OPTIONS, Root.of(path(tree.resolve("d"))),
                Root.of(path(tree.resolve("none"))), Root.of(path(tree.resolve("file"))));
        assertThat(entries(seen)).containsExactly("directory .", "regular .", "regular f");
        assertThat(seen.failures()).containsExactly("ERROR . stat 2");
    }

    @Test
    void aSelectionIsWalkedWithWhatStandsBelowAndWhatLeadsToIt() {
        make(w -> w.file(path("d/e/f"), 1, 1)
                .file(path("d/g"), 1, 1)
                .file(path("h"), 1, 1)
                .file(path("i/j"), 1, 1)
                .file(path("file"), 1, 1)
                .symlink(path("link"), path("i")));
        PathSelection selection = new PathSelection();
        for (String selected : List.of("d/e", "h", "i/none", "file/below", "link/j")) {
            selection.add(TreePath.of(path(selected).toBytes()));
        }
        Seen seen = Walks.walk(FaultInjectingCalls.over(Linux.calls()), OPTIONS, Root.of(path(tree.path()), selection));
        assertThat(entries(seen)).containsExactly("directory .", "directory d", "directory d/e", "directory i",
                "directory link", "regular d/e/f", "regular h", "regular link/j");
        assertThat(seen.failures()).containsExactlyInAnyOrder("ERROR i/none stat 2",
                "ERROR file open " + Errno.ENOTDIR);
    }

    @Test
    void theWalksOwnChoiceOfThreadsSeesAllToo() {
        make(w -> {
            for (int i = 0; i < 200; i++) {
                w.file(path("d" + i % 10 + "/f" + i), 1, 1);
            }
        });
        assertThat(walk(OPTIONS.withThreads(0)).inOrder()).hasSize(211);
    }

    @Test
    void interruptionEndsTheWalkAndIsKept() throws InterruptedException {
        make(w -> w.file(path("d/f"), 1, 1));
        boolean[] outcome = new boolean[2];
        Thread walker = Thread.ofPlatform().unstarted(() -> {
            Thread.currentThread().interrupt();
            outcome[0] = walk(OPTIONS).result().isComplete();
            outcome[1] = Thread.currentThread().isInterrupted();
        });
        walker.start();
        walker.join();
        assertThat(outcome[1]).as("interrupted").isTrue();
    }
}
