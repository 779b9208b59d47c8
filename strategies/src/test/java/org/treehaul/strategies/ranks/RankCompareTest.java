// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.treehaul.core.compare.CompareOptions;
import org.treehaul.core.compare.CompareResult;
import org.treehaul.core.compare.ComparedPart;
import org.treehaul.core.compare.Difference;
import org.treehaul.core.compare.DifferenceKind;
import org.treehaul.core.compare.TreeComparer;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.options.Root;
import org.treehaul.strategies.ranks.communicator.Broadcast;
import org.treehaul.strategies.ranks.communicator.Gather;
import org.treehaul.strategies.ranks.communicator.Transport;

/** A comparison by ranks finds the same differences as one by threads, whether or not the ranks share memory. */
class RankCompareTest {

    private static final CompareOptions OPTIONS = CompareOptions.defaults()
            .ignoring(DifferenceKind.parse("times"))
            .withContent(true)
            .withThreads(1);
    private static TestDirectory directory;
    private static Found expected;

    /** The differences and the result of a comparison, in a defined order. */
    private record Found(List<String> differences, CompareResult result) {}

    static List<Distribution> distributions() {
        return Distribution.all();
    }

    static Stream<Arguments> groups() {
        return distributions().stream()
                .flatMap(distribution -> Stream.of(1, 2, 4, 8).map(ranks -> Arguments.of(distribution, ranks)));
    }

    @BeforeAll
    static void makeTrees() {
        directory = TestDirectory.onTmpfs();
        make("A", RankCompareTest::both);
        make("B", RankCompareTest::both);
        make("A", RankCompareTest::onlyA);
        make("B", RankCompareTest::onlyB);
        expected = byThreads(Linux.calls());
        assertThat(expected.differences()).hasSizeGreaterThan(200);
    }

