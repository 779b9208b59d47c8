// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.fs.LinuxConstants.O_TMPFILE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.FileSystemTypes;
import org.treehaul.core.copy.NetworkLike;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.InterceptedCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.storage.MapStore;
import org.treehaul.core.storage.SourceTree;
import org.treehaul.core.storage.TargetTree;
import org.treehaul.core.storage.TreeContract;
import org.treehaul.core.testing.PosixAcl;
import org.treehaul.core.testing.RandomTree;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.options.Root;

/** Trees of the operating system as one side or both sides of a copy between stores. */
class PosixStoreTest {

    private final TestDirectory place = TestDirectory.onTmpfs();
    private final List<String> failures = new ArrayList<>();

    @AfterEach
    void remove() {
        place.close();
    }

    private static PosixStore store(FileSystemCalls calls, Path path) {
        CopyPair names = new CopyPair(Root.of(ByteString.of("from")), ByteString.of(path.toString()));
        try {
            return PosixStore.open(calls, ByteString.of(path.toString()), names, CopyOptions.archive().build(),
                    notice -> {
                    });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private CopyResult copy(StoreCopier copier) {
        return copier.copy(event -> {
            synchronized (failures) {
                failures.add(event.toString());
            }
        }, new Progress(), new Cancellation());
    }

    private CopyResult copy(PosixStore from, PosixStore to) {
        return copy(StoreCopier.of(new CopyPair(Root.of(ByteString.of("from")), ByteString.of("to")), from::source,
                to::target, CopyOptions.archive().threads(3).build()));
    }

    private Path randomTree(long seed) {
        Path from = place.directory("from");
        RandomTree.make(Linux.calls(), from, seed, 300);
        return from;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void aTreeIsCopiedWithItsMetadata(long seed) {
        Path from = randomTree(seed);
        Path to = place.directory("to");
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
        for (int i = 0; i < 2; i++) {
            try (PosixStore source = store(calls, from); PosixStore target = store(calls, to)) {
                assertThat(copy(source, target).isSuccess()).as("%s", failures).isTrue();
            }
            assertThat(calls.openDescriptors()).isEmpty();
            TreeAssert.assertThat(TreeListing.of(Linux.calls(), to))
                    .ignoring(TreeAssert.Aspect.LINKS)
                    .isCopyOf(TreeListing.of(Linux.calls(), from));
        }
    }

    @Test
    void aTreeGoesThroughAMapAndBack() {
        Path from = place.directory("from");
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), from)) {
            writer.file(ByteString.of("large"), 700_000, 1)
                    .sparse(ByteString.of("sparse"), 5_000_000, 8192, 2_000_000)
                    .directory(ByteString.of("d"))
                    .file(ByteString.of("d/small"), 1000, 2)
                    .symlink(ByteString.of("d/link"), ByteString.of("small"))
                    .mode(ByteString.of("d/small"), 0604);
        }
        Path to = place.directory("to");
        MapStore map = new MapStore();
        CopyPair names = new CopyPair(Root.of(ByteString.of("from")), ByteString.of("to"));
        CopyOptions options = CopyOptions.archive().threads(2).build();
        try (PosixStore source = store(Linux.calls(), from); PosixStore target = store(Linux.calls(), to)) {
            assertThat(copy(StoreCopier.of(names, source::source, map::target, options)).isSuccess()).isTrue();
            assertThat(copy(StoreCopier.of(names, map::source, target::target, options)).isSuccess()).as("%s", failures)
                    .isTrue();
        }
        TreeAssert.assertThat(TreeListing.of(Linux.calls(), to))
                .comparingOnly(TreeAssert.Aspect.CONTENT, TreeAssert.Aspect.MODE)
                .isCopyOf(TreeListing.of(Linux.calls(), from));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFailedCommitLeavesTheOldFileAndNoOther(boolean hasUnnamedFiles) throws IOException {
        Path from = place.directory("from");
        Path to = place.directory("to");
        Files.writeString(from.resolve("f"), "new");
        Files.writeString(to.resolve("f"), "old");
        FaultInjectingCalls calls = FaultInjectingCalls.over(hasUnnamedFiles ? Linux.calls() : new NamedOnly(),
                Fault.on(Call.FSYNC).fails(Errno.EIO));
        try (PosixStore source = store(Linux.calls(), from); PosixStore target = store(calls, to)) {
            assertThat(copy(source, target).isSuccess()).isFalse();
        }
        assertThat(calls.openDescriptors()).isEmpty();
        assertThat(to.resolve("f")).hasContent("old");
        try (Stream<Path> names = Files.list(to)) {
            assertThat(names).containsExactly(to.resolve("f"));
        }
        try (PosixStore source = store(Linux.calls(), from); PosixStore target = store(Linux.calls(), to)) {
            assertThat(copy(source, target).isSuccess()).isTrue();
        }
        assertThat(to.resolve("f")).hasContent("new");
    }

    @Test
    void aSmallFileOfAServerThatIsOverwrittenWhileItIsReadIsCopiedAgain() throws IOException {
        Path from = place.directory("from");
        Path to = place.directory("to");
        Files.writeString(from.resolve("f"), "old");
        FaultInjectingCalls calls = FaultInjectingCalls.over(FileSystemTypes.saying(FileSystemTypes.NFS),
                Fault.on(Call.READ).named("f").nth(1).runs(met -> {
                    Files.writeString(from.resolve("f"), "new", StandardOpenOption.WRITE);
                    Files.setLastModifiedTime(from.resolve("f"), FileTime.fromMillis(2_000_000));
                }));
        try (PosixStore source = store(calls, from); PosixStore target = store(Linux.calls(), to)) {
            assertThat(copy(source, target).isSuccess()).as("%s", failures).isTrue();
        }
        TreeAssert.assertThat(TreeListing.of(Linux.calls(), to)).isCopyOf(TreeListing.of(Linux.calls(), from));
    }

    // Before Linux 5.8 the times of a link cannot be set through a descriptor.
    @Test
    void anOlderKernelSetsTheTimesOfLinksByName() {
        Path from = place.directory("from");
        Path to = place.directory("to");
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), from)) {
            writer.symlink(ByteString.of("link"), ByteString.of("nowhere"))
                    .times(ByteString.of("link"), new Timestamp(1000, 5));
        }
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.UTIMENSAT).named("link").nth(1).fails(Errno.EINVAL));
        try (PosixStore source = store(Linux.calls(), from); PosixStore target = store(calls, to)) {
            assertThat(copy(source, target).isSuccess()).as("%s", failures).isTrue();
        }
        TreeAssert.assertThat(TreeListing.of(Linux.calls(), to)).isCopyOf(TreeListing.of(Linux.calls(), from));
    }

    @Test
    void dataAreReadBackFromTheDisk() {
        Path from = place.directory("from");
        Path to = place.directory("to");
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), from)) {
            writer.file(ByteString.of("small"), 1000, 1).file(ByteString.of("large"), 700_000, 2);
        }
        List<String> made = Collections.synchronizedList(new ArrayList<>());
        FaultInjectingCalls calls = FaultInjectingCalls.over(FileSystemTypes.saying(FileSystemTypes.NFS),
                Fault.on(Call.FSYNC, Call.POSIX_FADVISE, Call.PREAD)
                        .named("")
                        .runs(met -> made.add(met.call().toString())));
        CopyOptions options = CopyOptions.archive().threads(1).verify(CopyOptions.Verify.XXH3).build();
        try (PosixStore source = store(Linux.calls(), from); PosixStore target = store(calls, to)) {
            assertThat(copy(StoreCopier.of(new CopyPair(Root.of(ByteString.of("from")), ByteString.of("to")),
                    source::source, target::target, options)).isSuccess()).isTrue();
        }
        assertThat(made.stream().filter(call -> !call.equals("PREAD"))).containsExactly("FSYNC", "POSIX_FADVISE",
                "FSYNC", "POSIX_FADVISE");
        assertThat(made).first().isEqualTo("FSYNC");
        assertThat(made).last().isEqualTo("PREAD");
    }

    @ParameterizedTest
    @EnumSource(value = EntryKind.class, names = {"FIFO", "SOCKET"})
    void aFileDoesNotReplaceAFifoOrASocket(EntryKind kind) throws IOException {
        Path from = place.directory("from");
        Path to = place.directory("to");
        Files.writeString(from.resolve("f"), "data");
        Files.writeString(from.resolve("g"), "data");
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), to)) {
            writer.special(ByteString.of("f"), kind, 0);
        }
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
        try (PosixStore source = store(calls, from); PosixStore target = store(calls, to)) {
            assertThat(copy(source, target).isSuccess()).isFalse();
        }
        assertThat(calls.openDescriptors()).isEmpty();
        assertThat(failures).filteredOn(event -> event.contains("Failed"))
                .singleElement()
                .asString()
                .contains("replace a device, FIFO or socket");
        TreeListing there = TreeListing.of(Linux.calls(), to);
        assertThat(there.find("f").orElseThrow().status().kind()).isEqualTo(kind);
        assertThat(to.resolve("g")).hasContent("data");
        try (Stream<Path> names = Files.list(to)) {
            assertThat(names).containsExactlyInAnyOrder(to.resolve("f"), to.resolve("g"));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aDefaultAclOfTheDestinationDoesNotReachAnArchive(boolean isLingering) {
        Path from = place.directory("from");
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), from)) {
            writer.file(ByteString.of("d/e/f"), 10, 1)
                    .mode(ByteString.of("d"), 0750)
                    .mode(ByteString.of("d/e"), 02755)
                    .file(ByteString.of("a/f"), 10, 1)
                    .attribute(ByteString.of("a"), PosixAcl.DEFAULT, PosixAcl.of(79, 80));
        }
        Path to = place.directory("to");
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), to)) {
            writer.attribute(ByteString.of("."), PosixAcl.DEFAULT, PosixAcl.of(77, 78));
        }
        FileSystemCalls calls = isLingering ? NetworkLike.keepingRemovedDefaultAcls() : Linux.calls();
        try (PosixStore source = store(Linux.calls(), from); PosixStore target = store(calls, to)) {
            assertThat(copy(source, target).isSuccess()).as("%s", failures).isTrue();
        }
        TreeAssert.assertThat(TreeListing.of(Linux.calls(), to)).isCopyOf(TreeListing.of(Linux.calls(), from));
    }

    /** The contract of trees, for those of the operating system. */
    abstract class Contract extends TreeContract {
        private final PosixStore store;

        Contract(FileSystemCalls calls) {
            store = store(calls, place.path());
        }

        @Override
        protected TargetTree target() {
            return store.target();
        }

        @Override
        protected SourceTree source() {
            return store.source();
        }

        @AfterEach
        void closeStore() {
            store.close();
        }
    }

    @Nested
    class WithUnnamedFiles extends Contract {
        WithUnnamedFiles() {
            super(Linux.calls());
        }
    }

    @Nested
    class WithTemporaryNames extends Contract {
        WithTemporaryNames() {
            super(new NamedOnly());
        }
    }

    /** Calls on a file system without unnamed files. */
    private static final class NamedOnly extends InterceptedCalls {
        NamedOnly() {
            super(Linux.calls());
        }

        @Override
        protected long around(Call call, int descriptor, MemorySegment name, LongSupplier made) {
            return made.getAsLong();
        }

        @Override
        public int openat(int directory, MemorySegment name, int flags, int mode) {
            return (flags & O_TMPFILE) == O_TMPFILE ? -Errno.EOPNOTSUPP : super.openat(directory, name, flags, mode);
        }
    }
}
