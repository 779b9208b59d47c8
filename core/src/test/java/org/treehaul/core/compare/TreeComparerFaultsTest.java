// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.core.compare.Trees.NO_TIMES;
import static org.treehaul.core.compare.Trees.path;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.compare.Trees.Found;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.options.Root;

/**
 * Results of a comparison when calls fail. The roots are called A and B; of two calls on one name below them, the first
 * is on A's side.
 */
class TreeComparerFaultsTest {

    private static final CompareOptions CONTENT = NO_TIMES.withContent(true).withThreads(1);

    private static void tree(TreeWriter writer) {
        for (int i = 0; i < 20; i++) {
            writer.file(path("f" + i), 10, i).file(path("dir/g" + i), 10, i);
        }
    }

    private static Found compare(Trees trees, CompareOptions options, Fault... faults) {
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(), faults);
        Found found = trees.compare(calls, options);
        assertThat(calls.openDescriptors()).as("left open").isEmpty();
        return found;
    }

    @ParameterizedTest
    @CsvSource({"A,0", "A,1", "A,10", "B,0", "B,1", "B,10"})
    void entriesOfAnUnreadableListingAreNotReportedAsMissing(String side, int entries) {
        try (Trees trees = Trees.make().both(TreeComparerFaultsTest::tree)) {
            trees.a(w -> w.file(path("dir/onlyA"), 1, 1)).b(w -> w.file(path("dir/onlyB"), 1, 1));
            Consumer<TreeWriter> unlisted = w -> w.file(path("x"), 1, 1);
            Trees made = side.equals("A") ? trees.b(unlisted) : trees.a(unlisted);
            Found found = compare(made, CONTENT, Fault.on(Call.GETDENTS64).named(side).endsListing(entries, Errno.EIO));
            assertThat(found.failures()).containsExactly("ERROR " + side + " . getdents64 " + Errno.EIO);
            assertThat(found.differences()).isSubsetOf("dir/onlyA: only in A (regular)",
                    "dir/onlyB: only in B (regular)");
            assertThat(found.result().hasTrouble()).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({"1,B", "3,A"})
    void aDirectoryThatIsRemovedWhileItIsListedHasVanished(int nth, String side) {
        try (Trees trees = Trees.make().both(w -> w.file(path("dir/f"), 1, 1))) {
            Found found = compare(trees, CONTENT,
                    Fault.on(Call.GETDENTS64).named("dir").nth(nth).endsListing(0, Errno.ENOENT));
            assertThat(found.failures()).containsExactly("VANISHED " + side + " dir getdents64 2");
            assertThat(found.result().hasTrouble()).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({"A,0", "A,7", "B,0", "B,7"})
    void lookupsDetectASilentlyShortListing(String side, int entries) {
        try (Trees trees = Trees.make().both(TreeComparerFaultsTest::tree)) {
            Found found = compare(trees, CONTENT, Fault.on(Call.GETDENTS64).named(side).endsListing(entries, 0));
            assertThat(found.differences()).isEmpty();
            assertThat(found.failures()).hasSize(21 - entries)
                    .allMatch(failure -> failure.matches("CHANGED " + side + " \\S+ listing 0"));
        }
    }

    @ParameterizedTest
    @CsvSource({"1,A", "2,B"})
    void aDirectoryThatCannotBeOpenedIsTrouble(int nth, String side) {
        try (Trees trees = Trees.make().both(TreeComparerFaultsTest::tree).a(w -> w.file(path("dir/onlyA"), 1, 1))) {
            Found found = compare(trees, CONTENT, Fault.on(Call.OPENAT).named("dir").nth(nth).fails(Errno.EACCES));
            assertThat(found.failures()).containsExactly("ERROR " + side + " dir open " + Errno.EACCES);
            assertThat(found.differences()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"PREAD,1,A,read", "PREAD,2,B,read", "LLISTXATTR,1,A,listxattr", "LLISTXATTR,2,B,listxattr"})
    void aFileThatCannotBeReadIsTroubleAndNoDifference(Call call, int nth, String side, String operation) {
        try (Trees trees = Trees.make().both(TreeComparerFaultsTest::tree).b(w -> w.mode(path("dir/g4"), 0600))) {
            // By path or by descriptor, as the file system requires.
            Fault fault = call == Call.LLISTXATTR ? Fault.on(call, Call.FLISTXATTR) : Fault.on(call);
            Found found = compare(trees, CONTENT, fault.named("g7").nth(nth).fails(Errno.EIO));
            assertThat(found.failures()).containsExactly("ERROR " + side + " dir/g7 " + operation + " " + Errno.EIO);
            assertThat(found.differences()).containsExactly("dir/g4: mode 0644 | 0600");
        }
    }

    @ParameterizedTest
    @CsvSource({"1,A", "2,B"})
    void vanishedEntriesAreReportedAsVanished(int nth, String side) {
        try (Trees trees = Trees.make().both(TreeComparerFaultsTest::tree)) {
            Path gone = (side.equals("A") ? trees.a() : trees.b()).resolve("dir/g7");
            Found found = compare(trees, CONTENT,
                    Fault.on(Call.STATX).named("g7").nth(nth).runs(i -> Files.delete(gone)));
            assertThat(found.failures()).containsExactly("VANISHED " + side + " dir/g7 stat 2");
            assertThat(found.differences()).isEmpty();
        }
    }

    @Test
    void anEntryOfBThatVanishesBeforeItsLookupIsReportedAsVanished() {
        try (Trees trees = Trees.make().both(TreeComparerFaultsTest::tree).b(w -> w.file(path("dir/new"), 1, 1))) {
            Found found = compare(trees, CONTENT,
                    Fault.on(Call.STATX).named("new").nth(1).runs(i -> Files.delete(trees.b().resolve("dir/new"))));
            assertThat(found.failures()).containsExactly("VANISHED B dir/new stat 2");
            assertThat(found.differences()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"A,0", "B,0", "A,100000", "B,100000"})
    void aFileThatIsCutWhileItIsReadHasChanged(String side, long size) {
        try (Trees trees = Trees.make().both(w -> w.file(path("d/f"), 300_000, 1))) {
            Path file = (side.equals("A") ? trees.a() : trees.b()).resolve("d/f");
            for (long chunk : new long[]{100_000, 1_000_000}) {
                trees.both(w -> w.file(path("d" + chunk + "/f"), 300_000, 1));
                Path cut = file.resolveSibling("../d" + chunk + "/f").normalize();
                Found found = Trees.compare(
                        FaultInjectingCalls.over(Linux.calls(),
                                Fault.on(Call.PREAD).named("f").nth(1).runs(i -> truncate(cut, size))),
                        CONTENT.withThreads(2).withChunkBytes(chunk), trees.a().resolve("d" + chunk),
                        trees.b().resolve("d" + chunk));
                assertThat(found.failures()).hasSize(1)
                        .first()
                        .asString()
                        .matches("CHANGED " + side + " f (read|open) 0");
                assertThat(found.differences()).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @Timeout(60) // waiting for a writer of the FIFO is one of the possible failures
    @CsvSource({"A,symlink", "B,symlink", "A,fifo", "B,fifo", "A,directory", "B,directory", "A,file", "B,file"})
    void aFileThatIsReplacedBeforeItIsOpenedIsNeitherFollowedNorWaitedFor(String side, String by) {
        try (Trees trees = Trees.make().both(w -> w.file(path("d/f"), 200_000, 1).file(path("x"), 200_000, 1))) {
            boolean isA = side.equals("A");
            Consumer<TreeWriter> change = w -> {
                w.remove(path("d/f"));
                switch (by) {
                    case "symlink" -> w.symlink(path("d/f"), path("../x"));
                    case "fifo" -> w.special(path("d/f"), EntryKind.FIFO, 0);
                    case "directory" -> w.directory(path("d/f"));
                    default -> w.file(path("d/f"), 200_000, 2);
                }
            };
            Found found = compare(trees, CONTENT.withThreads(1),
                    // Opened once before, to see that it has more than one piece.
                    Fault.on(Call.OPENAT).named("f").nth(2).runs(i -> (isA ? trees.a(change) : trees.b(change)).a()));
            assertThat(found.failures()).hasSize(1)
                    .first()
                    .asString()
                    .matches("(CHANGED|ERROR) " + side + " d/f (open|read) \\d+");
            assertThat(found.differences()).isEmpty();
        }
    }

    @Test
    void shortReadsChangeNothing() {
        try (Trees trees = Trees.make()
                .both(w -> w.file(path("same"), 5_000, 1).file(path("other"), new byte[5_000]))
                .b(w -> w.file(path("more"), 1, 1))) {
            flipLast(trees.b().resolve("other"));
            Found found = compare(trees, CONTENT, Fault.on(Call.PREAD).atMost(7));
            assertThat(found.differences()).containsExactly("more: only in B (regular)",
                    "other: content differs at byte 4999");
            assertThat(found.failures()).isEmpty();
        }
    }

    @Test
    void listingsInSmallPiecesChangeNothing() {
        try (Trees trees = Trees.make().both(TreeComparerFaultsTest::tree).b(w -> w.file(path("dir/more"), 1, 1))) {
            Found found = compare(trees, CONTENT, Fault.on(Call.GETDENTS64).atMost(300));
            assertThat(found.differences()).containsExactly("dir/more: only in B (regular)");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Errno.EIO, Errno.ENOENT, Errno.EACCES, Errno.ESTALE, Errno.EINTR, Errno.EMFILE})
    void noFailureOfAnyCallLooksLikeADifferenceOrPassesUnseen(int errno) {
        Consumer<TreeWriter> tree = w -> w.file(path("d/e/f"), 300_000, 1)
                .file(path("d/e/g"), 1_000, 1)
                .symlink(path("d/l"), path("x"))
                .sparse(path("s"), 1 << 20, 4096)
                .file(path("h"), 5, 5)
                .hardLink(path("h"), path("d/i"))
                .attribute(path("h"), path("user.a"), path("b"));
        try (Trees trees = Trees.make().both(tree)) {
            FaultInjectingCalls counting = FaultInjectingCalls.over(Linux.calls());
            assertThat(trees.compare(counting, CONTENT).result().isSame()).isTrue();
            for (long n = 1; n <= counting.total(); n++) {
                AtomicReference<Fault.Invocation> failed = new AtomicReference<>(NO_CALL);
                FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                        Fault.onAny().nth(n).runs(failed::set).fails(errno));
                Found found = trees.compare(calls, CONTENT);
                assertThat(calls.openDescriptors()).as("call %d, %s", n, failed).isEmpty();
                assertThat(found.differences()).as("call %d, %s", n, failed).isEmpty();
                assertThat(!found.failures().isEmpty() || mayPass(Objects.requireNonNull(failed.get()), errno))
                        .as("call %d, %s", n, failed)
                        .isTrue();
            }
        }
    }

    // Those that are examined by themselves after they were examined together.
    private static final Set<ByteString> FILES = Set.of(path("f"), path("g"), path("h"), path("i"), path("l"),
            path("s"));

    private static final Fault.Invocation NO_CALL = new Fault.Invocation(Call.CLOSE, -1, List.of());

    // Calls that are repeated, have an alternative, or carry no information may fail silently.
    private static boolean mayPass(Fault.Invocation invocation, int errno) {
        return switch (invocation.call()) {
            case CLOSE -> true;
            // A file is examined again. The link leads to a name that is absent.
            case STATX -> Errno.mayPass(errno) || FILES.containsAll(invocation.names())
                    || (errno == Errno.ENOENT || errno == Errno.EACCES)
                            && invocation.names().equals(List.of(ByteString.of("x")));
            // On a file system of unknown type, ACLs are requested by name.
            case FSTATFS -> true;
            case GETDENTS64, READLINKAT, FGETXATTR, LGETXATTR, FLISTXATTR, LLISTXATTR -> Errno.mayPass(errno);
            case OPENAT -> errno == Errno.EMFILE || Errno.mayPass(errno) || FILES.containsAll(invocation.names());
            default -> errno == Errno.EINTR;
        };
    }

    @Test
    void aCancelledComparisonIsIncompleteAndClosesAll() {
        try (Trees trees = Trees.make().both(TreeComparerFaultsTest::tree).b(w -> w.file(path("x"), 1, 1))) {
            Cancellation cancellation = new Cancellation();
            FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                    Fault.on(Call.STATX).named("g3").nth(1).runs(i -> cancellation.cancel()));
            CompareResult result = TreeComparer.of(calls, CONTENT)
                    .compare(Root.of(Trees.bytes(trees.a())), Trees.bytes(trees.b()), d -> {
                    }, EventListener.none(), new Progress(), cancellation);
            assertThat(result.isComplete()).isFalse();
            assertThat(result.hasTrouble()).isTrue();
            assertThat(result.isSame()).isFalse();
            assertThat(calls.openDescriptors()).isEmpty();
        }
    }

    @Test
    void exceptionsOfListenersReachTheCallerAndAllIsClosed() {
        try (Trees trees = Trees.make().a(TreeComparerFaultsTest::tree)) {
            FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
            assertThatThrownBy(() -> TreeComparer.of(calls, CONTENT)
                    .compare(Root.of(Trees.bytes(trees.a())), Trees.bytes(trees.b()), d -> {
                        throw new IllegalStateException("listener");
                    }, EventListener.none(), new Progress(), new Cancellation()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("listener");
            assertThat(calls.openDescriptors()).isEmpty();
        }
    }

    private static void truncate(Path path, long size) {
        try (var channel = Files.newByteChannel(path, StandardOpenOption.WRITE)) {
            channel.truncate(size);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void flipLast(Path path) {
        try {
            byte[] bytes = Files.readAllBytes(path);
            bytes[bytes.length - 1] ^= 1;
            Files.write(path, bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
