// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.locality.DataExtent;
import org.treehaul.core.locality.DataLayout;
import org.treehaul.core.locality.DataPlace;
import org.treehaul.core.locality.Holders;

class SegmentsTest {

    private static final int CASES = 500;

    @TempDir
    private Path directory;

    @Test
    void partsCoverTheFileOnceInOrder() {
        Random random = new Random(1);
        for (int i = 0; i < CASES; i++) {
            long size = random.nextInt(50);
            int count = 1 + random.nextInt(20);
            List<Segment> segments = SegmentedFile.inParts(size, count).segments();
            assertThat(segments).hasSize(count);
            assertThat(segments.stream().map(Segment::index)).isEqualTo(IntStream.range(0, count).boxed().toList());
            assertThat(offsets(segments)).isEqualTo(IntStream.range(0, (int) size).mapToObj(at -> (long) at).toList());
            assertThat(segments.getFirst().length() - segments.getLast().length()).isBetween(0L, 1L);
        }
    }

    private static List<Long> offsets(List<Segment> segments) {
        List<Long> offsets = new ArrayList<>();
        for (Segment segment : segments) {
            for (long position = 0; position < segment.length(); position++) {
                offsets.add(segment.fileOffset(position));
            }
        }
        return offsets;
    }

    @Test
    void stripesBelongToTheSegmentsInTurn() {
        Random random = new Random(5);
        for (int i = 0; i < CASES; i++) {
            long size = random.nextInt(100);
            long stripe = 1L + random.nextInt(20);
            List<String> hosts = List.of("node1", "", "node1", "node3").subList(0, 1 + random.nextInt(4));
            List<Segment> segments = SegmentedFile.striped(size, stripe, hosts).segments();
            assertThat(segments.stream().map(segment -> segment.host().orElse(""))).isEqualTo(hosts);
            for (Segment segment : segments) {
                for (long position = 0; position < segment.length(); position++) {
                    assertThat(segment.fileOffset(position) / stripe % hosts.size()).isEqualTo(segment.index());
                }
            }
            assertThat(offsets(segments)).doesNotHaveDuplicates().hasSize((int) size);
        }
    }

    @Test
    void eachByteIsInTheSegmentOfTheServerThatTheLayoutNames() {
        Random random = new Random(2);
        for (int i = 0; i < CASES; i++) {
            DataLayout layout = layout(random);
            int size = random.nextInt(120);
            List<Segment> segments = SegmentedFile.onServers(layout, size).segments();
            int bytes = 0;
            for (Segment segment : segments) {
                assertThat(segments.get(segment.index())).isSameAs(segment);
                for (long position = 0; position < segment.length(); position++) {
                    assertThat(layout.serverOf(segment.fileOffset(position))).isEqualTo(segment.host());
                    long contiguous = segment.contiguous(position);
                    assertThat(contiguous).isPositive();
                    assertThat(segment.fileOffset(position) + contiguous).isLessThanOrEqualTo(size);
                    bytes++;
                }
            }
            assertThat(bytes).isEqualTo(size);
            assertThat(offsets(segments)).doesNotHaveDuplicates();
            assertThat(segments.stream().map(Segment::host)).doesNotHaveDuplicates();
        }
    }

    // Extents that overlap, leave gaps, begin within a stripe, and do not know their servers.
    private static DataLayout layout(Random random) {
        List<DataExtent> extents = new ArrayList<>();
        for (int extent = random.nextInt(4); extent > 0; extent--) {
            long offset = random.nextInt(60);
            long length = random.nextInt(4) == 0 ? Long.MAX_VALUE - offset : 1 + random.nextInt(60);
            int count = 1 + random.nextInt(4);
            long stripe = count > 1 || random.nextBoolean() ? 1 + random.nextInt(20) : 0;
            List<Holders> holders = new ArrayList<>();
            for (int i = 0; i < count && extent != 2; i++) {
                holders.add(Holders.of(DataPlace.on("node" + random.nextInt(4))));
            }
            extents.add(new DataExtent(offset, length, stripe, count, holders, ""));
        }
        return new DataLayout("test", extents, false);
    }

    @Test
    void stripesOfTheLargestSizesDoNotOverflow() {
        DataExtent extent = new DataExtent(0, Long.MAX_VALUE, Long.MAX_VALUE / 2, 3,
                List.of(Holders.of(DataPlace.on("a")), Holders.of(DataPlace.on("b")), Holders.of(DataPlace.on("c"))),
                "");
        List<Segment> segments = SegmentedFile.onServers(DataLayout.of("test", extent), Long.MAX_VALUE).segments();
        assertThat(segments.stream().mapToLong(Segment::length).sum()).isEqualTo(Long.MAX_VALUE);
        assertThat(segments.get(1).fileOffset(0)).isEqualTo(Long.MAX_VALUE / 2);
    }

    @Test
    void aLayoutOfManyExtentsIsCutInOnePass() {
        int count = 200_000;
        List<DataExtent> extents = IntStream.range(0, count)
                .mapToObj(i -> new DataExtent(i * 10L, 10, 0, 1, List.of(Holders.of(DataPlace.on("node" + i % 3))), ""))
                .toList();
        List<Segment> segments = SegmentedFile.onServers(new DataLayout("test", extents, false), count * 10L)
                .segments();
        assertThat(segments).hasSize(3);
        assertThat(segments.stream().mapToLong(Segment::length).sum()).isEqualTo(count * 10L);
    }

    @Test
    void aFileWithoutDataHasOneEmptySegment() {
        assertThat(SegmentedFile.onServers(new DataLayout("test", List.of(), false), 0).segments())
                .containsExactly(new Segment(0, Optional.empty(), List.of()));
    }

    @Test
    void aViewReadsAndWritesTheBytesOfItsSegment() throws Exception {
        byte[] bytes = new byte[100];
        new Random(3).nextBytes(bytes);
        Path file = Files.write(directory.resolve("file"), bytes);
        Segment segment = new Segment(0, Optional.empty(),
                List.of(new StripeRange(7, 50, 5, 20), StripeRange.of(90, 10)));
        assertThat(segment.length()).isEqualTo(23);
        try (SegmentView view = SegmentView.open(file, segment, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            for (int from = 0; from < 23; from++) {
                for (int length = 0; length <= 30; length++) {
                    ByteBuffer read = ByteBuffer.allocate(length);
                    int expected = Math.min(length, 23 - from);
                    assertThat(view.read(read, from)).isEqualTo(expected);
                    for (int i = 0; i < expected; i++) {
                        assertThat(read.get(i)).isEqualTo(bytes[(int) segment.fileOffset(from + i)]);
                    }
                }
            }
            assertThat(view.read(ByteBuffer.allocate(1), 23)).isEqualTo(-1);
            view.write(ByteBuffer.wrap("0123456789".getBytes(StandardCharsets.US_ASCII)), 8);
            assertThatThrownBy(() -> view.write(ByteBuffer.allocate(2), 22))
                    .isInstanceOf(IndexOutOfBoundsException.class)
                    .hasMessageContaining("2 bytes at 22 of a segment of 23 bytes");
        }
        for (int i = 0; i < 10; i++) {
            bytes[(int) segment.fileOffset(8 + i)] = (byte) ('0' + i);
        }
        assertThat(Files.readAllBytes(file)).isEqualTo(bytes);
    }
}
