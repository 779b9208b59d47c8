// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.remove.RemoveOptions;
import org.treehaul.core.remove.RemoveResult;
import org.treehaul.core.remove.TreeRemover;
import org.treehaul.core.testing.GnuRm;
import org.treehaul.core.testing.ListedEntry;
import org.treehaul.core.testing.RandomTree;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.ForwardingCommunicator;
import org.treehaul.strategies.ranks.communicator.Transport;

/** A removal by ranks removes the same entries as one by threads. */
class RankRemoveTest {

    private static final RemoveOptions OPTIONS = new RemoveOptions(true, false, false, false, true, 1);

    static Stream<Arguments> groups() {
        return Distribution.all().stream().flatMap(distribution -> Stream.of(2, 3, 4).map(ranks -> {
            return Arguments.of(distribution, ranks, distribution.name().hashCode() + ranks);
        }));
    }

    /** A removal and its events as text. */
    private record Ran(RemoveResult result, List<String> failures, List<String> removed) {}

    private static Ran remove(TreeRemover remover, List<ByteString> paths) {
        List<String> failures = Collections.synchronizedList(new ArrayList<>());
        List<String> removed = Collections.synchronizedList(new ArrayList<>());
        RemoveResult result = remover.remove(paths, event -> {
            switch (event) {
                case Event.Failed e -> failures.add(e.failure().kind() + " " + e.failure());
                case Event.Changed e -> throw new AssertionError(e);
                case Event.Ran e -> throw new AssertionError(e);
                case Event.Removed e -> removed.add(e.path().toString());
                case Event.Notice e -> throw new AssertionError(e);
                case Event.Done e -> throw new AssertionError(e);
            }
        }, new Progress(), new Cancellation());
        return new Ran(result, failures.stream().sorted().toList(), List.copyOf(removed));
    }

    private static TreeRemover byRanks(FileSystemCalls calls, Distribution distribution, int ranks,
            Transport transport) {
        return TreeRemover.of(calls, OPTIONS)
                .withWalking(walk -> RankWalk.of(calls, walk, distribution, ranks).withTransport(transport));
    }

    // Directories that several ranks share, in addition to a random tree.
    private static void make(Path tree, long seed) throws IOException {
        RandomTree.make(Linux.calls(), tree, seed, 150);
        Path wide = Files.createDirectories(tree.resolve("shared/wide"));
        Path large = Files.createDirectories(tree.resolve("shared/large"));
        for (int i = 0; i < 30; i++) {
            Files.createDirectories(wide.resolve("d" + i + "/e"));
            Files.createFile(wide.resolve("d" + i + "/e/f"));
        }
        for (int i = 0; i < 900; i++) {
            Files.createFile(large.resolve("a-name-of-some-length-" + i));
        }
    }

    private static ByteString join(Path root, ByteString path) {
        return TreePath.of(path.toBytes()).below(ByteString.of(root.toString()));
    }

    @ParameterizedTest
    @MethodSource("groups")
    void theSameEntriesStayAsWithGnuRm(Distribution distribution, int ranks, long seed)
            throws IOException, InterruptedException {
        try (TestDirectory directory = TestDirectory.onTmpfs()) {
            Path ours = directory.directory("ours");
            Path gnu = directory.directory("gnu");
            Path outside = directory.directory("outside");
            Files.createFile(outside.resolve("kept"));
            make(ours, seed);
            make(gnu, seed);
            for (Path tree : List.of(ours, gnu)) {
                Files.createSymbolicLink(tree.resolve("shared/link"), outside);
            }
            // Every second entry at the top: the others stay, with everything in them.
            List<ByteString> all = TreeListing.of(Linux.calls(), ours)
                    .entries()
                    .stream()
                    .map(ListedEntry::path)
                    .filter(path -> path.length() > 0 && path.toString().indexOf('/') < 0)
                    .sorted()
                    .toList();
            List<ByteString> some = new ArrayList<>();
            for (int i = (int) Math.floorMod(seed, 2L); i < all.size(); i += 2) {
                some.add(all.get(i));
            }
            some.removeIf(path -> path.toString().equals("shared"));
            some.add(ByteString.of("shared"));
            Ran ran = remove(byRanks(Linux.calls(), distribution, ranks, Transport.threads()),
                    some.stream().map(path -> join(ours, path)).toList());
            assertThat(ran.failures()).isEmpty();
            assertThat(ran.result().isComplete()).isTrue();
            assertThat(ran.removed()).doesNotHaveDuplicates();
            assertThat(ran.result().counts().entries()).isEqualTo(ran.removed().size());
            GnuRm.remove(directory.resolve("list"), some.stream().map(path -> join(gnu, path)).toList());
            TreeAssert.assertThat(TreeListing.of(Linux.calls(), ours))
                    .comparingOnly(TreeAssert.Aspect.CONTENT, TreeAssert.Aspect.LINKS)
                    .isCopyOf(TreeListing.of(Linux.calls(), gnu));
            assertThat(outside.resolve("kept")).exists();
        }
    }

