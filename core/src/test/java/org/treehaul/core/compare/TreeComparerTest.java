// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.core.compare.Trees.NO_TIMES;
import static org.treehaul.core.compare.Trees.path;

import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.treehaul.core.compare.Trees.Found;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.options.EntryFilter;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedPaths;

class TreeComparerTest {

    private static final CompareOptions CONTENT = NO_TIMES.withContent(true);

    private static void assertFinds(Consumer<TreeWriter> a, Consumer<TreeWriter> b, CompareOptions options,
            String... expected) {
        try (Trees trees = Trees.make().a(a).b(b)) {
            trees.assertFinds(options, expected);
        }
    }

    private static void assertSameButFor(Consumer<TreeWriter> both, Consumer<TreeWriter> onlyB, CompareOptions options,
            String... expected) {
        assertFinds(both, both.andThen(onlyB), options, expected);
    }

    @Test
    void equalTreesAreSame() {
        assertSameButFor(w -> w.file(path("d/e/f"), 300_000, 1).symlink(path("d/l"), path("x")).directory(path("z")),
                w -> {
                }, CONTENT);
    }

    @Test
    void namesOnOneSideAreReportedOnceWithTheirKind() {
        assertFinds(w -> w.file(path("d/a"), 1, 1).file(path("gone/x/y"), 1, 1),
                w -> w.file(path("d/b"), 1, 1)
                        .symlink(path("l"), path("x"))
                        .file(path("new/x"), 1, 1)
                        .file(path("new/y"), 1, 1),
                NO_TIMES, "d/a: only in A (regular)", "d/b: only in B (regular)", "gone: only in A (directory)",
                "l: only in B (symlink)", "new: only in B (directory)");
    }

    @Test
    void namesOnOneSideCanBeIgnored() {
        try (Trees trees = Trees.make().a(w -> w.file(path("a"), 1, 1)).b(w -> w.file(path("b"), 1, 1))) {
            assertThat(trees.compare(NO_TIMES.ignoring(DifferenceKind.parse("only-in-b"))).differences())
                    .containsExactly("a: only in A (regular)");
        }
    }

    @Test
    void aLinkThatLeadsToItselfDiffersFromOneWithTheSameTargetThatDoesNot() {
        try (Trees trees = Trees.make()) {
            String lost = trees.b().resolve("lost").toString();
            trees.both(w -> w.symlink(path("lost"), path(lost)).symlink(path("up"), path("../B/up")));
            trees.assertFinds(NO_TIMES, "lost: target " + lost + " | " + lost + " (itself)",
                    "up: target ../B/up | ../B/up (itself)");
        }
    }

    @Test
    void linksThatLeadToEachOtherDifferFromThoseOverWhichNothingWasCopied() {
        try (Trees trees = Trees.make()) {
            String latest = trees.b().resolve("d/latest").toString();
            trees.both(w -> w.symlink(path("absolute"), path(latest)).symlink(path("d/relative"), path("../e/1")));
            trees.b(w -> w.symlink(path("d/latest"), path("../absolute"))
                    .symlink(path("e/1"), path("2"))
                    .symlink(path("e/2"), path("./3"))
                    .symlink(path("e/3"), path("../d/relative")));
            trees.a(w -> w.symlink(path("d/latest"), path("../absolute"))
                    .symlink(path("e/1"), path("2"))
                    .symlink(path("e/2"), path("./3"))
                    .file(path("e/3"), 1, 1));
            trees.assertFinds(NO_TIMES, "absolute: target " + latest + " | " + latest + " (itself)",
                    "d/latest: target ../absolute | ../absolute (itself)",
                    "d/relative: target ../e/1 | ../e/1 (itself)", "e/1: target 2 | 2 (itself)",
                    "e/2: target ./3 | ./3 (itself)", "e/3: kind regular | symlink");
        }
    }

    @Test
    void linksThatLeaveTheTreeAreNotFollowed() {
        try (Trees trees = Trees.make()) {
            trees.both(w -> w.symlink(path("one"), path("../B/two")).symlink(path("two"), path("../B/one")));
            trees.assertFinds(NO_TIMES);
        }
    }

