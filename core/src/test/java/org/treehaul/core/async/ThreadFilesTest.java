// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.treehaul.core.async.AsyncSettings.Means;
import org.treehaul.core.async.backend.Backend;
import org.treehaul.core.async.backend.IoThread;
import org.treehaul.core.async.backend.Request;
import org.treehaul.core.async.backend.ThreadBackend;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.fs.linux.LinuxRingCalls;
import org.treehaul.core.testing.TestDirectory;

/** Asynchronous files by threads. */
class ThreadFilesTest extends LocalFilesContract {

    @Override
    protected AsyncFiles files(AsyncSettings settings, Fault... faults) {
        FileSystemCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Arrays.stream(faults).map(ThreadFilesTest::rule).toArray(org.treehaul.core.fs.Fault[]::new));
        return LocalFiles.open(settings.with(Means.THREADS), calls, LinuxRingCalls.calls());
    }

    private static org.treehaul.core.fs.Fault rule(Fault fault) {
        org.treehaul.core.fs.Fault rule = org.treehaul.core.fs.Fault.on(switch (fault.kind()) {
            case NONE -> throw new IllegalArgumentException("no call");
            case OPEN -> Call.OPENAT;
            case CLOSE -> Call.CLOSE;
            case READ -> Call.PREAD;
            case WRITE -> Call.PWRITE;
            case REMOVE -> Call.UNLINKAT;
            case STATUS -> Call.STATX;
            case SYNC -> Call.FDATASYNC;
        });
        rule = fault.nth() == 0 ? rule : rule.nth(fault.nth());
        return fault.effect() == Effect.FALLS_SHORT ? rule.atMost(fault.number()) : rule.returns(-fault.number());
    }

    @Test
    void aFileIsClosedAfterTheCallbacksOfItsOperations() throws Exception {
        AsyncSettings settings = AsyncSettings.defaults().with(Means.THREADS).withThreads(2);
        try (TestDirectory place = TestDirectory.make(); AsyncFiles files = AsyncFiles.open(settings)) {
            ByteString path = ByteString.of(place.resolve("f"));
            AsyncFile file = files.openSync(path, OpenMode.write());
            CountDownLatch began = new CountDownLatch(1);
            CountDownLatch mayEnd = new CountDownLatch(1);
            file.write(IoBuffer.allocate(1), (bytes, failure) -> {
                began.countDown();
                await(mayEnd);
            });
            began.await();
            CompletableFuture<Void> closed = file.close();
            // By the other thread, after all that waits.
            files.openSync(path, OpenMode.read()).closeSync();
            boolean wasClosed = closed.isDone();
            mayEnd.countDown();
            assertThat(wasClosed).isFalse();
            closed.get();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void operationsThatAreAdmittedDuringTheCloseHoldNoRoom() throws Exception {
        for (int i = 0; i < 1000; i++) {
            Admission admission = new Admission(1);
            CountDownLatch running = new CountDownLatch(1);
            Thread user = Thread.ofPlatform().start(() -> {
                try {
                    while (admission.enter()) {
                        admission.leave();
                        running.countDown();
                    }
                } catch (IllegalStateException e) {
                    // closed
                }
            });
            running.await();
            assertThat(admission.close()).isTrue();
            user.join();
        }
    }

    @Test
    void theNumberOfThreadsIsThatOfTheSettings() {
        AsyncSettings settings = AsyncSettings.defaults().with(Means.THREADS);
        try (AsyncFiles three = LocalFiles.overThreads(settings.withThreads(3), Linux.calls());
                AsyncFiles one = AsyncFiles.open(settings.withThreads(1))) {
            assertThat(three.means()).isEqualTo("3 threads");
            assertThat(one.means()).isEqualTo("1 thread");
            assertThat(Thread.getAllStackTraces().keySet().stream().filter(IoThread.class::isInstance))
                    .as("with those of the fixture")
                    .hasSize(8);
        }
    }

    /** Threads for which memory runs out once, when so many requests were submitted. */
    private static Backend poor(AtomicInteger left) {
        ThreadBackend threads = new ThreadBackend(new SystemCalls(Linux.calls()), 2, 8);
        return new Backend() {
            @Override
            public void submit(Request request) {
                if (left.getAndDecrement() == 0) {
                    throw new OutOfMemoryError("a test");
                }
                threads.submit(request);
            }

            @Override
            public void end() {
                threads.end();
            }
        };
    }

    @Test
    void anOpenThatRunsOutOfMemoryAfterTheFileWasOpenedClosesIt() throws Exception {
        files.close();
        long before = descriptors();
        AtomicInteger left = new AtomicInteger(1);
        try (AsyncFiles poor = AsyncFiles.over(poor(left), 2, "a test")) {
            assertThatExceptionOfType(AsyncFileException.class)
                    .isThrownBy(() -> poor.openSync(path("f"), OpenMode.write().direct()))
                    .matches(e -> e.errno() == Errno.ENOMEM);
        }
        assertThat(place.resolve("f")).exists();
        assertThat(descriptors()).isEqualTo(before);
    }

    @Test
    void anOperationThatRunsOutOfMemoryFailsAndGivesItsRoomAndItsTurnBack() throws Exception {
        AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
        try (TestDirectory place = TestDirectory.make(); AsyncFiles files = AsyncFiles.over(poor(left), 2, "a test")) {
            ByteString path = ByteString.of(place.resolve("f"));
            AsyncFile file = files.openSync(path, OpenMode.update());
            for (int i = 0; i < 5; i++) {
                left.set(0);
                assertThatExceptionOfType(AsyncFileException.class)
                        .isThrownBy(() -> file.writeSync(IoBuffer.allocate(1)))
                        .matches(e -> e.errno() == Errno.ENOMEM)
                        .withMessageContaining("f: write: Cannot allocate memory (ENOMEM)");
                left.set(1);
                CompletableFuture<Integer> first = file.write(IoBuffer.allocate(1));
                CompletableFuture<Long> second = file.seek(0, SeekFrom.CURRENT);
                assertThat(first.get()).isEqualTo(1);
                assertThatExceptionOfType(ExecutionException.class).isThrownBy(second::get);
                left.set(0);
                assertThatExceptionOfType(AsyncFileException.class)
                        .isThrownBy(() -> files.openSync(path, OpenMode.read()));
            }
            left.set(Integer.MAX_VALUE);
            assertThat(file.seekSync(0, SeekFrom.CURRENT)).isEqualTo(5);
            file.closeSync();
        }
    }
}