    @ParameterizedTest
    @MethodSource("groups")
    void failuresAndRemainsAreThoseOfARemovalByThreads(Distribution distribution, int ranks) throws IOException {
        Fault[] faults = {Fault.on(Call.UNLINKAT).named("a-name-of-some-length-77").fails(Errno.EPERM),
                Fault.on(Call.OPENAT).named("d17").fails(Errno.EACCES),
                Fault.on(Call.UNLINKAT).named("d3").fails(Errno.EBUSY)};
        List<Ran> rans = new ArrayList<>();
        List<TreeSet<String>> left = new ArrayList<>();
        try (TestDirectory directory = TestDirectory.onTmpfs()) {
            Path tree = directory.resolve("tree");
            for (boolean isByRanks : List.of(false, true)) {
                Files.createDirectory(tree);
                make(tree, 3);
                FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(), faults);
                rans.add(remove(
                        isByRanks
                                ? byRanks(calls, distribution, ranks, Transport.threads())
                                : TreeRemover.of(calls, OPTIONS).withWalking(walk -> TreeWalker.of(calls, walk)),
                        List.of(ByteString.of(tree.toString()))));
                assertThat(calls.openDescriptors()).as("descriptors left open").isEmpty();
                TreeSet<String> names = new TreeSet<>();
                TreeListing.of(Linux.calls(), tree).entries().forEach(entry -> names.add(entry.path().toString()));
                left.add(names);
                GnuRm.remove(directory.resolve("list"), List.of(ByteString.of(tree.toString())));
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        assertThat(rans.getLast().failures()).isEqualTo(rans.getFirst().failures()).hasSize(3);
        assertThat(rans.getLast().removed()).containsExactlyInAnyOrderElementsOf(rans.getFirst().removed());
        assertThat(left.getLast()).isEqualTo(left.getFirst())
                .contains("shared/large/a-name-of-some-length-77", "shared/wide/d17/e/f", "shared/wide/d3");
        assertThat(rans.getLast().result().isComplete()).isTrue();
    }

    /** Ends a rank when it sends a message. */
    private static final class Dying extends ForwardingCommunicator {

        private final AtomicInteger left;

        Dying(Communicator communicator, AtomicInteger left) {
            super(communicator);
            this.left = left;
        }

        @Override
        public void send(int to, byte[] message) {
            if (left.decrementAndGet() == 0) {
                throw new IllegalStateException("died");
            }
            super.send(to, message);
        }
    }

    // Each rank that has no work at first sends a request, and takes part in the termination.
    @ParameterizedTest
    @CsvSource({"2,1", "2,2", "4,1", "4,2"})
    @Timeout(120) // waiting for ever is the failure
    void theOtherRanksEndIfOneDiesAndASecondRemovalRemovesTheRest(int ranks, int message) throws IOException {
        try (TestDirectory directory = TestDirectory.onTmpfs()) {
            Path tree = directory.directory("tree");
            Path other = directory.directory("other");
            Files.createFile(other.resolve("kept"));
            make(tree, 9);
            Transport transport = (hosts, body) -> Transport.threads()
                    .run(hosts,
                            communicator -> body.accept(communicator.rank() == 1
                                    ? new Dying(communicator, new AtomicInteger(message))
                                    : communicator));
            FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
            List<ByteString> paths = List.of(ByteString.of(tree.toString()));
            assertThatThrownBy(() -> remove(byRanks(calls, Distribution.randomSplit(), ranks, transport), paths))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("died");
            assertThat(calls.openDescriptors()).as("descriptors left open").isEmpty();
            if (Files.exists(tree)) {
                assertThat(remove(byRanks(calls, Distribution.randomSplit(), ranks, Transport.threads()), paths)
                        .failures()).isEmpty();
            }
            assertThat(tree).doesNotExist();
            assertThat(other.resolve("kept")).exists();
        }
    }

    @Test
    void aPartOfAWalkIsRefused() throws IOException {
        try (TestDirectory directory = TestDirectory.onTmpfs()) {
            Path tree = directory.directory("tree");
            TreeRemover remover = TreeRemover.of(Linux.calls(), OPTIONS)
                    .withWalking(
                            walk -> RankWalk.of(Linux.calls(), walk, Distribution.randomSplit(), 2).sharedNothing());
            assertThatThrownBy(() -> remove(remover, List.of(ByteString.of(tree.toString()))))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("a part of the entries");
            assertThat(tree).exists();
        }
    }
}
