// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.nio.file.InvalidPathException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.treehaul.core.async.backend.IoThread;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;

/** Each implementation of {@link AsyncFiles} passes these tests, also over calls that fail. */
public abstract class AsyncFilesContract extends AsyncFaultsContract {

    private String text(String name) throws Exception {
        return new String(content(name), UTF_8);
    }

    /** Passes on the outcome of an operation that is begun with a callback. */
    private static <T> T called(Consumer<IoCallback<T>> begin) throws Exception {
        CompletableFuture<T> outcome = new CompletableFuture<>();
        begin.accept((value, failure) -> {
            if (failure == null) {
                outcome.complete(value);
            } else {
                outcome.completeExceptionally(failure);
            }
        });
        return outcome.get();
    }

    @Test
    void eachOperationHasThreeForms() throws Exception {
        IoBuffer five = IoBuffer.of("12345".getBytes(UTF_8));
        IoBuffer back = IoBuffer.allocate(9);

        AsyncFile waits = files.openSync(path("waits"), OpenMode.update());
        assertThat(waits.writeSync(five)).isEqualTo(5);
        assertThat(waits.pwriteSync(five, 4)).isEqualTo(5);
        assertThat(waits.seekSync(1, SeekFrom.START)).isEqualTo(1);
        assertThat(waits.readSync(back)).isEqualTo(8);
        assertThat(waits.preadSync(back, 0)).isEqualTo(9);
        waits.syncSync();
        waits.closeSync();
        assertThat(text("waits")).isEqualTo("123412345").isEqualTo(new String(back.toBytes(9), UTF_8));
        files.removeSync(path("waits"));

        AsyncFile future = files.open(path("future"), OpenMode.update()).get();
        assertThat(future.write(five).get()).isEqualTo(5);
        assertThat(future.pwrite(five, 4).get()).isEqualTo(5);
        assertThat(future.seek(1, SeekFrom.START).get()).isEqualTo(1);
        assertThat(future.read(back).get()).isEqualTo(8);
        assertThat(future.pread(back, 0).get()).isEqualTo(9);
        future.sync().get();
        future.close().get();
        assertThat(text("future")).isEqualTo("123412345").isEqualTo(new String(back.toBytes(9), UTF_8));
        files.remove(path("future")).get();

        AsyncFile callback = AsyncFilesContract
                .<AsyncFile>called(then -> files.open(path("callback"), OpenMode.update(), then));
        assertThat(AsyncFilesContract.<Integer>called(then -> callback.write(five, then))).isEqualTo(5);
        assertThat(AsyncFilesContract.<Integer>called(then -> callback.pwrite(five, 4, then))).isEqualTo(5);
        assertThat(AsyncFilesContract.<Long>called(then -> callback.seek(1, SeekFrom.START, then))).isEqualTo(1);
        assertThat(AsyncFilesContract.<Integer>called(then -> callback.read(back, then))).isEqualTo(8);
        assertThat(AsyncFilesContract.<Integer>called(then -> callback.pread(back, 0, then))).isEqualTo(9);
        AsyncFilesContract.<Void>called(callback::sync);
        AsyncFilesContract.<Void>called(callback::close);
        assertThat(text("callback")).isEqualTo("123412345").isEqualTo(new String(back.toBytes(9), UTF_8));
        AsyncFilesContract.<Void>called(then -> files.remove(path("callback"), then));
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
    void holesAreReadAsZerosIntoABufferThatHadOtherBytes() throws Exception {
        int length = 100_005;
        AsyncFile file = files.openSync(path("f"), OpenMode.update());
        IoBuffer five = IoBuffer.of("12345".getBytes(UTF_8));
        file.pwriteSync(five, 0);
        file.pwriteSync(five, length - 5);
        byte[] expected = new byte[length];
        System.arraycopy(five.toBytes(5), 0, expected, 0, 5);
        System.arraycopy(five.toBytes(5), 0, expected, length - 5, 5);
        byte[] ones = new byte[length + 1];
        Arrays.fill(ones, (byte) 1);
        IoBuffer used = IoBuffer.of(ones);
        assertThat(file.preadSync(used, 0)).isEqualTo(length);
        assertThat(used.toBytes(length)).isEqualTo(expected);
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
}
