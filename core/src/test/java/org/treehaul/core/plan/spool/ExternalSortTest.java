// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.spool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExternalSortTest {

    @TempDir
    private Path directory;

    // The last case has more files than are merged at once, twice over.
    @ParameterizedTest
    @CsvSource({"0, 4096, false", "1, 4096, true", "500, 1000000, false", "500, 1000000, true", "500, 4096, false",
            "500, 4096, true", "20000, 100, false"})
    void recordsComeInTheOrderOfTheirKeysAsOftenAsTheyAreRead(int count, int runBytes, boolean descending)
            throws IOException {
        Random random = new Random(count);
        List<byte[]> keys = new ArrayList<>();
        try (ExternalSort sort = new ExternalSort(directory, "x", descending, runBytes)) {
            for (int i = 0; i < count; i++) {
                byte[] key = new byte[random.nextInt(random.nextInt(50) == 0 ? 9_000 : 12)];
                random.nextBytes(key);
                keys.add(key);
                sort.add(key, Arrays.copyOf(key, 3));
            }
            keys.sort(descending
                    ? Comparator.comparing((byte[] key) -> key, Arrays::compareUnsigned).reversed()
                    : Arrays::compareUnsigned);
            for (int round = 0; round < 2; round++) {
                int at = 0;
                try (ExternalSort.Records records = sort.open()) {
                    while (records.advance()) {
                        assertThat(records.key()).isEqualTo(keys.get(at));
                        assertThat(records.content()).isEqualTo(Arrays.copyOf(keys.get(at), 3));
                        assertThat(Arrays.copyOfRange(records.bytes(), records.keyStart(), records.contentStart()))
                                .isEqualTo(records.key());
                        assertThat(Arrays.copyOfRange(records.bytes(), records.contentStart(), records.end()))
                                .isEqualTo(records.content());
                        at++;
                    }
                }
                assertThat(at).isEqualTo(count);
            }
        }
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"false", "true"})
    void recordsThatComeInTheReverseOrderAreSortedAndEqualOnesKeepTheirOrder(boolean descending) throws IOException {
        List<String> added = new ArrayList<>();
        for (int part = 0; part < 3; part++) {
            for (int i = 40; i > 0; i--) {
                // Some twice in a row.
                for (int times = i % 7 == 0 ? 2 : 1; times > 0; times--) {
                    added.add(String.valueOf((char) (100 + (descending ? -i : i))));
                }
            }
        }
        RunBuffer buffer = new RunBuffer();
        for (int i = 0; i < added.size(); i++) {
            buffer.add(added.get(i).getBytes(StandardCharsets.ISO_8859_1), new byte[]{(byte) i});
        }
        buffer.sort(descending);
        Comparator<Integer> byKey = Comparator.comparing(added::get);
        List<Integer> expected = new ArrayList<>(IntStream.range(0, added.size()).boxed().toList());
        expected.sort(descending ? byKey.reversed() : byKey);
        assertThat(IntStream.range(0, buffer.count()).mapToObj(i -> buffer.content(i)[0] & 0xFF))
                .containsExactlyElementsOf(expected);
    }

    // The parts that are in order have from one record to hundreds, and lie beside each other or among each other.
    @ParameterizedTest
    @CsvSource({"false", "true"})
    void partsOfAnyLengthAreMerged(boolean descending) {
        Random random = new Random(3);
        for (int round = 0; round < 100; round++) {
            List<Integer> keys = new ArrayList<>();
            while (keys.size() < 1_000) {
                int length = 1 << random.nextInt(9);
                int first = random.nextInt(2_000);
                int step = random.nextInt(3);
                for (int i = 0; i < length; i++) {
                    keys.add(first + (descending ? length - i : i) * step);
                }
            }
            RunBuffer buffer = new RunBuffer();
            for (int i = 0; i < keys.size(); i++) {
                buffer.add(ByteBuffer.allocate(4).putInt(keys.get(i)).array(),
                        ByteBuffer.allocate(4).putInt(i).array());
            }
            Comparator<Integer> byKey = Comparator.comparing(keys::get);
            List<Integer> expected = new ArrayList<>(IntStream.range(0, keys.size()).boxed().toList());
            if (round % 2 == 0) {
                // The second sort must not use what the buffer knows about the first order.
                buffer.sort(!descending);
                expected.sort(descending ? byKey : byKey.reversed());
            }
            buffer.sort(descending);
            expected.sort(descending ? byKey.reversed() : byKey);
            assertThat(IntStream.range(0, buffer.count()).map(i -> ByteBuffer.wrap(buffer.content(i)).getInt()))
                    .containsExactlyElementsOf(expected);
        }
    }

    // Blocks fit into the memory of the sorter, or not; the last cases have more files than are merged at once.
    @ParameterizedTest
    @CsvSource({"1000000, false", "1000000, true", "3000, false", "3000, true", "600, false", "600, true", "150, false",
            "150, true"})
    void recordsWithEqualKeysKeepTheOrderInWhichBlocksOfThemWereAdded(int runBytes, boolean descending)
            throws IOException {
        Random random = new Random(runBytes);
        List<Integer> expected = new ArrayList<>();
        List<Integer> keys = new ArrayList<>();
        try (ExternalSort sort = new ExternalSort(directory, "x", descending, runBytes)) {
            RunBuffer block = new RunBuffer();
            for (int i = 0; i < 2_000; i++) {
                // Parts of a block are in order already.
                int key = i % 7 == 0 ? random.nextInt(40) : Math.min(39, keys.getLast() + random.nextInt(2));
                keys.add(key);
                expected.add(i);
                int at = block.add(1, 2);
                block.data()[at] = (byte) key;
                block.data()[at + 1] = (byte) (i >> 8);
                block.data()[at + 2] = (byte) i;
                if (random.nextInt(20) == 0) {
                    sort.addAll(block);
                    block.clear();
                }
            }
            sort.addAll(block);
            Comparator<Integer> byKey = Comparator.comparing(keys::get);
            expected.sort(descending ? byKey.reversed() : byKey);
            List<Integer> sorted = new ArrayList<>();
            try (ExternalSort.Records records = sort.open()) {
                while (records.advance()) {
                    byte[] content = records.content();
                    sorted.add((content[0] & 0xFF) << 8 | content[1] & 0xFF);
                }
                assertThat(records.advance()).isFalse();
            }
            assertThat(sorted).isEqualTo(expected);
        }
    }

    // Writes files of 100 records of 16 bytes, of which a server or a disk then loses a part.
    @ParameterizedTest
    @CsvSource({"0, 0, ends 100 records too early", "1600, 1600, ''", "800, 800, ends 50 records too early",
            "805, 805, ends 50 records too early", "0, 1600, has a record of no valid length",
            "800, 1600, has a record of no valid length"})
    void recordsThatAreLostAreAnError(int kept, int length, String problem) throws IOException {
        try (ExternalSort sort = new ExternalSort(directory, "x", false, 1_600)) {
            for (int i = 0; i < 1_000; i++) {
                sort.add(ByteBuffer.allocate(4).putInt(i).array(), new byte[4]);
            }
            sort.open().close();
            Path file = directory.resolve("x.7");
            Files.write(file, Arrays.copyOf(Arrays.copyOf(Files.readAllBytes(file), kept), length));
            if (problem.isEmpty()) {
                assertThat(count(sort)).isEqualTo(1_000);
            } else {
                assertThatThrownBy(() -> count(sort)).isInstanceOf(IOException.class)
                        .hasMessage(file + " " + problem + ", so data that was written is lost");
            }
        }
    }

    private static int count(ExternalSort sort) throws IOException {
        int count = 0;
        try (ExternalSort.Records records = sort.open()) {
            while (records.advance()) {
                count++;
            }
        }
        return count;
    }

    @Test
    void threadsAddBlocksWhileOneOfThemWritesAFile() throws Exception {
        int threads = 4;
        int each = 5_000;
        try (ExternalSort sort = ExternalSort.ofThreads(directory, "x", 16_000)) {
            List<Callable<Void>> adding = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int first = thread;
                adding.add(() -> {
                    RunBuffer block = new RunBuffer();
                    for (int i = each - 1; i >= 0; i--) {
                        block.add(ByteBuffer.allocate(4).putInt(i * threads + first).array(), new byte[]{(byte) i});
                        if (block.usedBytes() > 500) {
                            sort.addAll(block);
                            block.clear();
                        }
                    }
                    sort.addAll(block);
                    return null;
                });
            }
            try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
                for (Future<Void> ended : pool.invokeAll(adding)) {
                    ended.get();
                }
            }
            try (ExternalSort.Records records = sort.open()) {
                for (int i = 0; i < threads * each; i++) {
                    assertThat(records.advance()).isTrue();
                    assertThat(ByteBuffer.wrap(records.key()).getInt()).isEqualTo(i);
                    assertThat(records.content()).containsExactly((byte) (i / threads));
                }
                assertThat(records.advance()).isFalse();
            }
        }
    }

    @Test
    void aBlockCanBeFilledWhereItIsOrFromArrays() {
        RunBuffer block = new RunBuffer();
        block.add(new byte[]{3}, new byte[]{7, 8});
        int at = block.add(2, 0);
        block.data()[at] = 1;
        block.data()[at + 1] = 2;
        block.sort(false);
        assertThat(block.count()).isEqualTo(2);
        assertThat(block.key(0)).containsExactly(1, 2);
        assertThat(block.content(0)).isEmpty();
        assertThat(block.key(1)).containsExactly(3);
        assertThat(block.content(1)).containsExactly(7, 8);
    }
}
