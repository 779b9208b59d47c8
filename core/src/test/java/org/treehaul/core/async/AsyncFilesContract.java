// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.async.backend.IoThread;
import org.treehaul.core.async.backend.Request;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.testing.TestDirectory;

/** Each implementation of {@link AsyncFiles} passes these tests, also over calls that fail. */
public abstract class AsyncFilesContract {

    protected static final AsyncSettings FOUR = AsyncSettings.defaults().withThreads(4);

    private static final Set<Request.Kind> CALLS = EnumSet.complementOf(EnumSet.of(Request.Kind.NONE));

    protected TestDirectory place;
    protected AsyncFiles files;

    /** The way in which a request fails. */
    public enum Effect {
        /** The request fails; nothing is done. */
        FAILS,
        /** The request is carried out, and then a failure reported. */
        SEEMS_TO_FAIL,
        /** At most so many bytes are moved. */
        FALLS_SHORT
    }

    /**
     * A fault.
     *
     * @param nth the request of this kind, counted from 1; 0 for each
     * @param number the error number, or the bytes; 0 as an error number for a result of 0
     */
    public record Fault(Request.Kind kind, int nth, Effect effect, int number) {}

    protected abstract AsyncFiles files(AsyncSettings settings, Fault... faults);

    /** Makes what the files need besides a directory. */
    protected void prepareStore() throws Exception {}

    /** Releases it. */
    protected void closeStore() {}

    /** Returns the path of a file; with an empty name that of a directory, which ends in a slash. */
    protected ByteString path(String name) {
        return ByteString.of(place.resolve(name));
    }

    /** Returns the data of a file, as another program sees them. */
    protected byte[] content(String name) throws Exception {
        return Files.readAllBytes(place.resolve(name));
    }

    /** Returns the number of files of this directory. */
    protected long count() throws Exception {
        try (Stream<Path> all = Files.list(place.path())) {
            return all.count();
        }
    }

    /** Returns the permission bits of a file. */
    protected int mode(String name) throws Exception {
        return (int) Files.getAttribute(place.resolve(name), "unix:mode") & 07777;
    }

    /** Returns the number of descriptors, or what takes their place, that are open. */
    protected abstract long descriptors() throws Exception;

    @BeforeEach
    void prepare() throws Exception {
        place = TestDirectory.make();
        prepareStore();
        files = files(FOUR);
    }

    @AfterEach
    void clean() {
        files.close();
        closeStore();
        place.close();
    }

    private String text(String name) throws Exception {
        return new String(content(name), UTF_8);
    }

    private AsyncFiles with(Fault... faults) {
        files.close();
        files = files(FOUR, faults);
        return files;
    }

    private static byte[] random(int bytes) {
        byte[] data = new byte[bytes];
        new Random(bytes).nextBytes(data);
        return data;
    }

