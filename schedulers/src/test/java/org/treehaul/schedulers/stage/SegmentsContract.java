// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.fs.Errno;

/** The behaviour of every implementation of {@link Segments}. */
abstract class SegmentsContract {

    private final Arena arena = Arena.ofShared();
    private final SegmentKey key = new SegmentKey(UUID.randomUUID(), 1, 0);

    /** Returns the segments to test, which have none yet. */
    protected abstract Segments segments() throws StageException;

    @AfterEach
    void freeMemory() {
        arena.close();
    }

    private SegmentPart part(long offset, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        MemorySegment memory = arena.allocate(Math.max(1, bytes.length)).asSlice(0, bytes.length);
        memory.copyFrom(MemorySegment.ofArray(bytes));
        return new SegmentPart(offset, memory);
    }

    private static String text(SegmentPart part) {
        return new String(part.bytes().toArray(ValueLayout.JAVA_BYTE), StandardCharsets.US_ASCII).replace('\0', '.');
    }

    private String read(SegmentKey from, long offset, int length) throws StageException {
        SegmentPart part = part(offset, "x".repeat(length));
        long n = segments().read(from, List.of(part));
        return n + " " + text(part);
    }

    private static void assertStale(Call call) {
        assertThatThrownBy(call::make).isInstanceOfSatisfying(StageException.class,
                e -> assertThat(e.errno()).isEqualTo(Errno.ESTALE));
    }

    private interface Call {
        void make() throws StageException;
    }

    @Test
    void bytesAreReadWhereTheyWereWritten() throws Exception {
        segments().create(key);
        segments().write(key, List.of(part(5, "hello")));
        assertThat(read(key, 5, 5)).isEqualTo("5 hello");
        assertThat(read(key, 3, 5)).isEqualTo("5 ..hel");
        assertThat(segments().size(key)).isEqualTo(10);
    }

    @Test
    void aSegmentIsPutWithItsBytesAndItsChecksum() throws Exception {
        for (int length : List.of(0, 1, 3000, 300_000)) {
            SegmentKey one = new SegmentKey(UUID.randomUUID(), 1, 0);
            MemorySegment bytes = part(0, "x".repeat(length)).bytes();
            long sum = StripeSum.of(bytes.asByteBuffer());
            segments().put(one, bytes, sum);
            segments().put(one, bytes, sum);
            assertThat(read(one, 0, length + 1)).isEqualTo(length + " " + "x".repeat(length) + ".");
            assertThat(segments().size(one)).isEqualTo(length);
            long[] sums = new long[2];
            segments().readSums(one, 0, sums);
            assertThat(sums).containsExactly(sum, 0);
        }
        assertThat(listed()).hasSize(4);
    }

    @Test
    void bytesAfterTheEndAreZeroAndNotCounted() throws Exception {
        segments().create(key);
        segments().write(key, List.of(part(0, "abc")));
        assertThat(read(key, 1, 4)).isEqualTo("2 bc..");
        assertThat(read(key, 3, 2)).isEqualTo("0 ..");
        assertThat(read(key, 1000, 2)).isEqualTo("0 ..");
    }

    @Test
    void scatteredPartsAreReadAndWrittenInOneRequest() throws Exception {
        segments().create(key);
        segments().write(key, List.of(part(8, "second"), part(0, "first"), part(20, "")));
        List<SegmentPart> parts = List.of(part(8, "xxx"), part(0, "xx"), part(12, "xxxx"));
        assertThat(segments().read(key, parts)).isEqualTo(7);
        assertThat(parts).extracting(SegmentsContract::text).containsExactly("sec", "fi", "nd..");
    }

    @Test
    void creatingASegmentAgainKeepsItsBytes() throws Exception {
        segments().create(key);
        segments().write(key, List.of(part(0, "kept")));
        segments().create(key);
        assertThat(read(key, 0, 4)).isEqualTo("4 kept");
    }

    @Test
    void everyOperationOnASegmentThatIsAbsentIsStale() throws Exception {
        assertStale(() -> segments().write(key, List.of(part(0, "x"))));
        assertStale(() -> segments().read(key, List.of(part(0, "x"))));
        assertStale(() -> segments().size(key));
        assertStale(() -> segments().truncate(key, 1));
        assertStale(() -> segments().grow(key, 1));
        assertStale(() -> segments().advance(key, 2));
        assertStale(() -> segments().readSums(key, 0, new long[1]));
        assertStale(() -> segments().writeSums(key, 0, new long[]{1}));
        assertStale(() -> segments().sync(key));
        segments().remove(key);
        assertThat(listed()).isEmpty();
    }

