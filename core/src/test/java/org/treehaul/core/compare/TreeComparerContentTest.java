// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.compare.Trees.NO_TIMES;
import static org.treehaul.core.compare.Trees.path;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.compare.Trees.Found;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.PosixAcl;
import org.treehaul.core.testing.TreeWriter;

class TreeComparerContentTest {

    private static final CompareOptions CONTENT = NO_TIMES.withContent(true);

    private static void assertFinds(Consumer<TreeWriter> a, Consumer<TreeWriter> b, CompareOptions options,
            String... expected) {
        try (Trees trees = Trees.make().a(a).b(b)) {
            trees.assertFinds(options, expected);
        }
    }

    @Test
    void contentIsComparedOnRequestAndItsFirstDifferenceReported() {
        byte[] one = new byte[1000];
        byte[] two = new byte[1000];
        two[777] = 1;
        try (Trees trees = Trees.make().a(w -> w.file(path("f"), one)).b(w -> w.file(path("f"), two))) {
            trees.assertFinds(NO_TIMES);
            trees.assertFinds(CONTENT, "f: content differs at byte 777");
        }
    }

    @Test
    void contentDistinguishesFilesIfSizesAreIgnored() {
        assertFinds(w -> w.file(path("f"), new byte[10]).file(path("e"), new byte[0]),
                w -> w.file(path("f"), new byte[12]).file(path("e"), new byte[1]),
                CONTENT.ignoring(DifferenceKind.parse("size")), "f: content differs at byte 10",
                "e: content differs at byte 0");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 65_535, 65_536, 131_071, 131_072, 199_999, 262_144, 499_998})
    void chunksOfLargeFilesReportTheFirstDifference(int at) {
        try (Trees trees = Trees.make().both(w -> w.file(path("d/f"), 500_000, 9))) {
            for (int chunk : new int[]{1_000, 65_536, 100_000, 499_999, 500_000}) {
                trees.assertFinds(CONTENT.withChunkBytes(chunk));
            }
            flip(trees.b().resolve("d/f"), at);
            flip(trees.b().resolve("d/f"), 499_999);
            for (int chunk : new int[]{1_000, 65_536, 100_000, 499_999, 500_000}) {
                trees.assertFinds(CONTENT.withChunkBytes(chunk), "d/f: content differs at byte " + at);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 33 << 20, (33 << 20) + 4095, (99 << 20) + 5})
    void chunksThatBecomeSmallerCoverAFileOnce(int at) {
        long size = 100L << 20;
        try (Trees trees = Trees.make().both(w -> w.sparse(path("f"), size, 0, 33 << 20, 99 << 20))) {
            CompareOptions options = CONTENT.withChunkBytes(24 << 20);
            Found found = trees.compare(options);
            assertThat(found.differences()).isEmpty();
            assertThat(found.result().counts().bytes()).isEqualTo(size);
            flip(trees.b().resolve("f"), at);
            trees.assertFinds(options, "f: content differs at byte " + at);
        }
    }

    private static void flip(Path file, int at) {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.seek(at);
            int old = open.read();
            open.seek(at);
            open.write(~old);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void holesThatBothHaveAreNotRead() {
        long size = 5L << 30;
        Consumer<TreeWriter> sparse = w -> w.sparse(path("f"), size, 0, 1 << 20, size - 4096).sparse(path("all"), size);
        try (Trees trees = Trees.make().both(sparse)) {
            FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
            Found found = trees.compare(calls, CONTENT);
            assertThat(found.differences()).isEmpty();
            assertThat(calls.count(Call.PREAD)).isLessThan(40);
            assertThat(found.result().counts().bytes()).isEqualTo(2 * size);
        }
    }

    @Test
    void dataInTheHoleOfTheOtherIsFound() {
        long size = 3L << 20;
        assertFinds(w -> w.sparse(path("f"), size, 0).sparse(path("g"), size),
                w -> w.sparse(path("f"), size, 0, 2 << 20).file(path("g"), new byte[3 << 10]),
                CONTENT.ignoring(DifferenceKind.parse("size")), "f: content differs at byte " + (2 << 20),
                "g: content differs at byte " + (3 << 10));
    }

    @Test
    void attributesAreComparedByNameAndValue() {
        Consumer<TreeWriter> both = w -> w.file(path("f"), 1, 1)
                .directory(path("d"))
                .attribute(path("f"), path("user.same"), path("v"));
        assertFinds(
                both.andThen(w -> w.attribute(path("f"), path("user.a"), path("1"))
                        .attribute(path("f"), path("user.x"), path("1"))
                        .attribute(path("d"), path("user.d"), ByteString.empty())),
                both.andThen(w -> w.attribute(path("f"), path("user.a"), path("2"))
                        .attribute(path("f"), path("user.y"), path("\n"))),
                NO_TIMES, "d: xattr user.d=\"\" | user.d absent",
                "f: xattr user.a=\"1\" user.x=\"1\" user.y absent | user.a=\"2\" user.x absent user.y=\"\\n\"");
    }

    @Test
    void accessControlListsAreCompared() {
        Consumer<TreeWriter> both = w -> w.file(path("f"), 1, 1).directory(path("d"));
        try (Trees trees = Trees.make()
                .a(both)
                .b(both)
                .a(w -> w.attribute(path("f"), PosixAcl.ACCESS, PosixAcl.of(1234, 4321)))
                .b(w -> w.attribute(path("d"), PosixAcl.DEFAULT, PosixAcl.of(1, 2)))) {
            Found found = trees.compare(NO_TIMES.ignoring(DifferenceKind.parse("mode")));
            assertThat(found.all()).extracting(Difference::kind).containsOnly(DifferenceKind.ACL);
            assertThat(found.differences()).hasSize(2);
            assertThat(found.differences().get(0)).startsWith("d: acl default:none | default:user::")
                    .contains("user:1:", "group:2:", "mask:", "other:");
            assertThat(found.differences().get(1)).startsWith("f: acl user::")
                    .contains("user:1234:")
                    .endsWith("| none");
            trees.assertFinds(NO_TIMES.ignoring(DifferenceKind.parse("mode,acl")));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1 << 30, 100_000, 1_000})
    void theDataOfAFileWithSeveralNamesAreReadOnce(int chunk) {
        int size = 500_000;
        Consumer<TreeWriter> names = w -> w.directory(path("d")).directory(path("e"));
        for (String name : new String[]{"d/2", "d/3", "e/4"}) {
            names = names.andThen(w -> w.hardLink(path("1"), path(name)));
        }
        // No name of the second file of A is a name of the same file in B.
        Consumer<TreeWriter> alone = w -> w.file(path("x"), 100, 1).file(path("y"), 100, 1);
        try (Trees trees = Trees.make()
                .a(w -> w.file(path("1"), size, 9).file(path("x"), 100, 1).hardLink(path("x"), path("y")))
                .b(w -> w.file(path("1"), size, 9))
                .both(names)
                .b(alone)) {
            Found found = trees.compare(CONTENT.withChunkBytes(chunk).ignoring(DifferenceKind.parse("links")));
            assertThat(found.differences()).isEmpty();
            assertThat(found.failures()).isEmpty();
            assertThat(found.result().counts().bytes()).isEqualTo(size + 200);
            assertThat(found.result().counts().files()).isEqualTo(6);
            flip(trees.b().resolve("1"), 400_000);
            trees.assertFinds(CONTENT.withChunkBytes(chunk).ignoring(DifferenceKind.parse("links")),
                    "1: content differs at byte 400000", "d/2: content differs at byte 400000",
                    "d/3: content differs at byte 400000", "e/4: content differs at byte 400000");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1 << 30, 1_000})
    void aFailureOfAFileWithSeveralNamesIsReportedForEachName(int chunk) {
        Consumer<TreeWriter> both = w -> w.file(path("1"), 50_000, 9).hardLink(path("1"), path("2"));
        try (Trees trees = Trees.make().both(both)) {
            FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                    Fault.on(Call.PREAD, Call.READ).fails(Errno.EIO));
            assertThat(trees.compare(calls, CONTENT.withChunkBytes(chunk)).failures()).hasSize(2)
                    .allMatch(failure -> failure.endsWith("pread 5") || failure.endsWith("read 5"));
        }
    }
}