    @Test
    void linksThatLeadToThemselvesInBothTreesAndToFilesOfTheirOwnNameAreSame() {
        assertSameButFor(w -> w.symlink(path("loop"), path("loop"))
                .symlink(path("d/dot"), path("./dot"))
                .symlink(path("d/f"), path("../e/f"))
                .file(path("e/f"), 1, 1)
                .symlink(path("d/none"), path("../e/none")), w -> {
                }, NO_TIMES);
    }

    @Test
    void differentKindsAreNotComparedFurther() {
        assertFinds(w -> w.file(path("x/y"), 1, 1).file(path("z"), 3, 1),
                w -> w.file(path("x"), 1, 1).special(path("z"), EntryKind.FIFO, 0).mode(path("z"), 0600), NO_TIMES,
                "x: kind directory | regular", "z: kind regular | fifo");
    }

    @Test
    void rootsAreComparedToo() {
        assertFinds(w -> w.mode(path(""), 0755), w -> w.mode(path(""), 0711), NO_TIMES, ".: mode 0755 | 0711");
    }

    @Test
    void sizeModeAndTargetAreCompared() {
        assertFinds(w -> w.file(path("f"), 10, 1).mode(path("f"), 04755).symlink(path("l"), path("one\n")),
                w -> w.file(path("f"), 11, 1).mode(path("f"), 0755).symlink(path("l"), path("two")), CONTENT,
                "f: size 10 | 11", "f: mode 4755 | 0755", "l: target one\\n | two");
    }

    @Test
    void ownersAndDevicesAreCompared() {
        Assumptions.assumeTrue(System.getProperty("user.name").equals("root"), "only root can give files away");
        assertFinds(w -> w.file(path("f"), 1, 1).owner(path("f"), 1, 2).special(path("d"), EntryKind.CHARACTER, 0x103),
                w -> w.file(path("f"), 1, 1)
                        .owner(path("f"), 3, 4_000_000_000L)
                        .special(path("d"), EntryKind.CHARACTER, 0x105),
                NO_TIMES, "d: device 1:3 | 1:5", "f: owner 1 | 3", "f: group 2 | 4000000000");
    }

    @Test
    void timesAreComparedToTheNanosecond() {
        Consumer<TreeWriter> tree = w -> w.file(path("d/f"), 1, 1)
                .symlink(path("d/l"), path("x"))
                .times(path("d/l"), new Timestamp(-7, 5))
                .times(path("d/f"), new Timestamp(1_000, 1))
                .times(path("d"), new Timestamp(1_000, 0))
                .times(path(""), new Timestamp(5, 5));
        CompareOptions mtime = CompareOptions.defaults();
        assertFinds(tree, tree, mtime);
        assertFinds(tree,
                tree.andThen(w -> w.times(path("d/f"), new Timestamp(1_000, 2))
                        .times(path("d/l"), new Timestamp(-7, 4))
                        .times(path("d"), new Timestamp(999, 999_999_999))),
                mtime, "d/f: mtime 1000.000000001 | 1000.000000002", "d/l: mtime -7.000000005 | -7.000000004",
                "d: mtime 1000.000000000 | 999.999999999");
    }

    @Test
    void timesWithinTheModifyWindowAreEqual() {
        Consumer<TreeWriter> a = w -> w.file(path("f"), 1, 1)
                .file(path("g"), 1, 1)
                .times(path("f"), new Timestamp(1_000, 900_000_000))
                .times(path("g"), new Timestamp(-5, 1))
                .times(path(""), new Timestamp(5, 5));
        Consumer<TreeWriter> b = w -> w.file(path("f"), 1, 1)
                .file(path("g"), 1, 1)
                .times(path("f"), new Timestamp(1_001, 900_000_000))
                .times(path("g"), new Timestamp(-4, 2))
                .times(path(""), new Timestamp(5, 0));
        assertFinds(a, b, CompareOptions.defaults().withModifyWindow(Duration.ofSeconds(1)),
                "g: mtime -5.000000001 | -4.000000002");
    }