    private static void make(String name, Consumer<TreeWriter> making) {
        if (!directory.resolve(name).toFile().isDirectory()) {
            directory.directory(name);
        }
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), directory.resolve(name))) {
            making.accept(writer);
        }
    }

    // Large enough that parts of one listing go to several ranks.
    private static void both(TreeWriter writer) {
        for (int i = 0; i < 30; i++) {
            for (int j = 0; j < 4; j++) {
                writer.file(path("wide/d" + i + "/e" + j + "/f"), 10, i);
            }
        }
        for (int i = 0; i < 1500; i++) {
            writer.special(path("large/a-name-of-some-length-" + i), EntryKind.FIFO, 0);
        }
        for (int i = 0; i < 20; i++) {
            writer.file(path("linked/first-" + i), 3, i).hardLink(path("linked/first-" + i), path("wide/d" + i + "/l"));
        }
    }

    private static void onlyA(TreeWriter writer) {
        for (int i = 0; i < 60; i++) {
            writer.file(path("large/a-" + i), 5, i);
        }
        writer.file(path("wide/d3/e1/more"), 1, 1).directory(path("gone/below"));
        writer.remove(path("wide/d4/e2/f")).file(path("wide/d4/e2/f"), 10, 99);
        writer.hardLink(path("linked/first-7"), path("large/other-name-of-7"));
    }

    private static void onlyB(TreeWriter writer) {
        for (int i = 0; i < 70; i++) {
            writer.file(path("large/b-" + i), 5, i).file(path("wide/d" + i % 30 + "/b-" + i), 1, 1);
        }
        writer.file(path("large/other-name-of-7"), 3, 7).symlink(path("wide/d9/e3/link"), path("x"));
        writer.remove(path("wide/d12/e2/f")).directory(path("wide/d12/e2/f"));
    }

    @AfterAll
    static void removeTrees() {
        directory.close();
    }

    private static ByteString path(String text) {
        return ByteString.of(text);
    }

    private static Root root(String name) {
        return Root.of(path(directory.resolve(name).toString()));
    }

    private static Found byThreads(FileSystemCalls calls) {
        List<String> differences = new ArrayList<>();
        CompareResult result = TreeComparer.of(calls, OPTIONS)
                .compare(root("A"), root("B").path(), difference -> differences.add(difference.toString()),
                        EventListener.none(), new Progress(), new Cancellation());
        return new Found(differences.stream().sorted().toList(), result);
    }

    private static Found byRanks(FileSystemCalls calls, Distribution distribution, int ranks) {
        List<Difference> differences = Collections.synchronizedList(new ArrayList<>());
        CompareResult result = TreeComparer.of(calls, OPTIONS)
                .withWalking(walk -> RankWalk.onTwoTrees(calls, walk, distribution, ranks))
                .compare(root("A"), root("B").path(), differences::add, EventListener.none(), new Progress(),
                        new Cancellation());
        return new Found(differences.stream().map(Difference::toString).sorted().toList(), result);
    }

    // Compares as separate processes do: each rank has its own comparer, and only bytes go from one to another.
    private static Found byParts(FileSystemCalls calls, Distribution distribution, int ranks) {
        return byParts(rank -> calls, distribution, ranks, "");
    }

    private static Found byParts(IntFunction<FileSystemCalls> callsOf, Distribution distribution, int ranks,
            String below) {
        List<Difference> differences = Collections.synchronizedList(new ArrayList<>());
        List<CompareResult> sums = Collections.synchronizedList(new ArrayList<>());
        List<Integer> hosts = Stream.iterate(0, host -> host + 1).limit(ranks).toList();
        Transport.threads().run(hosts, communicator -> {
            FileSystemCalls calls = callsOf.apply(communicator.rank());
            ComparedPart part = TreeComparer.of(calls, OPTIONS)
                    .withWalking(walk -> RankWalk.onTwoTrees(calls, walk, distribution, 1)
                            .withTransport((one, rank) -> rank.accept(communicator))
                            .sharedNothing())
                    .comparePart(root("A" + below), root("B" + below).path(), differences::add, EventListener.none(),
                            new Progress(), new Cancellation());
            List<byte[]> parts = Gather.inFirst(communicator, part.toBytes(), new Cancellation());
            if (!parts.isEmpty()) {
                sums.add(ComparedPart.sum(parts, differences::add));
            }
            String count = Integer.toString(sums.size());
            assertThat(Broadcast.fromFirst(communicator, count, new Cancellation()).text()).isEqualTo("1");
        });
        return new Found(differences.stream().map(Difference::toString).sorted().toList(), sums.getFirst());
    }

    @ParameterizedTest
    @MethodSource("groups")
    void ranksOfOneProcessFindTheDifferencesThatThreadsFind(Distribution distribution, int ranks) {
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
        assertThat(byRanks(calls, distribution, ranks)).isEqualTo(expected);
        assertThat(calls.openDescriptors()).as("left open").isEmpty();
    }

    // Each process reads the data of a file once for the names that it compares.
    private static void assertEqual(Found byParts, Found byThreads) {
        assertThat(byParts.result().counts().bytes()).isGreaterThanOrEqualTo(byThreads.result().counts().bytes());
        assertThat(withoutBytes(byParts)).isEqualTo(withoutBytes(byThreads));
    }

    private static Found withoutBytes(Found found) {
        CompareResult result = found.result();
        Progress.Snapshot counts = result.counts();
        return new Found(found.differences(),
                new CompareResult(
                        new Progress.Snapshot(counts.entries(), counts.files(), counts.directories(), 0,
                                counts.verifiedBytes(), counts.skipped(), counts.failures()),
                        result.differences(), result.failures(), result.isComplete()));
    }

    @ParameterizedTest
    @MethodSource("groups")
    void ranksThatShareOnlyMessagesFindTheDifferencesThatThreadsFind(Distribution distribution, int ranks) {
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
        assertEqual(byParts(calls, distribution, ranks), expected);
        assertThat(calls.openDescriptors()).as("left open").isEmpty();
    }

    @Test
    void unreadableEntriesAreTroubleAndNotMissing() {
        Fault[] faults = {Fault.on(Call.OPENAT).named("e1").fails(Errno.EACCES),
                Fault.on(Call.STATX).named("b-17").fails(Errno.EIO)};
        Found trouble = byThreads(FaultInjectingCalls.over(Linux.calls(), faults));
        assertThat(trouble.result().hasTrouble()).isTrue();
        for (int ranks : new int[]{2, 5}) {
            FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(), faults);
            assertThat(byRanks(calls, Distribution.randomSplit(), ranks)).isEqualTo(trouble);
            assertEqual(byParts(calls, Distribution.equalSplit(), ranks), trouble);
        }
    }

    // A rank is mostly given work deep in this tree: so several groups try it.
    @Test
    @Timeout(value = 2, unit = TimeUnit.MINUTES) // a rank that fails in another way may leave the other waiting
    void aDirectoryOnTheWayThatARankCannotEnterIsTroubleAndNothingWorse() {
        for (String name : List.of("Adeep", "Bdeep")) {
            make(name, writer -> {
                for (int i = 0; i < 100; i++) {
                    writer.file(path("on/the/way/d" + i + "/f"), 1, i);
                }
            });
        }
        int troubles = 0;
        for (int group = 0; group < 20; group++) {
            FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                    Fault.on(Call.OPENAT).named("on").nth(2).fails(Errno.EACCES));
            CompareResult result = byParts(rank -> rank == 1 ? calls : Linux.calls(), Distribution.equalSplit(), 2,
                    "deep").result();
            assertThat(calls.openDescriptors()).as("left open").isEmpty();
            troubles += result.hasTrouble() ? 1 : 0;
        }
        assertThat(troubles).as("groups where it happened").isPositive();
    }
}
