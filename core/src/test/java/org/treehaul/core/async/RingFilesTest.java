// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.async.AsyncSettings.Means;
import org.treehaul.core.async.backend.IoThread;
import org.treehaul.core.async.backend.Request;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.fs.linux.LinuxRingCalls;
import org.treehaul.core.fs.ring.KernelRing;
import org.treehaul.core.fs.ring.RingUnavailableException;
import org.treehaul.core.testing.TestDirectory;

/** Asynchronous files by rings of this kernel, and rings that fail. */
class RingFilesTest extends LocalFilesContract {

    private static final AsyncSettings SETTINGS = AsyncSettings.defaults().with(Means.RING);

    @BeforeAll
    static void checkKernel() {
        Assumptions.assumeTrue(RingSupport.ofThisKernel().problem().isEmpty(),
                () -> String.valueOf(AsyncFiles.ringProblem()));
    }

    @Override
    protected AsyncFiles files(AsyncSettings settings, Fault... faults) {
        Map<Fault, Integer> met = new ConcurrentHashMap<>();
        return over(settings.with(Means.RING),
                new FaultyRing.Source(source(settings), ring -> new FaultyRing(ring, List.of(faults), met)));
    }

    private static RingSource source(AsyncSettings settings) {
        return RingSource.of(LinuxRingCalls.calls(), settings.depth(), settings.kernelWorkers());
    }

    private static AsyncFiles over(AsyncSettings settings, RingSource source) {
        try {
            return LocalFiles.overRings(settings, source);
        } catch (RingUnavailableException e) {
            throw new AssertionError(e);
        }
    }

    private static void writeAndRead(AsyncFiles files, int blocks) throws Exception {
        try (TestDirectory place = TestDirectory.make()) {
            AsyncFile file = files.openSync(ByteString.of(place.resolve("f")), OpenMode.update());
            List<CompletableFuture<Integer>> all = new ArrayList<>();
            for (int i = 0; i < blocks; i++) {
                all.add(file.pwrite(IoBuffer.of(new byte[]{(byte) i, 1, 2, 3}), 4L * i));
            }
            for (CompletableFuture<Integer> one : all) {
                assertThat(one.get()).isEqualTo(4);
            }
            IoBuffer buffer = IoBuffer.allocate(4 * blocks);
            assertThat(file.preadSync(buffer, 0)).isEqualTo(4 * blocks);
            for (int i = 0; i < blocks; i++) {
                assertThat(buffer.toBytes(4 * blocks)[4 * i]).isEqualTo((byte) i);
            }
            file.closeSync();
        }
    }

    @Test
    void manyMoreResultsThanTheQueueHoldsAllArrive() throws Exception {
        RingSource small = new FaultyRing.Source(new RingSource.KernelSource(LinuxRingCalls.calls(), 0, 2), ring -> {
            ring.close();
            try {
                return KernelRing.open(LinuxRingCalls.calls(), 4, 4, 2);
            } catch (RingUnavailableException e) {
                throw new AssertionError(e);
            }
        });
        try (AsyncFiles files = over(SETTINGS.withDepth(500), small)) {
            writeAndRead(files, 2000);
        }
    }

    @Test
    void aKernelWithoutTheNewestFlagsHasPlainRings() throws Exception {
        AtomicInteger setups = new AtomicInteger();
        DelegatingRingCalls old = new DelegatingRingCalls() {
            @Override
            public int setup(int entries, MemorySegment parameters) {
                return setups.incrementAndGet() == 1 ? -Errno.EINVAL : super.setup(entries, parameters);
            }
        };
        try (AsyncFiles files = over(SETTINGS, RingSource.of(old, SETTINGS.depth(), 1))) {
            writeAndRead(files, 300);
        }
        assertThat(setups).hasValue(2);
    }