    @Test
    void otherTimesAreComparedOnRequestOnly() {
        Consumer<TreeWriter> tree = w -> w.file(path("f"), 1, 1)
                .times(path("f"), new Timestamp(7, 7))
                .times(path(""), new Timestamp(5, 5));
        try (Trees trees = Trees.make().a(tree)) {
            // The kernel's clock for these times ticks every few milliseconds: a tree is created in each tick.
            CompareOptions options = CompareOptions.defaults().comparing(DifferenceKind.parse("times"));
            Awaitility.await().until(() -> {
                trees.b(w -> w.special(path("tick"), EntryKind.FIFO, 0));
                Files.delete(trees.b().resolve("tick"));
                return Files.getLastModifiedTime(trees.b()).compareTo(Files.getLastModifiedTime(trees.a())) > 0;
            });
            trees.b(tree);
            assertThat(trees.compare(CompareOptions.defaults()).differences()).isEmpty();
            assertThat(trees.compare(options).all()).extracting(Difference::kind)
                    .contains(DifferenceKind.CTIME, DifferenceKind.BTIME);
            trees.b(w -> w.times(path("f"), new Timestamp(7, 8)));
            assertThat(trees.compare(options).differences()).contains("f: atime 7.000000007 | 7.000000008",
                    "f: mtime 7.000000007 | 7.000000008");
        }
    }

    @Test
    void hardLinkGroupsAreComparedAsPartitions() {
        Consumer<TreeWriter> separate = w -> w.file(path("a"), 1, 1).file(path("b"), 1, 1).file(path("d/c"), 1, 1);
        assertFinds(w -> separate.accept(w),
                w -> w.file(path("a"), 1, 1).hardLink(path("a"), path("b")).hardLink(path("a"), path("d/c")), NO_TIMES,
                "a: links alone | with b and 1 more", "b: links alone | with a and 1 more",
                "d/c: links alone | with a and 1 more");
        Consumer<TreeWriter> linked = w -> w.file(path("a"), 1, 1)
                .hardLink(path("a"), path("b"))
                .file(path("c"), 1, 1)
                .hardLink(path("c"), path("d"));
        assertFinds(linked, linked, NO_TIMES);
        assertFinds(linked,
                w -> w.file(path("a"), 1, 1)
                        .hardLink(path("a"), path("c"))
                        .file(path("b"), 1, 1)
                        .hardLink(path("b"), path("d")),
                NO_TIMES.ignoring(DifferenceKind.parse("content")), "a: links with b | with c",
                "b: links with a | with d", "c: links with d | with a", "d: links with c | with b");
    }

    @Test
    void linksThatLeadOutOfTheTreeDoNotMatter() {
        try (Trees trees = Trees.make()
                .a(w -> w.file(path("t/a"), 1, 1).hardLink(path("t/a"), path("outside")))
                .b(w -> w.file(path("t/a"), 1, 1))) {
            Found found = Trees.compare(Linux.calls(), NO_TIMES, trees.a().resolve("t"), trees.b().resolve("t"));
            assertThat(found.differences()).isEmpty();
        }
    }

    @Test
    void aTreeIsTheSameAsItself() {
        try (Trees trees = Trees.make().a(w -> w.file(path("d/a"), 9, 1).hardLink(path("d/a"), path("b")))) {
            Found found = Trees.compare(Linux.calls(), CONTENT.comparing(DifferenceKind.parse("times")), trees.a(),
                    trees.a());
            assertThat(found.differences()).isEmpty();
            assertThat(found.result().counts().bytes()).isZero();
        }
    }

    @Test
    void excludedEntriesAreComparedOnNeitherSide() {
        EntryFilter filter = (path, isDirectory) -> path.name().toString().endsWith(".tmp")
                || isDirectory && path.name().toString().startsWith("dir");
        assertFinds(w -> w.file(path("x/a.tmp"), 1, 1).file(path("dir1/a"), 1, 1).file(path("dir2"), 1, 1),
                w -> w.file(path("x/b.tmp"), 1, 1).file(path("dir1"), 1, 1).file(path("dir2/a"), 1, 1),
                NO_TIMES.withFilter(filter), "dir1: only in B (regular)", "dir2: only in A (regular)");
    }

