// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.Test;
import org.treehaul.core.fs.SystemCallException;

/** The behaviour of files whose data can be written at any offset. */
public abstract class OffsetContract extends FileContract {

    private static final long BEYOND = 5L << 30; // needs more than 32 bits
    private static final int LARGE = 1 << 20;

    /** Opens a file once more, for another thread. */
    protected abstract TargetFile forOtherThread(TargetFile file) throws SystemCallException;

    /** Returns whether the store knows where its files have holes. */
    protected boolean findsHoles() {
        return true;
    }

    /** Returns whether the store copies ranges between its files by itself. */
    protected boolean offloads() {
        return true;
    }

    /** Returns whether the store knows which hosts keep the data of its files. */
    protected boolean locates() {
        return true;
    }

    @Test
    void writesAtOffsetsWithoutMovingThePosition() throws SystemCallException {
        TargetFile file = file("abcdef");
        file.write(data("XY"), 1);
        file.write(data("Z"), 8);
        file.write(data("g"));
        assertThat(contentOf(file)).isEqualTo("aXYdefg\0Z");
    }

    @Test
    void writesPiecesAtTheirOffsets() throws SystemCallException {
        TargetFile file = file("abcdef");
        file.write(List.of(new TargetFile.Piece(data("Z"), 8), new TargetFile.Piece(data("XY"), 1)));
        file.write(List.of());
        file.write(data("g"));
        assertThat(contentOf(file)).isEqualTo("aXYdefg\0Z");
    }

    @Test
    void asynchronousWritesAreReadOnceTheyAreComplete() throws SystemCallException {
        TargetFile file = file("abcdef");
        CompletableFuture<Void> first = file.writeAsync(data("XY"), 1);
        CompletableFuture<Void> second = file.writeAsync(data("Z"), 8);
        second.join();
        first.join();
        file.write(data("g"));
        assertThat(contentOf(file)).isEqualTo("aXYdefg\0Z");
    }

    @Test
    void sizeDeterminesTheData() throws SystemCallException {
        TargetFile file = file("abcdef");
        file.setSize(3);
        assertThat(contentOf(file)).isEqualTo("abc");
        file.setSize(5);
        assertThat(contentOf(file)).isEqualTo("abc\0\0");
        file.setSize(0);
        assertThat(file.status().size()).isZero();
        assertThat(file.read(memory(1), 0)).isZero();
    }

    @Test
    void offsetsBeyondFourGibAreWhole() throws SystemCallException {
        TargetFile file = target();
        file.setSize(BEYOND + 10);
        file.write(data("far"), BEYOND);
        assertThat(file.status().size()).isEqualTo(BEYOND + 10);
        MemorySegment buffer = memory(4);
        assertThat(file.readFully(buffer, BEYOND + 1)).isEqualTo(4);
        assertThat(text(buffer, 4)).isEqualTo("ar\0\0");
        assertThat(file.readFully(buffer, BEYOND - (4L << 30))).isEqualTo(4);
        assertThat(text(buffer, 4)).isEqualTo("\0\0\0\0");
    }

    @Test
    void holesAreFoundOrUnknown() throws SystemCallException {
        TargetFile file = target();
        file.setSize(4L * LARGE);
        file.write(data("x"), LARGE);
        if (!findsHoles()) {
            assertThat(file.nextData(0)).isEqualTo(StoredFile.UNKNOWN);
            return;
        }
        long data = file.nextData(0);
        assertThat(data).isPositive().isLessThanOrEqualTo(LARGE);
        assertThat(file.nextData(data)).isEqualTo(data);
        long hole = file.nextHole(data);
        assertThat(hole).isGreaterThan(LARGE).isLessThan(4L * LARGE);
        assertThat(file.nextData(hole)).isEqualTo(StoredFile.NO_DATA);
        assertThat(file.nextData(4L * LARGE)).isEqualTo(StoredFile.NO_DATA);
        file.write(data("y"), 4L * LARGE - 1);
        assertThat(file.nextHole(file.nextData(hole))).isEqualTo(4L * LARGE);
    }

    @Test
    void locationsAreKnownOrUnknown() throws SystemCallException {
        TargetFile written = target();
        written.write(memory(LARGE).fill((byte) 1), 0);
        written.write(memory(LARGE).fill((byte) 1), 3L * LARGE);
        SourceFile file = source(written);
        checkLocations(file.locations(0, Long.MAX_VALUE), 0, 4L * LARGE);
        checkLocations(file.locations(LARGE - 10, 2L * LARGE + 20), LARGE - 10, 3L * LARGE + 10);
        checkLocations(file.locations(4L * LARGE - 1, 1), 4L * LARGE - 1, 4L * LARGE);
        assertThat(file.locations(4L * LARGE, 1)).isEmpty();
        assertThat(source(target()).locations(0, 1)).isEmpty();
        if (locates()) {
            assertThat(file.locations(0, 1)).hasSize(1);
            assertThat(file.locations(0, LARGE).stream().mapToLong(Location::length).sum()).isEqualTo(LARGE);
        } else {
            assertThat(file.locations(0, 4L * LARGE)).isEmpty();
        }
    }

    private static void checkLocations(List<Location> locations, long from, long to) {
        long end = from;
        for (Location location : locations) {
            assertThat(location.offset()).isGreaterThanOrEqualTo(end);
            end = location.end();
            assertThat(location.hosts()).isNotEmpty().noneMatch(String::isBlank);
        }
        assertThat(end).isLessThanOrEqualTo(to);
    }

    @Test
    void severalThreadsWriteAndReadRanges() throws SystemCallException, InterruptedException, ExecutionException {
        TargetFile file = target();
        int threads = 4;
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            List<Future<Boolean>> right = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int first = i;
                TargetFile own = forOtherThread(file);
                MemorySegment buffer = memory(1000);
                MemorySegment back = memory(1000);
                right.add(pool.submit(() -> {
                    boolean isRight = true;
                    for (int piece = first; piece < 100; piece += threads) {
                        own.write(buffer.fill((byte) (piece + 1)), piece * 1000L);
                        isRight &= own.readFully(back, piece * 1000L) == 1000 && back.mismatch(buffer) < 0;
                    }
                    return isRight;
                }));
            }
            for (Future<Boolean> each : right) {
                assertThat(each.get()).isTrue();
            }
        }
        MemorySegment all = memory(100_001);
        assertThat(file.readFully(all, 0)).isEqualTo(100_000);
        for (int piece = 0; piece < 100; piece++) {
            assertThat(all.get(ValueLayout.JAVA_BYTE, piece * 1000L)).isEqualTo((byte) (piece + 1));
            assertThat(all.get(ValueLayout.JAVA_BYTE, piece * 1000L + 999)).isEqualTo((byte) (piece + 1));
        }
    }

    @Test
    void copiesARangeInsideTheStoreOrRefuses() throws SystemCallException {
        SourceFile source = source(file("0123456789"));
        TargetFile target = target();
        target.setSize(10);
        long copied = target.copyFrom(source, 3, 4);
        if (!offloads()) {
            assertThat(copied).isEqualTo(TargetFile.CANNOT);
            assertThat(contentOf(target)).isEqualTo("\0".repeat(10));
            return;
        }
        assertThat(copied).isEqualTo(4);
        assertThat(contentOf(target)).isEqualTo("\0\0\0003456\0\0\0");
        assertThat(target.copyFrom(source, 10, 5)).isZero();
    }
}
