// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.core.walk.Walks.entries;
import static org.treehaul.core.walk.Walks.path;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.InterceptedCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.Walks.Seen;
import org.treehaul.core.walk.listing.DirectoryRecords;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.options.WalkOptions;

class TreeWalkerFaultsTest {

    private static final WalkOptions OPTIONS = WalkOptions.defaults().withThreads(4);
    // Each directory is examined when it is opened.
    private static final WalkOptions EXAMINED = OPTIONS.withStatus(false).withOneFileSystem(true);

    private final WalkedTree tree = new WalkedTree();

    @AfterEach
    void removeTree() {
        tree.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void exceptionsOfVisitorsReachTheCaller(boolean isError) {
        tree.make(w -> w.file(path("d/f"), 1, 1));
        assertThatThrownBy(() -> Walks.walk(FaultInjectingCalls.over(Linux.calls()), OPTIONS, entry -> {
            if (entry.path().depth() == 2) {
                if (isError) {
                    throw new AssertionError("mine");
                }
                throw new IllegalStateException("mine");
            }
            return Step.CONTINUE;
        }, new Cancellation(), tree.root())).hasMessage("mine");
    }

    // SMB, exFAT and NTFS store 255 characters, which may have three bytes each; FUSE passes on up to 1,024 bytes.
    @Test
    void namesOfDirectoriesMayBeLongerThanThoseOfLinuxFileSystems() {
        tree.make(w -> w.directory(path("d")));
        int name = 765;
        int record = (DirectoryRecords.NAME + name + 1 + 7) / 8 * 8;
        byte[] listing = new byte[200 * record];
        for (int i = 0; i < 200; i++) {
            ByteBuffer one = ByteBuffer.wrap(listing, i * record, record).slice().order(ByteOrder.nativeOrder());
            one.putLong(0, i + 1).putLong(8, i + 1).putShort(16, (short) record).put(DirectoryRecords.TYPE, (byte) 4);
            one.put(DirectoryRecords.NAME, ("%0" + name + "d").formatted(i).getBytes(StandardCharsets.US_ASCII));
        }
        AtomicBoolean isListed = new AtomicBoolean();
        FileSystemCalls calls = new InterceptedCalls(Linux.calls()) {
            @Override
            protected long around(Call call, int descriptor, MemorySegment entry, LongSupplier made) {
                return made.getAsLong();
            }

            @Override
            public int getdents64(int descriptor, MemorySegment buffer) {
                if (isListed.getAndSet(true)) {
                    return calls.getdents64(descriptor, buffer);
                }
                MemorySegment.copy(listing, 0, buffer, ValueLayout.JAVA_BYTE, 0, listing.length);
                return listing.length;
            }
        };
        Seen seen = Walks.walk(FaultInjectingCalls.over(calls), OPTIONS.withStatus(false).withThreads(1), tree.root());
        assertThat(seen.inOrder()).hasSize(1 + 200 + 1);
        assertThat(seen.failures()).hasSize(200).allMatch(failure -> failure.endsWith(" open " + Errno.ENAMETOOLONG));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 20})
    void aListingThatBreaksOffIsReportedAndItsDirectoryIncomplete(int entries) {
        tree.make(w -> {
            for (int i = 0; i < 30; i++) {
                w.file(path("d/f" + i), 1, 1).file(path("e/f" + i), 1, 1);
            }
        });
        Seen seen = tree.walk(OPTIONS, Fault.on(Call.GETDENTS64).named("d").endsListing(entries, Errno.EIO));
        assertThat(seen.failures()).containsExactly("ERROR d getdents64 " + Errno.EIO);
        assertThat(seen.inOrder()).hasSize(33 + entries);
        assertThat(
                Walks.incompleteDirectories(
                        FaultInjectingCalls.over(Linux.calls(),
                                Fault.on(Call.GETDENTS64).named("d").endsListing(entries, Errno.EIO)),
                        OPTIONS, tree.root()))
                .containsExactly("d");
    }

    @Test
    void passingErrorsOfListingsAreTriedAgain() {
        tree.make(w -> w.file(path("d/f"), 1, 1));
        for (int errno : new int[]{Errno.ESTALE, Errno.EAGAIN, Errno.EINTR}) {
            Seen seen = tree.walk(OPTIONS, Fault.on(Call.GETDENTS64).named("d").times(2).fails(errno));
            assertThat(seen.failures()).isEmpty();
            assertThat(entries(seen)).contains("regular d/f");
        }
        assertThat(tree.walk(OPTIONS, Fault.on(Call.GETDENTS64).named("d").fails(Errno.ESTALE)).failures())
                .containsExactly("ERROR d getdents64 " + Errno.ESTALE);
    }

