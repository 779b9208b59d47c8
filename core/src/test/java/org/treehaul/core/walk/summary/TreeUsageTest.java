// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.summary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.InterceptedCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkResult;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.Walker;
import org.treehaul.core.walk.listing.DirectoryRecords;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/** The space of directories and groups as a program gets it. */
class TreeUsageTest {

    private static final EventListener IGNORED = event -> {
    };

    private final TestDirectory directory = TestDirectory.onTmpfs();

    @AfterEach
    void delete() {
        directory.close();
    }

    private static Walker walker(int threads) {
        return TreeWalker.of(Linux.calls(), WalkOptions.defaults().withThreads(threads).withStatus(false));
    }

    private static Root root(Path path) {
        return Root.of(ByteString.of(path));
    }

    private void tree(String name, int width, int depth) throws IOException {
        Path at = directory.directory(name);
        for (int i = 0; i < width; i++) {
            Files.write(at.resolve("f" + i), new byte[i * 100]);
        }
        if (depth > 0) {
            for (int i = 0; i < width; i++) {
                tree(name + "/d" + i, width, depth - 1);
            }
        }
    }

    @Test
    void aFileWhoseStatusFailsIsReportedOnceAndAllOthersCount() throws IOException {
        tree("t", 40, 0);
        Files.createLink(directory.resolve("t/again"), directory.resolve("t/f7"));
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.STATX).named("f3").fails(Errno.EACCES),
                Fault.on(Call.STATX).named("f4").nth(1).fails(Errno.EINTR));
        List<Event> events = Collections.synchronizedList(new ArrayList<>());
        Progress progress = new Progress();
        TreeUsage sum = TreeUsage.of(TreeWalker.of(calls, WalkOptions.defaults().withThreads(1).withStatus(false)),
                List.of(root(directory.resolve("t"))), UsageOptions.defaults(), line -> {
                }, events::add, progress, new Cancellation());
        assertThat(events).singleElement()
                .satisfies(event -> assertThat(event.toString()).contains("f3").doesNotContain("f30"));
        // The directory itself, and 39 files, of which one has two names.
        assertThat(sum.total().entries()).isEqualTo(40);
        assertThat(sum.total().apparentBytes()).isEqualTo(39 * 40 / 2 * 100 - 300);
        assertThat(progress.snapshot().files()).isEqualTo(39);
        assertThat(progress.snapshot().bytes()).isEqualTo(39 * 40 / 2 * 100 - 300);
    }

    @Test
    void sumsTooLargeForALongAreTheLargestLong() throws IOException {
        directory.directory("t");
        directory.directory("t/d");
        for (String name : List.of("t/a", "t/b", "t/d/c")) {
            try (RandomAccessFile file = new RandomAccessFile(directory.resolve(name).toFile(), "rw")) {
                file.setLength(Long.MAX_VALUE);
            }
        }
        List<Usage> lines = Collections.synchronizedList(new ArrayList<>());
        List<Root> roots = List.of(root(directory.resolve("t")), root(directory.resolve("t/a")));
        TreeUsage sum = TreeUsage.of(walker(2), roots, UsageOptions.defaults(), line -> lines.add(line.usage()),
                IGNORED, new Progress(), new Cancellation());
        assertThat(lines).hasSize(2).allMatch(usage -> usage.apparentBytes() == Long.MAX_VALUE);
        assertThat(sum.total()).isEqualTo(new Usage(5, Long.MAX_VALUE, 0));
        assertThat(sum.total().plus(sum.total())).isEqualTo(new Usage(10, Long.MAX_VALUE, 0));
        assertThat(TreeUsage.ofGroups(walker(2), roots, new UsageGrouping<String>() {
            @Override
            public String keyOf(FileStatus status, Supplier<byte[]> name) {
                return "all";
            }

            @Override
            public String others() {
                return "others";
            }
        }, false, IGNORED, new Progress(), new Cancellation()).groups()).containsValue(sum.total());
    }

    // As those of many user-space file systems, which give none to . and .. either.
    @Test
    void aListingWithoutKindsGivesTheSameUsage() throws IOException {
        tree("t", 5, 2);
        FileSystemCalls untyped = new InterceptedCalls(Linux.calls()) {

            @Override
            protected long around(Call call, int descriptor, MemorySegment name, LongSupplier made) {
                return made.getAsLong();
            }

            @Override
            public int getdents64(int descriptor, MemorySegment buffer) {
                int length = calls.getdents64(descriptor, buffer);
                for (long at = 0; at < length; at += DirectoryRecords.length(buffer, at)) {
                    buffer.set(ValueLayout.JAVA_BYTE, at + DirectoryRecords.TYPE, (byte) 0);
                }
                return length;
            }
        };
        Progress progress = new Progress();
        TreeUsage sum = TreeUsage.of(TreeWalker.of(untyped, WalkOptions.defaults().withThreads(1).withStatus(false)),
                List.of(root(directory.resolve("t"))), UsageOptions.defaults(), line -> {
                }, IGNORED, progress, new Cancellation());
        assertThat(sum.total()).isEqualTo(usage(1, UsageOptions.defaults()).getLast().usage());
        assertThat(progress.snapshot().files()).isEqualTo(5 * (1 + 5 + 25));
        assertThat(progress.snapshot().directories()).isEqualTo(1 + 5 + 25);
    }

    @Test
    void aDirectoryThatThreadsShareCountsEachFileOnce() throws IOException {
        directory.directory("t");
        String longName = "n".repeat(180);
        // A tmpfs lists the newest first: the subdirectories, which are not read ahead with the files.
        for (int d = 0; d < 60; d++) {
            Path at = directory.directory("t/d" + d);
            for (int i = 0; i < 34; i++) {
                Files.createFile(at.resolve(longName + i));
            }
            for (int i = 0; i < 15; i++) {
                Files.createDirectory(at.resolve("d" + longName + i));
            }
        }
        for (int i = 0; i < 5; i++) {
            List<PathUsage> lines = usage(16, UsageOptions.defaults());
            assertThat(lines.getLast().usage().entries()).isEqualTo(1 + 60 * (1 + 34 + 15));
        }
    }

    private List<PathUsage> usage(int threads, UsageOptions options) {
        List<PathUsage> lines = Collections.synchronizedList(new ArrayList<>());
        TreeUsage sum = TreeUsage.of(walker(threads), List.of(root(directory.resolve("t"))), options, lines::add,
                IGNORED, new Progress(), new Cancellation());
        assertThat(sum.isComplete()).isTrue();
        Usage last = lines.getLast().usage();
        assertThat(options.separate() ? lines.stream().map(PathUsage::usage).reduce(Usage.NONE, Usage::plus) : last)
                .isEqualTo(sum.total());
        return lines;
    }

    @Test
    void aDirectoryComesAfterItsContentAndHasItsSum() throws IOException {
        tree("t", 4, 4);
        UsageOptions separate = UsageOptions.defaults().withSeparate(true);
        Map<ByteString, Usage> own = new HashMap<>();
        usage(1, separate).forEach(line -> own.put(line.path(), line.usage()));
        assertThat(own).hasSize(1 + 4 + 16 + 64 + 256);
        for (int threads : List.of(1, 8)) {
            Map<String, Usage> sums = new HashMap<>();
            for (PathUsage line : usage(threads, UsageOptions.defaults())) {
                String path = line.path().toString();
                Usage below = sums.entrySet()
                        .stream()
                        .filter(other -> other.getKey().matches(Pattern.quote(path) + "/[^/]*"))
                        .map(Map.Entry::getValue)
                        .reduce(own.get(line.path()), Usage::plus);
                assertThat(line.usage()).as(path).isEqualTo(below);
                sums.put(path, line.usage());
            }
            assertThat(sums).hasSize(own.size());
        }
    }

    @Test
    void eachDirectoryIsExaminedOnceIfTheWalkLeavesTheStatusToTheSums() throws IOException {
        tree("t", 3, 2);
        Map<Boolean, Usage> totals = new HashMap<>();
        for (boolean status : List.of(true, false)) {
            FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
            Walker walker = TreeWalker.of(calls, WalkOptions.defaults().withThreads(1).withStatus(status));
            TreeUsage sum = TreeUsage.of(walker, List.of(root(directory.resolve("t"))), UsageOptions.defaults(),
                    line -> {
                    }, IGNORED, new Progress(), new Cancellation());
            totals.put(status, sum.total());
            int directories = 1 + 3 + 9;
            // The root is examined before it is opened.
            assertThat(calls.count(Call.STATX))
                    .isEqualTo(3 * directories + directories + 1 + (status ? directories - 1 : 0));
        }
        assertThat(totals.get(false)).isEqualTo(totals.get(true));
    }

    @Test
    void aRootInsideAnEarlierOneCountsOnceInAnyOrder() throws IOException {
        tree("t", 2, 2);
        Path whole = directory.resolve("t");
        for (List<Path> roots : List.of(List.of(whole, whole.resolve("d0")), List.of(whole.resolve("d0"), whole))) {
            TreeUsage sum = TreeUsage.of(walker(2), roots.stream().map(TreeUsageTest::root).toList(),
                    UsageOptions.defaults(), line -> {
                    }, IGNORED, new Progress(), new Cancellation());
            assertThat(sum.total().entries()).isEqualTo(1 + 2 + 4 + 2 * (1 + 2 + 4));
        }
    }

    @Test
    void aDirectoryThatCannotBeOpenedCountsWithoutItsContent() throws IOException {
        tree("t", 2, 2);
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.OPENAT).named("d0").fails(Errno.EACCES));
        List<PathUsage> lines = new ArrayList<>();
        List<Event> failures = new ArrayList<>();
        Progress progress = new Progress();
        Walker walker = TreeWalker.of(calls, WalkOptions.defaults().withThreads(1).withStatus(false));
        TreeUsage sum = TreeUsage.of(walker, List.of(root(directory.resolve("t"))), UsageOptions.defaults(), lines::add,
                failures::add, progress, new Cancellation());
        assertThat(sum.total().entries()).isEqualTo(1 + 2 + 2 + (2 + 2 + 2)).isEqualTo(progress.snapshot().entries());
        assertThat(lines).filteredOn(line -> line.path().toString().endsWith("d0"))
                .extracting(line -> line.usage().entries())
                .containsExactly(1L, 1L);
        assertThat(failures).hasSize(2);
    }

    @Test
    void aRootInsideAnotherThatCannotBeOpenedCountsOnceInAnyOrder() throws IOException {
        tree("t", 2, 2);
        Path whole = directory.resolve("t");
        Path part = whole.resolve("d0");
        for (List<Path> roots : List.of(List.of(whole, part), List.of(part, whole))) {
            FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                    Fault.on(Call.OPENAT).named("d0").fails(Errno.EACCES));
            Walker walker = TreeWalker.of(calls, WalkOptions.defaults().withThreads(1).withStatus(false));
            TreeUsage sum = TreeUsage.of(walker, roots.stream().map(TreeUsageTest::root).toList(),
                    UsageOptions.defaults(), line -> {
                    }, IGNORED, new Progress(), new Cancellation());
            assertThat(sum.total().entries()).as("%s", roots).isEqualTo(1 + 2 + 2 + (2 + 2 + 2));
        }
    }

    @Test
    void onlyLevelsDownToTheDepthAreReported() throws IOException {
        tree("t", 2, 3);
        assertThat(usage(2, UsageOptions.defaults().withMaxDepth(1))).extracting(PathUsage::depth)
                .containsExactlyInAnyOrder(0, 1, 1);
        assertThat(usage(2, UsageOptions.defaults().withMaxDepth(1).withFiles(true)))
                .filteredOn(line -> line.kind() == EntryKind.REGULAR)
                .extracting(PathUsage::depth)
                .containsExactly(1, 1);
        assertThatThrownBy(() -> UsageOptions.defaults().withMaxDepth(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void groupsAddUpToTheTotal() throws IOException {
        tree("t", 3, 3);
        Files.createLink(directory.resolve("t/link"), directory.resolve("t/d0/f2"));
        UsageGrouping<Long> bySize = new UsageGrouping<>() {
            @Override
            public Long keyOf(FileStatus status, Supplier<byte[]> name) {
                return status.kind() == EntryKind.REGULAR ? status.size() : -1L;
            }

            @Override
            public Long others() {
                return -2L;
            }
        };
        for (boolean countsLinks : List.of(false, true)) {
            TreeUsage.Groups<Long> groups = TreeUsage.ofGroups(walker(4), List.of(root(directory.resolve("t"))), bySize,
                    countsLinks, IGNORED, new Progress(), new Cancellation());
            assertThat(groups.isComplete()).isTrue();
            assertThat(groups.groups().keySet()).containsExactlyInAnyOrder(-1L, 0L, 100L, 200L);
            assertThat(groups.groups().get(200L)).isEqualTo(
                    new Usage(countsLinks ? 41 : 40, countsLinks ? 8200 : 8000, (countsLinks ? 41 : 40) * 4096L));
            assertThat(groups.groups().values().stream().reduce(Usage.NONE, Usage::plus))
                    .isEqualTo(usage(2, UsageOptions.defaults().withCountLinks(countsLinks)).getLast().usage());
        }
    }

    @Test
    void aCancelledWalkIsIncompleteAndDoesNotReportItsRoot() throws IOException {
        tree("t", 3, 3);
        Cancellation cancellation = new Cancellation();
        List<PathUsage> lines = Collections.synchronizedList(new ArrayList<>());
        TreeUsage sum = TreeUsage.of(walker(1), List.of(root(directory.resolve("t"))), UsageOptions.defaults(),
                line -> {
                    lines.add(line);
                    cancellation.cancel();
                }, IGNORED, new Progress(), cancellation);
        assertThat(sum.isComplete()).isFalse();
        assertThat(lines).isNotEmpty().noneMatch(line -> line.depth() == 0);
    }

    @Test
    void aPartOfAWalkIsRefused() {
        Walker part = new Walker() {
            @Override
            public WalkOptions options() {
                return WalkOptions.defaults();
            }

            @Override
            public boolean isPart() {
                return true;
            }

            @Override
            public <D, H extends WalkHandler<D>> WalkResult<H> walkWith(List<Root> roots,
                    Function<WalkWorker<D>, H> handlers, Cancellation cancellation,
                    Consumer<List<WalkWorker<D>>> watcher) {
                throw new AssertionError("it walks");
            }
        };
        assertThatThrownBy(() -> TreeUsage.of(part, List.of(), UsageOptions.defaults(), line -> {
        }, IGNORED, new Progress(), new Cancellation())).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a process that walks it all");
    }
}