    @Test
    void anotherGenerationKeepsTheBytesAndRefusesTheEarlierOne() throws Exception {
        segments().create(key);
        segments().write(key, List.of(part(0, "data")));
        segments().writeSums(key, 0, new long[]{7});
        segments().advance(key, 4);
        assertStale(() -> segments().write(key, List.of(part(0, "late"))));
        assertStale(() -> segments().writeSums(key, 0, new long[]{8}));
        segments().advance(key, 4);
        assertThat(read(key.in(4), 0, 4)).isEqualTo("4 data");
        long[] sums = new long[2];
        segments().readSums(key.in(4), 0, sums);
        assertThat(sums).containsExactly(7, 0);
        assertThat(listed()).containsExactly(new StoredSegment(key.in(4), 4));
    }

    @Test
    void sizesChangeAsAskedAndGrowingNeverCutsOff() throws Exception {
        segments().create(key);
        segments().write(key, List.of(part(0, "abcdef")));
        segments().truncate(key, 4);
        assertThat(read(key, 0, 6)).isEqualTo("4 abcd..");
        segments().grow(key, 2);
        assertThat(segments().size(key)).isEqualTo(4);
        segments().grow(key, 4);
        assertThat(segments().size(key)).isEqualTo(4);
        segments().grow(key, 100_000);
        assertThat(segments().size(key)).isEqualTo(100_000);
        assertThat(read(key, 2, 4)).isEqualTo("4 cd..");
        segments().truncate(key, 200_000);
        assertThat(segments().size(key)).isEqualTo(200_000);
    }

    @Test
    void checksumsAreKeptByStripe() throws Exception {
        segments().create(key);
        long[] none = {1, 1};
        segments().readSums(key, 5, none);
        assertThat(none).containsExactly(0, 0);
        segments().writeSums(key, 3, new long[]{Long.MIN_VALUE, 2});
        long[] sums = new long[6];
        segments().readSums(key, 1, sums);
        assertThat(sums).containsExactly(0, 0, Long.MIN_VALUE, 2, 0, 0);
        assertThat(segments().size(key)).isZero();
    }

    @Test
    void aRemovedSegmentIsGoneWithItsChecksums() throws Exception {
        segments().create(key);
        segments().writeSums(key, 0, new long[]{1});
        segments().remove(key);
        segments().remove(key);
        assertThat(listed()).isEmpty();
        segments().create(key);
        long[] sums = new long[1];
        segments().readSums(key, 0, sums);
        assertThat(sums).containsExactly(0);
    }

    @Test
    void allSegmentsAreListedWithTheirSizes() throws Exception {
        List<StoredSegment> made = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            SegmentKey one = new SegmentKey(UUID.randomUUID(), 1 + i, i);
            segments().create(one);
            segments().write(one, List.of(part(0, "x".repeat(i % 3))));
            segments().writeSums(one, 0, new long[]{1});
            made.add(new StoredSegment(one, i % 3));
        }
        assertThat(listed()).containsExactlyInAnyOrderElementsOf(made);
    }

    private List<StoredSegment> listed() throws Exception {
        List<StoredSegment> all = new ArrayList<>();
        segments().list(all::add);
        return all;
    }

    @Test
    void aSyncedSegmentIsStillThere() throws Exception {
        segments().create(key);
        segments().write(key, List.of(part(0, "abc")));
        segments().sync(key);
        segments().writeSums(key, 0, new long[]{1});
        segments().sync(key);
        assertThat(read(key, 0, 3)).isEqualTo("3 abc");
    }

    @Test
    void threadsWriteOneSegmentWhileOthersAreMadeAndRemoved() throws Exception {
        segments().create(key);
        List<Thread> threads = new ArrayList<>();
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < 4; i++) {
            String letter = String.valueOf((char) ('a' + i));
            int at = i;
            threads.add(Thread.ofPlatform().start(() -> {
                try {
                    for (int n = 0; n < 50; n++) {
                        segments().write(key, List.of(part(4L * n + at, letter)));
                        SegmentKey other = new SegmentKey(UUID.randomUUID(), 1, 0);
                        segments().create(other);
                        segments().remove(other);
                    }
                } catch (Exception e) {
                    failures.add(e);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
        assertThat(read(key, 0, 200)).isEqualTo("200 " + "abcd".repeat(50));
    }
}
