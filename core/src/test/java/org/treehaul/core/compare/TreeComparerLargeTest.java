// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.compare.Trees.NO_TIMES;
import static org.treehaul.core.compare.Trees.path;
import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.compare.Trees.Found;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.HostileTree;
import org.treehaul.core.testing.Names;
import org.treehaul.core.testing.TestDirectory;

/** Comparisons of trees that are large, deep or hostile. */
class TreeComparerLargeTest {

    // The bytes of a name in a directory on a disk; on a tmpfs it takes no space.
    private static final long BYTES_OF_NAME = 60;

    private static void makeEmptyFiles(Path directory, int count, int leftOut) throws SystemCallException {
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            int descriptor = access.open(AT_FDCWD, access.name(directory.toString().getBytes(StandardCharsets.UTF_8)),
                    O_DIRECTORY, 0);
            byte[] name = "a-name-of-some-length-00000000".getBytes(StandardCharsets.US_ASCII);
            for (int i = 0; i < count; i++) {
                int rest = i;
                for (int digit = name.length - 1; digit >= name.length - 8; digit--) {
                    name[digit] = (byte) ('0' + rest % 10);
                    rest /= 10;
                }
                MemorySegment nul = access.name(name);
                if (i != leftOut) {
                    FileAccess.check("mknod",
                            Linux.calls().mknodat(descriptor, nul, EntryKind.REGULAR.typeBits() | 0644, 0));
                }
            }
            access.closeQuietly(descriptor);
        }
    }

    @Test
    void aDirectoryOfManyNamesIsCompared() throws SystemCallException {
        largeDirectory(150_000);
    }

    @Test
    @Tag("campaign")
    void aDirectoryOfMillionsOfNamesIsCompared() throws SystemCallException {
        largeDirectory(3_000_000);
    }

    private static void largeDirectory(int count) throws SystemCallException {
        try (Trees trees = new Trees(TestDirectory.onTmpfs(BYTES_OF_NAME * count, count + 10))) {
            makeEmptyFiles(trees.a(), count, -1);
            // Compared with itself: creating and deleting a second such directory would take as long as all the rest.
            Found found = Trees.compare(Linux.calls(), NO_TIMES, trees.a(), trees.a());
            assertThat(found.failures()).isEmpty();
            assertThat(found.differences()).isEmpty();
            assertThat(found.result().counts().files()).isEqualTo(count);
        }
    }

    @Test
    void namesThatALargeDirectoryLacksAreFound() throws SystemCallException {
        int count = 30_000;
        try (Trees trees = new Trees(TestDirectory.onTmpfs(2 * BYTES_OF_NAME * count, 2 * count + 10))) {
            makeEmptyFiles(trees.a(), count, 12_345);
            makeEmptyFiles(trees.b(), count, 29_999);
            Found found = trees.compare(NO_TIMES);
            assertThat(found.failures()).isEmpty();
            assertThat(found.differences()).containsExactly("a-name-of-some-length-00012345: only in B (regular)",
                    "a-name-of-some-length-00029999: only in A (regular)");
            assertThat(found.result().counts().files()).isEqualTo(count - 2);
        }
    }

    @Test
    void aHostileTreeIsTheSameAsOneMadeLikeIt() {
        try (Trees trees = Trees.make()) {
            HostileTree.make(Linux.calls(), trees.a());
            HostileTree.make(Linux.calls(), trees.b());
            FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
            Found found = trees.compare(calls, NO_TIMES.withContent(true).withChunkBytes(HostileTree.CHUNK_BYTES));
            assertThat(found.differences()).isEmpty();
            assertThat(found.failures()).allMatch(failure -> failure.contains(" open 13") || failure.contains("MODES"));
            assertThat(calls.openDescriptors()).isEmpty();
        }
    }

    @Test
    void depthHasNoLimitOnEitherSide() {
        ByteString deep = ByteString.empty();
        for (int i = 0; i < 2_500; i++) {
            deep = Names.join(deep, "d");
        }
        ByteString bottom = deep;
        try (Trees trees = Trees.make()
                .both(w -> w.file(Names.join(bottom, "same"), 10, 1))
                .a(w -> w.file(Names.join(bottom, "f"), 10, 1))
                .b(w -> w.file(Names.join(bottom, "f"), 10, 2))) {
            FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
            Found found = trees.compare(calls, NO_TIMES.withContent(true).withDirectoryBudget(4));
            assertThat(found.differences()).hasSize(1).first().asString().endsWith("d/f: content differs at byte 0");
            assertThat(found.failures()).isEmpty();
            assertThat(calls.openDescriptors()).isEmpty();
        }
    }

    @Test
    void linksOfManyFilesAreFollowedThrough() {
        try (Trees trees = Trees.make().both(w -> {
            for (int i = 0; i < 300; i++) {
                w.file(path("a/f" + i), 1, 1).hardLink(path("a/f" + i), path("b/f" + i));
            }
        })) {
            trees.b(w -> w.hardLink(path("a/f7"), path("c")));
            assertThat(trees.compare(NO_TIMES).differences()).containsExactly("c: only in B (regular)");
        }
    }
}
