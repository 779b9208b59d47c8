// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.treehaul.core.copy.Copies;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.HostileTree;
import org.treehaul.core.testing.RandomTree;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.Walker;
import org.treehaul.core.walk.options.WalkOptions;

/** A copy by ranks equals the copy by threads. */
class RankCopyTest {

    private static final CopyOptions OPTIONS = Copies.archive().build();
    private static Copies tree;

    static List<Distribution> distributions() {
        return Distribution.all();
    }

    static Stream<Arguments> groups() {
        return distributions().stream()
                .flatMap(distribution -> Stream.of(1, 2, 4, 8).map(ranks -> Arguments.of(distribution, ranks)));
    }

    // Makes hard links that ranks meet in many directories, a directory that several ranks must share, directories that
    // only their metadata protects, and everything that RandomTree generates.
    @BeforeAll
    static void makeTree() {
        tree = Copies.onTmpfs();
        tree.with(RankCopyTest::make);
        RandomTree.make(Linux.calls(), tree.source().resolve("random"), 5, 200);
    }

    private static void make(TreeWriter writer) {
        for (int i = 0; i < 30; i++) {
            for (int j = 0; j < 4; j++) {
                writer.file(path("wide/d" + i + "/e" + j + "/f"), 10, i);
            }
            writer.mode(path("wide/d" + i), 0555);
        }
        for (int i = 0; i < 900; i++) {
            writer.file(path("large/a-name-of-some-length-" + i), 1 + i % 7, i);
            if (i % 9 == 0) {
                writer.hardLink(path("large/a-name-of-some-length-" + i), path("links/l" + i % 5 + "/" + i));
            }
        }
        writer.file(path("chunks/big"), 3_400_000, 1).directory(path("random"));
    }

    @AfterAll
    static void removeTree() {
        tree.close();
    }

    private static ByteString path(String text) {
        return ByteString.of(text);
    }

    private static BiFunction<FileSystemCalls, WalkOptions, Walker> ranks(Distribution distribution, int ranks,
            int threads) {
        return (calls, walk) -> RankWalk.onTwoTrees(calls, walk.withThreads(threads), distribution, ranks);
    }

    @ParameterizedTest
    @MethodSource("groups")
    void ranksCopyEveryEntryOnce(Distribution distribution, int ranks) {
        Copies copies = tree.through(ranks(distribution, ranks, ranks == 2 ? 3 : 1), distribution + "-" + ranks);
        Copies.Ran ran = copies.copy(
                Copies.archive().chunkBytes(HostileTree.CHUNK_BYTES).reportDone(true).verify(verifyOf(ranks)).build());
        ran.succeeds();
        copies.isCopied().hasNoTemporaries();
        assertThat(ran.done()).doesNotHaveDuplicates();
        assertThat(ran.result().counts().entries()).isEqualTo(ran.done().size());
        copies.remove();
    }

    // Verification completes later than the copy, and until then delays others.
    private static CopyOptions.Verify verifyOf(int ranks) {
        return ranks == 4 ? CopyOptions.Verify.XXH3 : CopyOptions.Verify.NONE;
    }

    @Test
    void hostileTreesAreCopied() {
        hostileTreeIsCopied(Distribution.hybrid());
        hostileTreeIsCopied(Distribution.centralized());
    }

    @ParameterizedTest
    @MethodSource("distributions")
    @Tag("campaign")
    void hostileTreesAreCopiedByEachDistribution(Distribution distribution) {
        hostileTreeIsCopied(distribution);
    }

    private static void hostileTreeIsCopied(Distribution distribution) {
        try (Copies copies = Copies.onTmpfs()) {
            HostileTree.make(Linux.calls(), copies.source());
            Copies byRanks = copies.through(ranks(distribution, 4, 1), "T");
            byRanks.copy(Copies.archive().chunkBytes(HostileTree.CHUNK_BYTES).build()).succeeds();
            byRanks.isCopied().hasNoTemporaries();
        }
    }

