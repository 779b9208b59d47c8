// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench.growth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.O_CREAT;
import static org.treehaul.core.fs.LinuxConstants.O_EXCL;
import static org.treehaul.core.fs.LinuxConstants.O_WRONLY;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.treehaul.core.compare.CompareOptions;
import org.treehaul.core.compare.DifferenceKind;
import org.treehaul.core.compare.TreeComparer;
import org.treehaul.core.copy.TreeCopier;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.ListedEntry;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.walk.options.Root;

/** The generated tree is one that the program can walk, copy and compare like any other. */
class GeneratedCallsTest {

    private static GeneratedCalls calls(TestDirectory directory, GeneratedTree tree, boolean isWhole) {
        return new GeneratedCalls(Linux.calls(), directory.path(), tree, isWhole);
    }

    private static Path source(TestDirectory directory) {
        return directory.path().resolve(GeneratedCalls.SOURCE);
    }

    private static Path copy(TestDirectory directory) {
        return directory.path().resolve(GeneratedCalls.COPY);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "17, 1", "100, 99", "101, 100", "102, 100", "1717, 7", "5000, 3"})
    void aWalkFindsEachEntryUnderItsPath(long entries, int files) {
        try (TestDirectory directory = TestDirectory.onTmpfs()) {
            GeneratedTree tree = new GeneratedTree(entries, files, 3);

            Map<ByteString, ListedEntry> found = new TreeMap<>(
                    TreeListing.of(calls(directory, tree, false), source(directory)).byPath());

            found.remove(ByteString.empty());
            assertThat(found.keySet().stream().map(ByteString::toString)).containsExactlyInAnyOrderElementsOf(
                    LongStream.rangeClosed(1, entries).mapToObj(tree::path).toList());
        }
    }

    @Test
    void theSameSeedGivesTheTreeThatIsWrittenToADisk() throws IOException {
        try (TestDirectory directory = TestDirectory.onTmpfs(); TestDirectory disk = TestDirectory.onTmpfs()) {
            GeneratedTree tree = new GeneratedTree(500, 20, 7);
            GrowthPlace real = new GrowthPlace(disk.path(), new GeneratedTree(500, 20, 7), true, 0);
            real.make();

            assertThat(LongStream.rangeClosed(1, 500).filter(node -> tree.size(node) > 0 && !tree.isDirectory(node)))
                    .as("files that are not empty")
                    .hasSizeBetween(20, 100);
            assertThat(
                    TreeComparer
                            .of(calls(directory, tree, false),
                                    CompareOptions.defaults()
                                            .withContent(true)
                                            .ignoring(Set.of(DifferenceKind.MTIME, DifferenceKind.MODE,
                                                    DifferenceKind.GROUP)))
                            .compare(Root.of(ByteString.of(source(directory))), ByteString.of(real.source()),
                                    difference -> {
                                        throw new AssertionError(difference);
                                    }, EventListener.none(), new Progress(), new Cancellation())
                            .isComplete())
                    .isTrue();
        }
    }

    @Test
    void aCopyLeavesNothingOnTheDisk() throws IOException {
        try (TestDirectory directory = TestDirectory.onTmpfs()) {
            GeneratedTree tree = new GeneratedTree(1000, 30, 1);

            assertThat(TreeCopier.of(calls(directory, tree, false), CopyOptions.archive().build())
                    .copy(List.of(
                            new CopyPair(Root.of(ByteString.of(source(directory))), ByteString.of(copy(directory)))),
                            event -> {
                                throw new AssertionError(event);
                            }, new Progress(), new Cancellation())
                    .counts()
                    .files()).isEqualTo(tree.files());

            assertThat(directory.path()).isEmptyDirectory();
        }
    }

    @Test
    void aWholeCopyEqualsTheSource() {
        try (TestDirectory directory = TestDirectory.onTmpfs()) {
            GeneratedTree tree = new GeneratedTree(1000, 30, 1);

            assertThat(TreeComparer.of(calls(directory, tree, true), CompareOptions.defaults().withContent(true))
                    .compare(Root.of(ByteString.of(source(directory))), ByteString.of(copy(directory)), difference -> {
                        throw new AssertionError(difference);
                    }, EventListener.none(), new Progress(), new Cancellation())
                    .isComplete()).isTrue();
        }
    }

    @Test
    void theSourceCannotBeChanged() throws SystemCallException {
        try (TestDirectory directory = TestDirectory.onTmpfs()) {
            FileSystemCalls calls = calls(directory, new GeneratedTree(10, 5, 1), false);
            try (FileAccess access = FileAccess.open(calls)) {
                byte[] file = ByteString.of(source(directory).resolve("new")).toBytes();

                assertThat(access.tryOpen(AT_FDCWD, access.name(file), O_CREAT | O_EXCL | O_WRONLY, 0600))
                        .isEqualTo(-Errno.EROFS);
                assertThat(calls.mkdirat(AT_FDCWD, access.name(file), 0700)).isEqualTo(-Errno.EROFS);
                assertThat(calls.unlinkat(AT_FDCWD,
                        access.name(ByteString.of(source(directory).resolve("f0")).toBytes()), 0))
                        .isEqualTo(-Errno.EROFS);
                assertThat(LongPath.find(access, ByteString.of(source(directory).resolve("new")), false)).isNull();
            }
        }
    }

    @Test
    void otherPathsAreThoseOfTheDisk() throws IOException, SystemCallException {
        try (TestDirectory directory = TestDirectory.onTmpfs()) {
            Files.writeString(directory.path().resolve("file"), "text");
            try (FileAccess access = FileAccess.open(calls(directory, new GeneratedTree(10, 5, 1), false))) {
                assertThat(LongPath.status(access, ByteString.of(directory.path().resolve("file")), true).size())
                        .isEqualTo(4);
                int above = LongPath.open(access, ByteString.of(source(directory) + "/.."), 0);
                assertThat(access.status(above, access.name(ByteString.of("file").toBytes())).size()).isEqualTo(4);
                assertThat(access.status(above, access.name(ByteString.of("source/f0").toBytes())).linkCount())
                        .isEqualTo(1);
                access.close(above);
            }
        }
    }
}