    @Test
    void requestsThatTheKernelRefusesForAWhileAreTakenLater() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        try (AsyncFiles files = over(SETTINGS, new FaultyRing.Source(source(SETTINGS), ring -> new SameRing(ring) {
            @Override
            public int enter(int complete) {
                return switch (calls.incrementAndGet() % 4) {
                    case 1 -> -Errno.EAGAIN;
                    case 2 -> -Errno.EBUSY;
                    case 3 -> -Errno.EINTR;
                    default -> super.enter(complete);
                };
            }
        }))) {
            writeAndRead(files, 100);
        }
    }

    @Test
    void requestsThatTheKernelNeverTakesFailAndTheRingGoesOn() throws Exception {
        AtomicInteger refusals = new AtomicInteger(250);
        try (AsyncFiles files = over(SETTINGS, new FaultyRing.Source(source(SETTINGS), ring -> new SameRing(ring) {
            @Override
            public int enter(int complete) {
                return refusals.decrementAndGet() > 0 ? -Errno.EAGAIN : super.enter(complete);
            }
        }))) {
            // Repeated once the ring has given up; the second time it gives up later than the kernel refuses.
            writeAndRead(files, 10);
            assertThat(refusals.get()).isNegative();
        }
    }

    @Test
    void aRingThatBreaksFailsItsOperationsByName() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        AtomicInteger closed = new AtomicInteger();
        AsyncFiles files = over(SETTINGS, new FaultyRing.Source(source(SETTINGS), ring -> new SameRing(ring) {
            @Override
            public int enter(int complete) {
                return calls.get() > 0 ? -Errno.EBADF : super.enter(complete);
            }

            @Override
            public void close() {
                closed.incrementAndGet();
                super.close();
            }
        }));
        try (files; TestDirectory place = TestDirectory.make()) {
            ByteString path = ByteString.of(place.resolve("f"));
            AsyncFile file = files.openSync(path, OpenMode.update());
            calls.set(1);
            for (int i = 0; i < 3; i++) {
                try {
                    file.pwrite(IoBuffer.allocate(10), 0).get();
                    throw new AssertionError("written");
                } catch (ExecutionException e) {
                    assertThat(e.getCause()).hasMessage(path + ": write: Input/output error (EIO)");
                }
            }
        }
        // The kernel never took the requests, so they could be withdrawn, and none had to be abandoned.
        assertThat(closed).hasValue(1);
    }

    private static ByteString fifo(TestDirectory place, String name) {
        ByteString path = ByteString.of(place.resolve(name));
        assertThat(Linux.calls().mknodat(LinuxConstants.AT_FDCWD, Request.name(path), 0010600, 0)).isZero();
        return path;
    }

    @Test
    void theMemoryAndTheFileOfACancelledReadWhoseThreadHasEndedLiveUntilItsResultWasReaped() throws Exception {
        files.close();
        long before = descriptors();
        try (AsyncFiles one = AsyncFiles.open(SETTINGS)) {
            AsyncFile fifo = one.openSync(fifo(place, "fifo"), OpenMode.update());
            CompletableFuture<WeakReference<MemorySegment.Scope>> memory = new CompletableFuture<>();
            Thread.ofPlatform().start(() -> {
                IoBuffer buffer = IoBuffer.allocate(10);
                memory.complete(new WeakReference<>(buffer.segment().scope()));
                fifo.read(buffer).cancel(true);
            }).join();
            CompletableFuture<Void> closed = fifo.close();
            // The ring has the read when it has answered what came later.
            one.openSync(ByteString.of(place.resolve("f")), OpenMode.write()).closeSync();
            for (int i = 0; i < 3; i++) {
                System.gc();
            }
            boolean isKept = memory.get().get() != null;
            boolean isClosed = closed.isDone();
            long open = descriptors() - before;
            // All ten: the ring asks again for what is missing.
            Files.write(place.resolve("fifo"), new byte[10]);
            closed.get();

            assertThat(isKept).as("the memory that the kernel fills").isTrue();
            assertThat(isClosed).isFalse();
            assertThat(open).as("the FIFO, the ring and its counter").isEqualTo(3);
            Awaitility.await().until(() -> {
                System.gc();
                return memory.get().get() == null;
            });
        }
    }

    /**
     * Returns the numbers of the threads of this process with a name; the kernel's threads for a ring are among them.
     */
    private static Set<String> threads(String name) throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/task"))) {
            return all.filter(task -> {
                try {
                    return Files.readString(task.resolve("comm")).strip().equals(name);
                } catch (IOException e) {
                    return false; // it has ended
                }
            }).map(task -> task.getFileName().toString()).collect(Collectors.toSet());
        }
    }

    /** Files that are opened in the kernel's threads, which wait there for a reader. */
    @ParameterizedTest
    @ValueSource(ints = {2, 6})
    void theKernelStartsNoMoreThreadsForARingThanTheSettingsAllow(int workers) throws Exception {
        files.close();
        Set<String> others = threads("treehaul-ring-1");
        AsyncSettings settings = new AsyncSettings(Means.RING, 1, 64, workers);
        List<CompletableFuture<AsyncFile>> opened = new ArrayList<>();
        try (AsyncFiles limited = AsyncFiles.open(settings)) {
            Set<String> own = threads("treehaul-ring-1");
            own.removeAll(others);
            String name = "iou-wrk-" + own.iterator().next();
            AsyncFile plain = limited.openSync(ByteString.of(place.resolve("f")), OpenMode.update());
            for (int i = 0; i < 6; i++) {
                opened.add(limited.open(fifo(place, "fifo" + i), OpenMode.write()));
            }
            Awaitility.await().until(() -> threads(name).size() >= workers);
            // By the ring itself, after all of them.
            plain.seekSync(0, SeekFrom.START);
            int threads = threads(name).size();
            boolean isOpen = opened.stream().anyMatch(CompletableFuture::isDone);
            List<FileChannel> readers = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                readers.add(
                        FileChannel.open(place.resolve("fifo" + i), StandardOpenOption.READ, StandardOpenOption.WRITE));
            }
            for (CompletableFuture<AsyncFile> one : opened) {
                one.get().closeSync();
            }
            for (FileChannel reader : readers) {
                reader.close();
            }
            assertThat(threads).isEqualTo(workers);
            assertThat(isOpen).isFalse();
        }
    }

    @Test
    void aRingThatBreaksWithWorkInTheKernelFailsAllOperationsOnItsThread() throws Exception {
        AsyncSettings settings = SETTINGS.withDepth(20_000);
        AtomicBoolean isBroken = new AtomicBoolean();
        try (TestDirectory place = TestDirectory.make();
                AsyncFiles files = over(settings, new FaultyRing.Source(source(settings), ring -> new SameRing(ring) {
                    @Override
                    public int enter(int complete) {
                        return isBroken.get() ? -Errno.EBADF : super.enter(complete);
                    }
                }))) {
            ByteString path = fifo(place, "fifo");
            AsyncFile fifo = files.openSync(path, OpenMode.update());
            List<CompletableFuture<?>> all = new ArrayList<>();
            all.add(fifo.read(IoBuffer.allocate(10)));
            for (int i = 0; i < 19_000; i++) {
                all.add(fifo.seek(1, SeekFrom.CURRENT));
            }
            // Now the kernel has the read, which waits for data.
            files.openSync(ByteString.of(place.resolve("f")), OpenMode.write());
            isBroken.set(true);
            for (int i = 0; i < 2; i++) {
                CompletableFuture<Thread> thread = new CompletableFuture<>();
                files.remove(path, (nothing, failure) -> thread.complete(Thread.currentThread()));
                assertThat(thread.get()).isInstanceOf(IoThread.class);
            }
            assertThatExceptionOfType(ExecutionException.class).isThrownBy(all.getLast()::get)
                    .withMessageEndingWith("fifo: seek: Input/output error (EIO)");
            assertThat(all).allMatch(CompletableFuture::isCompletedExceptionally);
        }
    }

    @Test
    void aCloseThatTheKernelNeverTakesClosesTheFile() throws Exception {
        AtomicBoolean refuses = new AtomicBoolean();
        try (TestDirectory place = TestDirectory.make();
                AsyncFiles files = over(SETTINGS, new FaultyRing.Source(source(SETTINGS), ring -> new SameRing(ring) {
                    @Override
                    public int enter(int complete) {
                        return refuses.get() ? -Errno.EAGAIN : super.enter(complete);
                    }
                }))) {
            AsyncFile file = files.openSync(ByteString.of(place.resolve("f")), OpenMode.write());
            refuses.set(true);
            file.closeSync();
            try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
                assertThat(open.map(RingFilesTest::target)).doesNotContain(place.resolve("f").toString());
            }
            refuses.set(false);
        }
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return "closed"; // that of the list itself
        }
    }

    @Test
    void resultsThatComeLateAndTwiceAnswerTheirOwnRequestsOnce() throws Exception {
        try (AsyncFiles files = over(SETTINGS, new FaultyRing.Source(source(SETTINGS), ring -> new SameRing(ring) {
            private final List<long[]> late = new ArrayList<>();

            @Override
            public int enter(int complete) {
                return super.enter(late.isEmpty() ? complete : 0);
            }

            @Override
            public int reap(Reaper reaper) {
                List<long[]> now = new ArrayList<>(late.reversed());
                late.clear();
                super.reap((tag, result) -> late.add(new long[]{tag, result}));
                now.forEach(one -> {
                    reaper.reaped(one[0], (int) one[1]);
                    reaper.reaped(one[0], (int) one[1]);
                });
                return now.size();
            }
        }))) {
            writeAndRead(files, 500);
        }
    }
}
