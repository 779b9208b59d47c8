// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.schedulers.stage.Segments.Pipelined;

/** One read of several servers that take requests in a pipeline. */
class ReadsAtOnceTest {

    private static final int SERVERS = 3;
    private static final ByteString PATH = ByteString.of("a/b");

    private final byte[] content = StageFixture.content(1, 100_000);
    private final Map<String, StageException> failures = new ConcurrentHashMap<>();
    private final List<Runnable> begun = new CopyOnWriteArrayList<>();
    private boolean isReady = true;
    // The number of requests that are answered together, after the last of them.
    private int together = SERVERS;
    private StageFixture fixture;
    private Stage stage;

    @BeforeEach
    void open() throws Exception {
        fixture = new StageFixture(SERVERS);
        StageFixture.make(fixture.open(), PATH, new StripeLayout(StageFixture.servers(SERVERS), SERVERS, 1000),
                content);
        SegmentsOpener opener = LocalServers.opener(Linux.calls());
        stage = fixture.open(server -> new Server(opener.open(server)));
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private final class Server extends SegmentsOver implements Pipelined {
        private final Segments segments;

        Server(Segments segments) {
            this.segments = segments;
        }

        @Override
        protected Segments segments() {
            return segments;
        }

        @Override
        public boolean isReady() {
            return isReady;
        }

        @Override
        public CompletableFuture<Long> begin(SegmentKey key, List<SegmentPart> parts, boolean isWrite) {
            CompletableFuture<Long> result = new CompletableFuture<>();
            begun.add(() -> answer(key, parts, result));
            if (begun.size() == together) {
                begun.forEach(Runnable::run);
            }
            return result;
        }

        private void answer(SegmentKey key, List<SegmentPart> parts, CompletableFuture<Long> result) {
            try {
                StageException failure = failures.get("d" + (key.index() + 1));
                if (failure != null) {
                    throw failure;
                }
                result.complete(segments.read(key, parts));
            } catch (StageException e) {
                result.completeExceptionally(e);
            }
        }
    }

    private byte[] read() throws StageException {
        try (ParallelFile file = stage.open(PATH, false)) {
            ByteBuffer into = ByteBuffer.allocate(content.length);
            assertThat(file.read(into, 0)).isEqualTo(content.length);
            return into.array();
        }
    }

    @Test
    void allServersHaveTheirRequestsBeforeTheFirstIsWaitedFor() throws Exception {
        assertThat(read()).isEqualTo(content);
        assertThat(begun).hasSize(SERVERS);
    }

    @Test
    void serversThatAreNotReadyAreReadOneByOne() throws Exception {
        isReady = false;
        assertThat(read()).isEqualTo(content);
        assertThat(begun).isEmpty();
    }

    @Test
    void aReadOfOneServerNeedsNoPipeline() throws Exception {
        try (ParallelFile file = stage.open(PATH, false)) {
            ByteBuffer into = ByteBuffer.allocate(500);
            assertThat(file.read(into, 100)).isEqualTo(500);
            assertThat(into.array()).isEqualTo(Arrays.copyOfRange(content, 100, 600));
        }
        assertThat(begun).isEmpty();
    }

    @Test
    void aReadReportsTheFailuresOfAllServersAndNamesTheFile() {
        failures.put("d1", new StageException("segment 0", "read", Errno.EIO));
        failures.put("d3", new StageException("segment 2", "read", Errno.ESTALE));
        assertThatThrownBy(this::read).isInstanceOfSatisfying(StageException.class, failure -> {
            assertThat(failure).hasMessageContaining("a/b");
            assertThat(failure.errno()).isEqualTo(Errno.EIO);
        }).satisfies(failure -> assertThat(inAll(failure)).anyMatch(e -> e.toString().contains("segment 2")));
    }

    private static List<Throwable> inAll(Throwable failure) {
        List<Throwable> all = new ArrayList<>(List.of(failure));
        for (int i = 0; i < all.size(); i++) {
            Throwable cause = all.get(i).getCause();
            if (cause != null) {
                all.add(cause);
            }
            all.addAll(List.of(all.get(i).getSuppressed()));
        }
        return all;
    }

    private static void awaitWaiting(Thread thread) {
        while (thread.getState() != Thread.State.WAITING) {
            assertThat(thread.isAlive()).as("the read still waits").isTrue();
            Thread.onSpinWait();
        }
    }

    @Test
    void aReadThatFailedAtOneServerWaitsForTheOthers() throws Exception {
        failures.put("d1", new StageException("segment 0", "read", Errno.EIO));
        // Only the first answers at once.
        together = 1;
        CompletableFuture<byte[]> reading = new CompletableFuture<>();
        Thread reader = Thread.ofPlatform().start(() -> {
            try {
                reading.complete(read());
            } catch (StageException | RuntimeException e) {
                reading.completeExceptionally(e);
            }
        });
        awaitWaiting(reader);
        assertThat(begun).hasSize(SERVERS);
        begun.get(1).run();
        awaitWaiting(reader);
        begun.get(2).run();
        assertThatThrownBy(reading::join).isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(StageException.class);
    }
}