    @Test
    void aSelectionHoldsForBothSides() {
        try (Trees trees = Trees.make()
                .both(w -> w.file(path("d/same"), 1, 1).file(path("d/e/f"), 1, 1).file(path("d/e/g"), 1, 1))
                .a(w -> w.file(path("unlisted"), 1, 1).file(path("d/a"), 1, 1).file(path("d/e/deep"), 1, 1))
                .b(w -> w.file(path("d/b"), 1, 1).file(path("d/not"), 1, 1))) {
            SelectedPaths selection = SelectedPaths.following();
            for (String selected : List.of("d/same", "d/a", "d/b", "d/e", "none")) {
                selection.add(TreePath.of(path(selected).toBytes()));
            }
            Found found = Trees.compare(Linux.calls(), NO_TIMES, Root.of(Trees.bytes(trees.a()), selection),
                    Trees.bytes(trees.b()));
            assertThat(found.differences()).containsExactly("d/a: only in A (regular)", "d/b: only in B (regular)",
                    "d/e/deep: only in A (regular)");
            assertThat(found.failures()).containsExactly("ERROR A none stat 2");
        }
    }

    @Test
    void linksOnTheWayToSelectedPathsAreFollowedOnBothSides() {
        try (Trees trees = Trees.make()
                .both(w -> w.file(path("real/d/f"), 1, 1).symlink(path("link"), path("real")))
                .b(w -> w.file(path("real/d/g"), 1, 1))) {
            SelectedPaths selection = SelectedPaths.following();
            selection.add(TreePath.of(path("link/d").toBytes()));
            Found found = Trees.compare(Linux.calls(), NO_TIMES, Root.of(Trees.bytes(trees.a()), selection),
                    Trees.bytes(trees.b()));
            assertThat(found.differences()).containsExactly("link/d/g: only in B (regular)");
            assertThat(found.failures()).isEmpty();
        }
    }

    @Test
    void singleFilesCanBeRoots() {
        try (Trees trees = Trees.make().a(w -> w.file(path("f"), 500_000, 1)).b(w -> w.file(path("g"), 500_000, 2))) {
            Found found = Trees.compare(Linux.calls(), CONTENT.withChunkBytes(1000), trees.a().resolve("f"),
                    trees.b().resolve("g"));
            assertThat(found.differences()).hasSize(1).first().asString().startsWith(".: content differs at byte");
        }
    }

    @Test
    void rootsThatAreLinksAreFollowedOnRequest() {
        Consumer<TreeWriter> tree = w -> w.file(path("real/f"), 1, 1)
                .file(path("file"), 9, 9)
                .attribute(path("file"), path("user.a"), path("b"))
                .symlink(path("link"), path("real"))
                .symlink(path("other"), path("file"));
        try (Trees trees = Trees.make().a(tree).b(tree).b(w -> w.file(path("real/g"), 1, 1))) {
            CompareOptions follow = CONTENT.withFollowRoots(true);
            assertThat(Trees.compare(Linux.calls(), CONTENT, trees.a().resolve("link"), trees.b().resolve("link"))
                    .differences()).isEmpty();
            assertThat(Trees.compare(Linux.calls(), follow, trees.a().resolve("link"), trees.b().resolve("link"))
                    .differences()).containsExactly("g: only in B (regular)");
            assertThat(Trees.compare(Linux.calls(), follow, trees.a().resolve("other"), trees.b().resolve("file"))
                    .differences()).isEmpty();
            assertThat(Trees.compare(Linux.calls(), follow, trees.a().resolve("other"), trees.b().resolve("real"))
                    .differences()).containsExactly(".: kind regular | directory");
        }
    }

    @Test
    void aRootThatIsNotThereIsTrouble() {
        try (Trees trees = Trees.make()) {
            Found found = Trees.compare(Linux.calls(), NO_TIMES, trees.a(), trees.b().resolve("none"));
            assertThat(found.failures()).containsExactly("ERROR B . stat 2");
            assertThat(found.result().hasTrouble()).isTrue();
            assertThat(Trees.compare(Linux.calls(), NO_TIMES, trees.a().resolve("none"), trees.b()).failures())
                    .containsExactly("ERROR A . stat 2");
        }
    }

    @Test
    void aPartIsComparedOnlyWithAWalkerThatHandlesAPart() {
        TreeComparer comparer = TreeComparer.of(Linux.calls(), NO_TIMES);
        assertThatThrownBy(() -> comparer.comparePart(Root.of(ByteString.of("a")), ByteString.of("b"), difference -> {
        }, EventListener.none(), new Progress(), new Cancellation())).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the walker must handle a part only");
    }
}