    @Test
    void aStaleDirectoryThatCannotBeOpenedAgainIsIncomplete() {
        tree.make(w -> w.file(path("d/f"), 1, 1));
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.GETDENTS64).named("d").fails(Errno.ESTALE),
                Fault.on(Call.OPENAT).named("d").from(2).fails(Errno.ENOENT));
        assertThat(Walks.incompleteDirectories(calls, OPTIONS, tree.root())).containsExactly("d");
    }

    @ParameterizedTest
    @ValueSource(ints = {Errno.ESTALE, Errno.EAGAIN, Errno.EINTR})
    void passingErrorsOfAnyCallAreTriedAgain(int errno) {
        tree.make(w -> w.file(path("d/f"), 1, 1).symlink(path("l"), path("d")));
        long calls = 1;
        for (long n = 1; n <= calls; n++) {
            FaultInjectingCalls failing = FaultInjectingCalls.over(Linux.calls(), Fault.onAny().nth(n).fails(errno));
            Seen seen = Walks.walk(failing, OPTIONS.withStatus(true).withSymlinks(Symlinks.ALWAYS),
                    entry -> Step.CONTINUE, new Cancellation(), tree.root());
            calls = failing.total();
            assertThat(seen.failures()).as("call %d", n).isEmpty();
            assertThat(entries(seen)).as("call %d", n)
                    .containsExactly("directory .", "directory d", "directory l", "regular d/f", "regular l/f");
            assertThat(failing.openDescriptors()).as("call %d", n).isEmpty();
        }
        assertThat(calls).isGreaterThan(10);
    }

    @Test
    void directoriesAreOpenedWithoutTheirStatus() {
        tree.make(w -> w.file(path("d/e/f"), 1, 1).directory(path("g")));
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
        Seen seen = Walks.walk(calls, OPTIONS.withStatus(false), entry -> Step.CONTINUE, new Cancellation(),
                tree.root());
        assertThat(seen.failures()).isEmpty();
        assertThat(calls.count(Call.STATX)).as("that of the root").isEqualTo(1);
    }

    @Test
    void aDirectoryWhoseDescriptorWentStaleIsOpenedAgain() {
        tree.make(w -> w.file(path("d/f"), 1, 1));
        // More failures than one descriptor is given.
        for (Seen seen : List.of(tree.walk(EXAMINED, Fault.on(Call.STATX).named("d").times(6).fails(Errno.ESTALE)),
                tree.walk(OPTIONS.withStatus(false), Fault.on(Call.GETDENTS64).named("d").times(6).fails(Errno.ESTALE)),
                tree.walk(OPTIONS.withStatus(false), Fault.on(Call.GETDENTS64).named("d").times(4).fails(Errno.ESTALE),
                        Fault.on(Call.STATX).named("d").times(6).fails(Errno.ESTALE)))) {
            assertThat(seen.failures()).isEmpty();
            assertThat(entries(seen)).contains("regular d/f");
        }
        assertThat(tree.walk(EXAMINED, Fault.on(Call.STATX).named("d").fails(Errno.ESTALE)).failures())
                .containsExactly("ERROR d fstat " + Errno.ESTALE);
    }

    @Test
    void aDirectoryThatCannotBeOpenedIsReportedAndTheOthersAreWalked() {
        tree.make(w -> w.file(path("d/f"), 1, 1).file(path("e/f"), 1, 1));
        Seen seen = tree.walk(OPTIONS, Fault.on(Call.OPENAT).named("d").fails(Errno.EACCES));
        assertThat(seen.failures()).containsExactly("ERROR d open " + Errno.EACCES);
        assertThat(entries(seen)).containsExactly("directory .", "directory d", "directory e", "regular e/f");
    }

    @Test
    void entriesRemovedBeforeTheirTurnHaveVanished() {
        tree.make(w -> w.directory(path("d")).file(path("f"), 1, 1));
        Seen seen = tree.walk(OPTIONS.withThreads(1),
                Fault.on(Call.OPENAT).named("d").runs(i -> Files.delete(tree.resolve("d"))),
                Fault.on(Call.STATX).named("f").runs(i -> Files.delete(tree.resolve("f"))));
        assertThat(seen.failures()).containsExactlyInAnyOrder("VANISHED d open 2", "VANISHED f stat 2");
    }

    @Test
    void aDirectoryThatIsRemovedWhileItIsListedHasVanished() {
        tree.make(w -> w.directory(path("empty"))
                .file(path("e/f"), 1, 1)
                .file(path("later/f"), 1, 1)
                .file(path("later/g"), 1, 1));
        // The first failure comes from the kernel itself: rmdir makes an open directory unreadable.
        Seen seen = tree.walk(OPTIONS.withThreads(1),
                Fault.on(Call.GETDENTS64).named("empty").nth(1).runs(i -> Files.delete(tree.resolve("empty"))),
                Fault.on(Call.GETDENTS64).named("later").endsListing(1, Errno.ENOENT));
        assertThat(seen.failures()).containsExactlyInAnyOrder("VANISHED empty getdents64 2",
                "VANISHED later getdents64 2");
        assertThat(entries(seen)).contains("regular e/f").filteredOn(e -> e.startsWith("regular later/")).hasSize(1);
        assertThat(
                Walks.incompleteDirectories(
                        FaultInjectingCalls.over(Linux.calls(),
                                Fault.on(Call.GETDENTS64).named("later").endsListing(1, Errno.ENOENT)),
                        OPTIONS, tree.root()))
                .contains("later");
    }

    @Test
    void aRootThatIsRemovedWhileItIsListedIsAFailure() {
        tree.make(w -> w.file(path("f"), 1, 1));
        Seen seen = tree.walk(OPTIONS, Fault.on(Call.GETDENTS64).endsListing(0, Errno.ENOENT));
        assertThat(seen.failures()).hasSize(1).first().asString().startsWith("ERROR").endsWith("getdents64 2");
    }

    @Test
    void aRootIsClosedWhenItsWalkHasEnded() {
        Root[] roots = new Root[12];
        for (int i = 0; i < roots.length; i++) {
            String name = "r" + i;
            tree.make(w -> w.file(path(name + "/d/f"), 1, 1));
            roots[i] = Root.of(path(tree.resolve(name)));
        }
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
        Set<Integer> open = new HashSet<>();
        Seen seen = Walks.walk(calls, OPTIONS.withThreads(1), entry -> {
            if (entry.path().isRoot()) {
                open.add(calls.openDescriptors().size());
            }
            return Step.CONTINUE;
        }, new Cancellation(), roots);
        assertThat(entries(seen)).hasSize(3 * roots.length);
        assertThat(open).as("descriptors before each root").hasSize(1);
    }

    @Test
    void aRootThatCannotBeOpenedForLackOfDescriptorsIsOpenedOnceUnusedOnesAreClosed() {
        tree.make(w -> w.file(path("x/r/d/f"), 1, 1).file(path("y/r/d/f"), 1, 1));
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.OPENAT).named("r").nth(2).fails(Errno.EMFILE));
        List<String> failures = new ArrayList<>();
        List<String> entered = new ArrayList<>();
        List<WalkDirectory<Boolean>> unheld = new ArrayList<>();
        TreeWalker.of(calls, OPTIONS.withThreads(1))
                .walkWith(List.of(Root.of(path(tree.resolve("x/r"))), Root.of(path(tree.resolve("y/r")))),
                        (WalkWorker<Boolean> worker) -> new WalkHandler<Boolean>() {
                            @Override
                            public Step entry(FoundEntry<Boolean> found) {
                                return Step.CONTINUE;
                            }

                            @Override
                            public Boolean enter(WalkDirectory<Boolean> directory, WalkWorker<Boolean> own) {
                                entered.add(directory.path().toString());
                                if (entered.size() == 2) {
                                    // It is not left, so that it stays open while the other root is opened.
                                    own.hold(directory);
                                    unheld.add(directory);
                                } else if (entered.size() == 3) {
                                    release(own);
                                }
                                return Boolean.TRUE;
                            }

                            @Override
                            public void leave(WalkDirectory<Boolean> directory, WalkWorker<Boolean> own) {
                                // Nothing is made that would have to be finished.
                            }

                            @Override
                            public void failed(EntryFailure failure) {
                                failures.add(failure.toString());
                                release(worker);
                            }

                            private void release(WalkWorker<Boolean> own) {
                                own.release(unheld.getFirst());
                            }
                        }, new Cancellation(), workers -> {
                        });
        assertThat(failures).isEmpty();
        assertThat(entered).hasSize(4);
        assertThat(calls.openDescriptors()).isEmpty();
    }

    @Test
    void aDirectoryThatIsReplacedByALinkIsNotFollowed() {
        tree.make(w -> w.directory(path("d")).file(path("x/secret"), 1, 1));
        Seen seen = tree.walk(OPTIONS.withThreads(1), Fault.on(Call.OPENAT).named("d").nth(1).runs(i -> {
            Files.delete(tree.resolve("d"));
            link(tree.resolve("d"), "x");
        }));
        assertThat(seen.failures()).hasSize(1).first().asString().matches("ERROR d open (20|40)");
    }

    private static void link(Path path, String target) {
        try {
            Files.createSymbolicLink(path, Path.of(target));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