    private static AsyncFileException failure(CompletableFuture<?> future) {
        try {
            future.get();
        } catch (ExecutionException e) {
            return (AsyncFileException) Objects.requireNonNull(e.getCause());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        throw new AssertionError("succeeded");
    }

    @Test
    void theThreeFormsOfAnOperationDoTheSame() throws Exception {
        AsyncFile file = files.openSync(path("f"), OpenMode.update());
        assertThat(file.writeSync(IoBuffer.of("one ".getBytes(UTF_8)))).isEqualTo(4);
        assertThat(file.write(IoBuffer.of("two ".getBytes(UTF_8))).get()).isEqualTo(4);
        CompletableFuture<Integer> third = new CompletableFuture<>();
        file.write(IoBuffer.of("three".getBytes(UTF_8)), (bytes, failure) -> third.complete(bytes));
        assertThat(third.get()).isEqualTo(5);
        file.syncSync();
        IoBuffer all = IoBuffer.allocate(20);
        assertThat(file.preadSync(all, 0)).isEqualTo(13);
        assertThat(new String(all.toBytes(13), UTF_8)).isEqualTo("one two three");
        file.closeSync();
        assertThat(text("f")).isEqualTo("one two three");
        CompletableFuture<AsyncFileException> removed = new CompletableFuture<>();
        files.remove(path("f"), (nothing, failure) -> removed.complete(failure));
        assertThat(removed.get()).isNull();
        assertThat(count()).isZero();
    }

    @Test
    void operationsAtThePositionRunInTheOrderOfTheCalls() throws Exception {
        AsyncFile file = files.openSync(path("f"), OpenMode.update());
        StringBuilder expected = new StringBuilder();
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            expected.append(i).append(' ');
            all.add(file.write(IoBuffer.of((i + " ").getBytes(UTF_8))));
        }
        CompletableFuture<Long> back = file.seek(0, SeekFrom.START);
        IoBuffer first = IoBuffer.allocate(4);
        IoBuffer second = IoBuffer.allocate(6);
        CompletableFuture<Integer> four = file.read(first);
        assertThat(file.read(second).get()).isEqualTo(6);
        assertThat(four.get()).isEqualTo(4);
        assertThat(back.get()).isZero();
        CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new)).get();
        assertThat(new String(first.toBytes(4), UTF_8) + new String(second.toBytes(6), UTF_8))
                .isEqualTo(expected.substring(0, 10));
        file.closeSync();
        assertThat(text("f")).isEqualTo(expected.toString());
    }

    @Test
    void moreOperationsThanTheDepthWaitForTheirTurn() throws Exception {
        files.close();
        files = files(FOUR.withDepth(3));
        AsyncFile file = files.openSync(path("f"), OpenMode.update());
        byte[] data = random(300 * 1000);
        List<CompletableFuture<Integer>> written = new ArrayList<>();
        for (int i = 299; i >= 0; i--) {
            written.add(file.pwrite(IoBuffer.of(Arrays.copyOfRange(data, i * 1000, i * 1000 + 1000)), i * 1000L));
        }
        for (CompletableFuture<Integer> one : written) {
            assertThat(one.get()).isEqualTo(1000);
        }
        assertThat(file.seekSync(-1000, SeekFrom.END)).isEqualTo(299_000);
        IoBuffer last = IoBuffer.allocate(5000);
        assertThat(file.readSync(last)).isEqualTo(1000);
        assertThat(last.toBytes(1000)).isEqualTo(Arrays.copyOfRange(data, 299_000, 300_000));
        assertThat(file.readSync(last)).as("end of the file").isZero();
        file.closeSync();
        assertThat(content("f")).isEqualTo(data);
    }

    @Test
    void seekCountsFromEachPlaceAndRefusesNegativePositions() throws Exception {
        AsyncFile file = files.openSync(path("f"), OpenMode.update());
        file.writeSync(IoBuffer.of(random(100)));
        assertThat(file.seekSync(0, SeekFrom.CURRENT)).isEqualTo(100);
        assertThat(file.seekSync(-30, SeekFrom.CURRENT)).isEqualTo(70);
        assertThat(failure(file.seek(-71, SeekFrom.CURRENT)).errno()).isEqualTo(Errno.EINVAL);
        assertThat(failure(file.seek(Long.MAX_VALUE, SeekFrom.END)).errno()).isEqualTo(Errno.EOVERFLOW);
        assertThat(file.seekSync(0, SeekFrom.CURRENT)).as("unchanged").isEqualTo(70);
        assertThat(file.seekSync(5L << 30, SeekFrom.START)).isEqualTo(5L << 30);
        file.writeSync(IoBuffer.of(new byte[]{7}));
        assertThat(file.seekSync(0, SeekFrom.END)).isEqualTo((5L << 30) + 1);
        assertThat(failure(file.pread(IoBuffer.allocate(1), -1)).errno()).isEqualTo(Errno.EINVAL);
        assertThat(failure(file.pwrite(IoBuffer.allocate(1), -1)).errno()).isEqualTo(Errno.EINVAL);
    }

    @Test
    void failuresNamePathOperationAndErrno() throws Exception {
        AsyncFileException missing = failure(files.open(path("missing"), OpenMode.read()));
        assertThat(missing).hasMessage(path("missing") + ": open: No such file or directory (ENOENT)");
        assertThat(missing.path()).isEqualTo(path("missing"));
        assertThat(failure(files.remove(path("missing"))).operation()).isEqualTo("remove");
        assertThatExceptionOfType(AsyncFileException.class)
                .isThrownBy(() -> files.openSync(path("."), OpenMode.write()))
                .matches(e -> e.errno() == Errno.EISDIR);
        AsyncFile file = files.openSync(path("f"), OpenMode.write().exclusive().withPermissions(0600));
        assertThat(failure(files.open(path("f"), OpenMode.write().exclusive())).errno()).isEqualTo(Errno.EEXIST);
        AsyncFileException unreadable = failure(file.read(IoBuffer.allocate(1)));
        assertThat(unreadable.operation() + " " + unreadable.errno()).isEqualTo("read " + Errno.EBADF);
        CompletableFuture<AsyncFileException> told = new CompletableFuture<>();
        file.pread(IoBuffer.allocate(1), 0, (bytes, failure) -> told.complete(failure));
        assertThat(told.get().errno()).isEqualTo(Errno.EBADF);
        assertThat(mode("f")).isEqualTo(0600);
    }

    @Test
    void aCloseWaitsForTheOperationsAndEndsTheUseOfTheFile() throws Exception {
        AsyncFile file = files.openSync(path("f"), OpenMode.update());
        List<CompletableFuture<Integer>> written = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            written.add(file.write(IoBuffer.of(random(10_000))));
        }
        file.close().get();
        for (CompletableFuture<Integer> one : written) {
            assertThat(one).isCompletedWithValue(10_000);
        }
        assertThat(content("f")).hasSize(1_000_000);
        assertThat(failure(file.read(IoBuffer.allocate(1)))).hasMessageContaining("f: read: Bad file descriptor");
        assertThat(failure(file.seek(0, SeekFrom.START)).errno()).isEqualTo(Errno.EBADF);
        file.closeSync();
    }

    @Test
    void closingTheFilesEndsThreadsAndDescriptorsAndRefusesMore() throws Exception {
        long before = descriptors();
        AsyncFiles others = files(FOUR);
        List<CompletableFuture<Integer>> written = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            AsyncFile file = others.openSync(path("f" + i), OpenMode.write().direct());
            written.add(file.write(IoBuffer.of(random(100_000))));
        }
        AsyncFile last = others.openSync(path("last"), OpenMode.write());
        others.close();
        for (CompletableFuture<Integer> one : written) {
            assertThat(one).isCompletedWithValue(100_000);
        }
        assertThat(descriptors()).isEqualTo(before);
        assertThatIllegalStateException().isThrownBy(() -> others.open(path("f"), OpenMode.read()));
        assertThatIllegalStateException().isThrownBy(() -> last.write(IoBuffer.allocate(1)));
        others.close();
        files.close();
        assertThat(Thread.getAllStackTraces().keySet()).noneMatch(IoThread.class::isInstance);
    }

    @Test
    void aCallbackMayBeginOperationsButNotWaitForThem() throws Exception {
        AsyncFile file = files.openSync(path("f"), OpenMode.update());
        file.writeSync(IoBuffer.of(random(1000)));
        CompletableFuture<Integer> sum = new CompletableFuture<>();
        IoBuffer one = IoBuffer.allocate(1);
        AtomicInteger rounds = new AtomicInteger();
        IoCallback<Integer> chain = new IoCallback<>() {
            @Override
            public void done(@Nullable Integer bytes, @Nullable AsyncFileException failure) {
                if (rounds.incrementAndGet() < 1000) {
                    file.pread(one, rounds.get(), this);
                } else {
                    sum.complete(bytes);
                }
            }
        };
        file.pread(one, 0, chain);
        assertThat(sum.get()).isEqualTo(1);
        BlockingQueue<Throwable> thrown = new LinkedBlockingQueue<>();
        Thread.UncaughtExceptionHandler usual = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> thrown.add(e));
        try {
            file.pread(one, 0, (bytes, failure) -> {
                try {
                    file.preadSync(one, 0);
                } catch (AsyncFileException e) {
                    throw new AssertionError(e);
                }
            });
            assertThat(thrown.take()).isInstanceOf(IllegalStateException.class).hasMessageContaining("callback");
            file.pread(one, 0, (bytes, failure) -> files.close());
            assertThat(thrown.take()).isInstanceOf(IllegalStateException.class).hasMessageContaining("callback");
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(usual);
        }
        assertThat(file.preadSync(one, 0)).as("the thread goes on").isEqualTo(1);
    }

    @Test
    void withinACallbackTooManyOperationsFailAtOnce() throws Exception {
        files.close();
        files = files(FOUR.withThreads(1).withDepth(2));
        AsyncFile file = files.openSync(path("f"), OpenMode.update());
        CompletableFuture<List<CompletableFuture<Integer>>> begun = new CompletableFuture<>();
        file.pwrite(IoBuffer.allocate(1), 0, (bytes, failure) -> begun
                .complete(Stream.of(1, 2, 3).map(i -> file.pwrite(IoBuffer.allocate(1), i)).toList()));
        List<CompletableFuture<Integer>> all = begun.get();
        assertThat(all.get(0).get()).isEqualTo(1);
        assertThat(all.get(1).get()).isEqualTo(1);
        assertThat(failure(all.get(2)).errno()).isEqualTo(Errno.EAGAIN);
    }

    @Test
    void aCancelledFutureAndAnEndedThreadLeaveTheOperationAlone() throws Exception {
        AsyncFile file = files.openSync(path("f"), OpenMode.update());
        byte[] data = random(64 << 10);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            long offset = i * (long) data.length;
            threads.add(Thread.ofPlatform().start(() -> file.pwrite(IoBuffer.of(data), offset).cancel(true)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.gc();
        file.closeSync();
        byte[] written = content("f");
        assertThat(written).hasSize(20 * data.length);
        for (int i = 0; i < 20; i++) {
            assertThat(Arrays.mismatch(written, i * data.length, (i + 1) * data.length, data, 0, data.length))
                    .isEqualTo(-1);
        }
    }

    @Test
    void directFilesHaveTheSameDataForAllOffsetsAndLengths() throws Exception {
        byte[] data = random(50_000);
        AsyncFile file = files.openSync(path("f"), OpenMode.update().direct());
        for (int[] range : new int[][]{{0, 8192}, {8192, 12_345}, {20_537, 1}, {20_538, 9000}, {29_538, 20_462}}) {
            file.pwriteSync(IoBuffer.of(Arrays.copyOfRange(data, range[0], range[0] + range[1])), range[0]);
        }
        assertThat(content("f")).isEqualTo(data);
        for (int[] range : new int[][]{{0, 50_000}, {4096, 4096}, {4096, 4097}, {1, 49_999}, {45_056, 8192}}) {
            IoBuffer buffer = IoBuffer.allocate(range[1]);
            int expected = Math.min(range[1], data.length - range[0]);
            assertThat(file.preadSync(buffer, range[0])).isEqualTo(expected);
            assertThat(buffer.toBytes(expected)).isEqualTo(Arrays.copyOfRange(data, range[0], range[0] + expected));
        }
        IoBuffer odd = IoBuffer.allocate(9000).slice(3, 8192);
        assertThat(file.preadSync(odd, 0)).as("memory that is not aligned").isEqualTo(8192);
        assertThat(odd.toBytes(8192)).isEqualTo(Arrays.copyOf(data, 8192));
        file.closeSync();
    }

    @Test
    void thousandsOfSeeksFollowEachOtherInCallbacksAndInAQueue() throws Exception {
        AsyncFile file = files.openSync(path("f"), OpenMode.update());
        CompletableFuture<Long> last = new CompletableFuture<>();
        file.seek(1, SeekFrom.CURRENT, new IoCallback<>() {
            @Override
            public void done(@Nullable Long position, @Nullable AsyncFileException failure) {
                if (position == null || position == 20_000) {
                    last.complete(position == null ? -1 : position);
                } else {
                    file.seek(1, SeekFrom.CURRENT, this);
                }
            }
        });
        assertThat(last.get()).isEqualTo(20_000);
        files.close();
        files = files(FOUR.withDepth(20_000));
        AsyncFile queued = files.openSync(path("g"), OpenMode.update());
        CompletableFuture<Integer> written = queued.write(IoBuffer.allocate(1 << 20));
        CompletableFuture<Long> position = new CompletableFuture<>();
        for (int i = 0; i < 19_000; i++) {
            position = queued.seek(1, SeekFrom.CURRENT);
        }
        assertThat(position.get()).isEqualTo((1 << 20) + 19_000);
        assertThat(written).isCompletedWithValue(1 << 20);
    }

    @Test
    void namesMayHaveAnyBytes() throws Exception {
        ByteString name = ByteString.of(new byte[]{(byte) 0xff, (byte) 0xfe, '\n'});
        ByteString path = path("").plus(ByteString.of("/")).plus(name);
        files.openSync(path, OpenMode.write()).closeSync();
        files.removeSync(path);
        assertThat(count()).isZero();
    }

    @Test
    void aNulInAPathIsRefusedInsteadOfEndingIt() throws Exception {
        files.openSync(path("f"), OpenMode.write()).closeSync();
        ByteString path = path("f").plus(ByteString.of(new byte[]{0, 'x'}));
        assertThatExceptionOfType(InvalidPathException.class).isThrownBy(() -> files.open(path, OpenMode.read()));
        assertThatExceptionOfType(InvalidPathException.class).isThrownBy(() -> files.remove(path));
        assertThat(count()).isEqualTo(1);
    }

    @Test
    void aHandlerOfExceptionsThatThrowsEndsNoThread() throws Exception {
        Thread.UncaughtExceptionHandler usual = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> {
            throw new IllegalStateException(e);
        });
        try {
            AsyncFile file = files.openSync(path("f"), OpenMode.update());
            for (int i = 0; i < 10; i++) {
                file.pwrite(IoBuffer.allocate(1), i, (bytes, failure) -> {
                    throw new IllegalStateException("a test");
                });
            }
            file.closeSync();
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(usual);
        }
        assertThat(content("f")).hasSize(10);
    }

    @Test
    void shortResultsAreContinued() throws Exception {
        with(new Fault(Request.Kind.READ, 0, Effect.FALLS_SHORT, 700),
                new Fault(Request.Kind.WRITE, 0, Effect.FALLS_SHORT, 900));
        byte[] data = random(20_000);
        AsyncFile file = files.openSync(path("f"), OpenMode.update());
        assertThat(file.writeSync(IoBuffer.of(data))).isEqualTo(data.length);
        IoBuffer buffer = IoBuffer.allocate(data.length + 1);
        assertThat(file.preadSync(buffer, 0)).isEqualTo(data.length);
        assertThat(buffer.toBytes(data.length)).isEqualTo(data);
    }

    @Test
    void interruptedRequestsAreRepeatedButNotACloseAndNotForEver() throws Exception {
        for (Request.Kind kind : CALLS) {
            with(new Fault(kind, 1, Effect.FAILS, Errno.EINTR));
            CompletableFuture<Void> all = everyKind();
            if (kind == Request.Kind.CLOSE) {
                assertThat(failure(all).operation()).isEqualTo("close");
            } else {
                all.get();
            }
        }
        with(new Fault(Request.Kind.READ, 0, Effect.FAILS, Errno.EINTR));
        assertThat(failure(everyKind()).errno()).isEqualTo(Errno.EINTR);
    }

    @Test
    void eachFailureArrivesWhereItHappenedAndTheFilesGoOn() throws Exception {
        for (Effect effect : List.of(Effect.FAILS, Effect.SEEMS_TO_FAIL)) {
            for (Request.Kind kind : CALLS) {
                with(new Fault(kind, 1, effect, Errno.EIO));
                AsyncFileException failure = failure(everyKind());
                assertThat(failure.errno()).as("%s %s", effect, kind).isEqualTo(Errno.EIO);
                assertThat(failure.path()).isEqualTo(path("every"));
                everyKind().get();
            }
        }
    }

    /** Opens, writes, seeks, reads, syncs, closes and removes a file. */
    private CompletableFuture<Void> everyKind() {
        IoBuffer data = IoBuffer.of(random(10));
        return files.open(path("every"), OpenMode.update())
                .thenCompose(file -> file.write(data)
                        .thenCompose(bytes -> file.seek(-10, SeekFrom.END))
                        .thenCompose(position -> file.read(data))
                        .thenCompose(bytes -> file.sync())
                        .thenCompose(nothing -> file.close()))
                .thenCompose(nothing -> files.remove(path("every")));
    }

    @Test
    void aWriteThatFailsHalfwayReportsTheBytesThatWereWritten() throws Exception {
        with(new Fault(Request.Kind.WRITE, 0, Effect.FALLS_SHORT, 100),
                new Fault(Request.Kind.WRITE, 3, Effect.FAILS, Errno.ENOSPC));
        AsyncFile file = files.openSync(path("f"), OpenMode.update());
        AsyncFileException full = failure(file.write(IoBuffer.of(random(1000))));
        assertThat(full.errno() + " after " + full.bytes()).isEqualTo(Errno.ENOSPC + " after 200");
        assertThat(file.seekSync(0, SeekFrom.CURRENT)).isEqualTo(200);
    }

    @Test
    void aWriteOfNothingIsAFailure() throws Exception {
        with(new Fault(Request.Kind.WRITE, 0, Effect.FAILS, 0));
        AsyncFile file = files.openSync(path("f"), OpenMode.update());
        assertThat(failure(file.write(IoBuffer.of(random(10)))).errno()).isEqualTo(Errno.EIO);
    }

    @Test
    void directFilesFallBackWhereTheFileSystemRefuses() throws Exception {
        with(new Fault(Request.Kind.OPEN, 2, Effect.FAILS, Errno.EINVAL));
        AsyncFile refused = files.openSync(path("f"), OpenMode.update().direct());
        with(new Fault(Request.Kind.STATUS, 1, Effect.FAILS, Errno.ENOSYS));
        AsyncFile unknown = files.openSync(path("f"), OpenMode.update().direct());
        assertThat(unknown.isDirect() || refused.isDirect()).isFalse();
        with(new Fault(Request.Kind.WRITE, 1, Effect.FAILS, Errno.EINVAL));
        AsyncFile broken = files.openSync(path("f"), OpenMode.update().direct());
        if (broken.isDirect()) {
            assertThat(broken.writeSync(IoBuffer.of(random(8192)))).isEqualTo(8192);
            assertThat(broken.isDirect()).isFalse();
        } else {
            assertThat(failure(broken.write(IoBuffer.of(random(8192)))).errno()).isEqualTo(Errno.EINVAL);
        }
    }
}
