// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.summary;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

class TreeSummaryTest {

    private final TestDirectory directory = TestDirectory.onTmpfs();
    private final List<Event> events = Collections.synchronizedList(new ArrayList<>());
    private final Progress progress = new Progress();

    @AfterEach
    void delete() {
        directory.close();
    }

    private static WalkOptions options(int threads) {
        return WalkOptions.defaults().withThreads(threads).withStatus(true);
    }

    private Root root() {
        return Root.of(ByteString.of(directory.resolve("t")));
    }

    private TreeSummary summary(FileSystemCalls calls, int threads) {
        return TreeSummary.of(TreeWalker.of(calls, options(threads)), List.of(root()), events::add, progress,
                new Cancellation());
    }

    // Each entry by itself, by the status that the walk makes for it.
    private TreeSummary oneByOne() {
        TreeSummary.Counter counter = new TreeSummary.Counter();
        TreeWalker.of(Linux.calls(), options(1)).walk(List.of(root()), () -> entry -> {
            counter.count(entry.path().below(root().path()), entry.path().depth(), entry.status().orElseThrow());
            return Step.CONTINUE;
        }, new Cancellation());
        return counter.sum(Map.of(), true);
    }

    @Test
    void sumsTooLargeForALongAreTheLargestLong() throws IOException {
        directory.directory("t");
        for (String name : List.of("t/a", "t/b", "t/c")) {
            try (RandomAccessFile file = new RandomAccessFile(directory.resolve(name).toFile(), "rw")) {
                file.setLength(Long.MAX_VALUE);
            }
        }
        Files.createLink(directory.resolve("t/again"), directory.resolve("t/c"));
        for (TreeSummary sum : List.of(summary(Linux.calls(), 1), summary(Linux.calls(), 2), oneByOne())) {
            assertThat(sum.apparentBytes()).isEqualTo(Long.MAX_VALUE);
            assertThat(sum.sizes().getLast().bytes()).isEqualTo(Long.MAX_VALUE);
            assertThat(sum.sizes().getLast().files()).isEqualTo(4);
            assertThat(sum.allocatedBytes()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    void filesCountedTogetherHaveTheSumsOfFilesCountedOneByOne(int threads) throws IOException {
        Path top = directory.directory("t");
        for (int d = 0; d < 4; d++) {
            Path at = directory.directory("t/d" + d);
            for (int i = 0; i < 50; i++) {
                Path file = Files.write(at.resolve("f" + i), new byte[i * i * (d + 1)]);
                if (i % 7 == d) {
                    Files.createLink(top.resolve("l" + d + "-" + i), file);
                }
                if (i % 11 == d) {
                    Files.createSymbolicLink(at.resolve("s" + i), file);
                }
            }
            Files.createDirectory(at.resolve("empty"));
        }
        TreeSummary expected = oneByOne();
        assertThat(expected.entries()).containsEntry(EntryKind.REGULAR, 200L + expected.linkedFiles())
                .containsEntry(EntryKind.DIRECTORY, 9L);
        TreeSummary sum = summary(Linux.calls(), threads);
        assertThat(sum.entries()).isEqualTo(expected.entries());
        assertThat(sum.apparentBytes()).isEqualTo(expected.apparentBytes());
        assertThat(sum.allocatedBytes()).isEqualTo(expected.allocatedBytes());
        assertThat(sum.sizes()).isEqualTo(expected.sizes());
        assertThat(sum.linkedNames()).isEqualTo(expected.linkedNames());
        assertThat(sum.linkedFiles()).isEqualTo(expected.linkedFiles());
        assertThat(sum.largest()).isEqualTo(expected.largest());
        assertThat(sum.deepest().orElseThrow().value()).isEqualTo(2);
        assertThat(sum.isComplete()).isTrue();
        assertThat(progress.snapshot().entries()).isEqualTo(expected.totalEntries());
        assertThat(progress.snapshot().files()).isEqualTo(expected.entries().get(EntryKind.REGULAR));
        assertThat(progress.snapshot().directories()).isEqualTo(9);
    }

    @Test
    void theLargestAndTheDeepestFileAreNamed() throws IOException {
        Files.createDirectories(directory.resolve("t/a/b"));
        for (int i = 0; i < 40; i++) {
            Files.write(directory.resolve("t/a/f" + i), new byte[i == 23 ? 5000 : 10]);
        }
        Path deep = Files.write(directory.resolve("t/a/b/only"), new byte[20]);
        TreeSummary sum = summary(Linux.calls(), 1);
        assertThat(sum.largest()).contains(new TreeSummary.Extreme(ByteString.of(directory.resolve("t/a/f23")), 5000));
        assertThat(sum.deepest()).contains(new TreeSummary.Extreme(ByteString.of(deep), 3));
    }

    @Test
    void aFileWhoseStatusFailsIsReportedOnceAndAllOthersCount() throws IOException {
        directory.directory("t");
        for (int i = 0; i < 40; i++) {
            Files.write(directory.resolve("t/f" + i), new byte[i * 100]);
        }
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.STATX).named("f3").fails(Errno.EACCES),
                Fault.on(Call.STATX).named("f4").nth(1).fails(Errno.EINTR));
        TreeSummary sum = summary(calls, 1);
        assertThat(events).singleElement()
                .satisfies(event -> assertThat(event.toString()).contains("f3").doesNotContain("f30"));
        assertThat(sum.entries()).containsEntry(EntryKind.REGULAR, 39L);
        assertThat(sum.apparentBytes()).isEqualTo(39 * 40 / 2 * 100 - 300);
        assertThat(progress.snapshot().bytes()).isEqualTo(39 * 40 / 2 * 100 - 300);
    }

    @Test
    void filesInASharedDirectoryCountOnceHoweverItIsDivided() throws IOException {
        directory.directory("t");
        String longName = "n".repeat(180);
        for (int i = 0; i < 3000; i++) {
            Files.createFile(directory.resolve("t/" + longName + i));
            if (i % 100 == 0) {
                Files.createDirectory(directory.resolve("t/d" + longName + i));
            }
        }
        for (int i = 0; i < 3; i++) {
            assertThat(summary(Linux.calls(), 16).totalEntries()).isEqualTo(1 + 3000 + 30);
        }
    }
}