    @ParameterizedTest
    @MethodSource("distributions")
    void failuresAreThoseOfACopyByThreads(Distribution distribution) {
        Copies byThreads = tree.through(TreeWalker::of, "plain-" + distribution);
        Copies byRanks = tree.through(ranks(distribution, 4, 1), "failing-" + distribution);
        List<String> expected = byThreads.copy(OPTIONS, failures()).failed();
        Copies.Ran ran = byRanks.copy(OPTIONS, failures());
        assertThat(ran.failed()).isEqualTo(expected).hasSize(4);
        assertThat(ran.result().isComplete()).isTrue();
        byThreads.remove();
        byRanks.remove();
    }

    private static Fault[] failures() {
        return new Fault[]{Fault.on(Call.OPENAT).named("a-name-of-some-length-77").fails(Errno.EIO),
                Fault.on(Call.OPENAT).named("d17").times(1).fails(Errno.EACCES),
                Fault.on(Call.WRITE).named("a-name-of-some-length-500").fails(Errno.ENOSPC),
                Fault.on(Call.MKDIRAT).named("l3").fails(Errno.EDQUOT)};
    }

    @ParameterizedTest
    @MethodSource("distributions")
    void aFullDestinationEndsTheCopyOfAllRanks(Distribution distribution) {
        Copies copies = tree.through(ranks(distribution, 4, 1), "full-" + distribution);
        Copies.Ran ran = copies.copy(OPTIONS, Fault.on(Call.WRITE).from(50).fails(Errno.ENOSPC));
        assertThat(ran.result().isComplete()).isFalse();
        assertThat(ran.notices()).hasSize(1).first().asString().startsWith("giving up after 32 failures in a row");
        copies.copy(OPTIONS).succeeds();
        copies.isCopied().hasNoTemporaries();
        copies.remove();
    }

    @ParameterizedTest
    @MethodSource("distributions")
    void aCancelledCopyMadeAgainEndsRight(Distribution distribution) {
        Copies copies = tree.through(ranks(distribution, 3, 2), "cancelled-" + distribution);
        Cancellation cancellation = new Cancellation();
        Copies.Ran ran = copies.copy(OPTIONS, cancellation,
                Fault.on(Call.WRITE).nth(300).runs(invocation -> cancellation.cancel()));
        assertThat(ran.result().isComplete()).isFalse();
        assertThat(ran.failures()).isEmpty();
        copies.copy(OPTIONS).succeeds();
        copies.isCopied().hasNoTemporaries();
        copies.remove();
    }

    @Test
    void filtersAndOtherFileSystemsAreThoseOfACopyByThreads() {
        CopyOptions options = Copies.archive()
                .filter((entry, isDirectory) -> entry.toString().contains("1"))
                .oneFileSystem(true)
                .build();
        Copies byThreads = tree.through(TreeWalker::of, "filtered");
        byThreads.copy(options).succeeds();
        Copies byRanks = tree.through(ranks(Distribution.randomSplit(), 4, 1), "filtered-by-ranks");
        Copies.Ran ran = byRanks.copy(options).succeeds();
        assertThat(ran.result().counts().entries()).isPositive();
        assertThat(byRanks.targetListing().byPath().keySet()).isEqualTo(byThreads.targetListing().byPath().keySet());
    }

    @Test
    void anotherProgramSeesNoDifference() {
        Copies copies = tree.through(ranks(Distribution.hybrid(), 4, 2), "for-rsync");
        copies.copy(OPTIONS).succeeds();
        copies.agreesWithRsync();
    }

    @Test
    void aPartOfAWalkIsNoCopy() {
        Copies copies = tree
                .through((calls, walk) -> RankWalk.of(calls, walk, Distribution.hybrid(), 2).sharedNothing(), "part");
        assertThatThrownBy(() -> copies.copy(OPTIONS)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("part");
        assertThat(copies.target()).doesNotExist();
    }
}
