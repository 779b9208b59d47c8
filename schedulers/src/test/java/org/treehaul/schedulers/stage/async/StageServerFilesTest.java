// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.async;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.treehaul.core.async.AsyncFile;
import org.treehaul.core.async.AsyncFileException;
import org.treehaul.core.async.AsyncFiles;
import org.treehaul.core.async.AsyncSettings;
import org.treehaul.core.async.IoBuffer;
import org.treehaul.core.async.OpenMode;
import org.treehaul.core.async.backend.Backend;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StripeLayout;

/** Asynchronous files over a stage by requests for which no thread waits. */
class StageServerFilesTest extends StageFilesContract {

    private static final AsyncSettings ONE_THREAD = AsyncSettings.defaults().withThreads(1);

    @Override
    Backend backend(Stage on, AsyncSettings settings) {
        return AsyncStage.servers(on, LAYOUT, settings);
    }

    @Test
    void oneThreadHasManyReadsAndWritesAtTheServerAtTheSameTime() throws Exception {
        for (String operation : List.of("read", "write")) {
            CountDownLatch together = new CountDownLatch(6);
            try (TestDirectory place = TestDirectory.make();
                    ServedStage slow = ServedStage.over(place.path(), 1,
                            segments -> waiting(segments, operation, together));
                    AsyncFiles all = AsyncStage.byServers(slow.open(), new StripeLayout(List.of("s1"), 1, 4096),
                            ONE_THREAD)) {
                AsyncFile file = all.openSync(path("f"), OpenMode.update());
                List<CompletableFuture<Integer>> begun = new ArrayList<>();
                for (int i = 0; i < 6; i++) {
                    IoBuffer buffer = IoBuffer.allocate(4096);
                    begun.add(operation.equals("read") ? file.pread(buffer, 0) : file.pwrite(buffer, i * 4096L));
                }
                for (CompletableFuture<Integer> one : begun) {
                    assertThat(one.get()).isEqualTo(operation.equals("read") ? 0 : 4096);
                }
            }
            assertThat(together.getCount()).as(operation).isZero();
        }
    }

    // Each of these operations waits for six of them; the limit only ends a test that has failed.
    private static Segments waiting(Segments segments, String operation, CountDownLatch together) {
        return (Segments) Proxy.newProxyInstance(Segments.class.getClassLoader(), new Class<?>[]{Segments.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals(operation)) {
                        together.countDown();
                        if (!together.await(5, TimeUnit.MINUTES)) {
                            throw new StageException("a test", operation + ": it was alone", Errno.ETIMEDOUT);
                        }
                    }
                    try {
                        return method.invoke(segments, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void moreThanTheServersHaveRoomForIsSentLater() throws Exception {
        byte[] data = new byte[12 << 20];
        new Random(1).nextBytes(data);
        AsyncFiles many = files(AsyncSettings.defaults().withThreads(2).withDepth(64));
        AsyncFile file = many.openSync(path("f"), OpenMode.update());
        List<CompletableFuture<Integer>> all = new ArrayList<>();
        int block = 256 << 10;
        for (int at = 0; at < data.length; at += block) {
            all.add(file.pwrite(IoBuffer.of(Arrays.copyOfRange(data, at, at + block)), at));
        }
        for (CompletableFuture<Integer> one : all) {
            assertThat(one.get()).isEqualTo(block);
        }
        List<IoBuffer> buffers = new ArrayList<>();
        all.clear();
        for (int at = 0; at < data.length; at += block) {
            buffers.add(IoBuffer.allocate(block));
            all.add(file.pread(buffers.getLast(), at));
        }
        for (int i = 0; i < all.size(); i++) {
            assertThat(all.get(i).get()).isEqualTo(block);
            assertThat(Arrays.mismatch(data, i * block, (i + 1) * block, buffers.get(i).toBytes(block), 0, block))
                    .isEqualTo(-1);
        }
        many.close();
    }

    @Test
    void aServerThatEndsFailsTheOperationsByNameAndIsFoundAgainLater() throws Exception {
        AsyncFile file = files.openSync(path("f"), OpenMode.update());
        byte[] data = new byte[60_000];
        new Random(1).nextBytes(data);
        file.pwriteSync(IoBuffer.of(data), 0);
        served.stop(2);
        List<CompletableFuture<Integer>> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            all.add(file.pread(IoBuffer.allocate(60_000), 0));
            all.add(file.pwrite(IoBuffer.of(data), 0));
        }
        for (CompletableFuture<Integer> one : all) {
            try {
                one.get();
                throw new AssertionError("succeeded");
            } catch (ExecutionException e) {
                assertThat(e.getCause()).isInstanceOf(AsyncFileException.class)
                        .hasMessageStartingWith("dir/f: ")
                        .hasMessageContaining("s2 (127.0.0.1:");
            }
        }
        served.restart(2);
        // Not at once after an attempt to connect that took long, as on a busy machine.
        Awaitility.await()
                .atMost(Duration.ofMinutes(2))
                .ignoreExceptions()
                .until(() -> file.pwriteSync(IoBuffer.of(data), 0) == 60_000);
        IoBuffer back = IoBuffer.allocate(60_000);
        assertThat(file.preadSync(back, 0)).isEqualTo(60_000);
        assertThat(back.toBytes(60_000)).isEqualTo(data);
        file.closeSync();
    }
}
