// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import com.dynatrace.hash4j.hashing.Hashing;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LinuxXxh3Test {

    private static final int LARGEST = 3_000_017;

    private final byte[] bytes = new byte[LARGEST];
    private final MemorySegment data = Arena.ofAuto().allocate(LARGEST);
    private final Random random = new Random(21);

    @BeforeEach
    void needsTheLibrary() {
        assumeTrue(LinuxXxh3.problem().isEmpty(), () -> "no libxxhash: " + LinuxXxh3.problem().orElseThrow());
        random.nextBytes(bytes);
        MemorySegment.copy(bytes, 0, data, ValueLayout.JAVA_BYTE, 0, LARGEST);
    }

    private byte[] expected(int from, int length) {
        return Hashing.xxh3_128().hashBytesTo128Bits(bytes, from, length).toByteArray();
    }

    @Test
    void theHashOfAnyLengthIsTheOneComputedInJava() {
        LinuxXxh3 hash = new LinuxXxh3();
        for (int length = 0; length <= 4096; length++) {
            assertThat(hash.of(data.asSlice(length % 9, length))).as("%d bytes", length)
                    .isEqualTo(expected(length % 9, length));
        }
        for (int i = 0; i < 40; i++) {
            int from = random.nextInt(1000);
            int length = random.nextInt(LARGEST - from);
            assertThat(hash.of(data.asSlice(from, length))).as("%d bytes", length).isEqualTo(expected(from, length));
        }
    }

    @Test
    void dataAddedInPortionsHaveTheSameHashAsInOne() {
        LinuxXxh3 hash = new LinuxXxh3();
        for (int length = 0; length <= 4096; length++) {
            addInPortions(hash, length, 1 + length % 67);
            assertThat(hash.finish()).as("%d bytes", length).isEqualTo(expected(0, length));
        }
        for (int portion : new int[]{1, 255, 256, 257, 65_537, 262_144}) {
            int length = portion == 1 ? 20_000 : LARGEST;
            addInPortions(hash, length, portion);
            assertThat(hash.finish()).as("portions of %d", portion).isEqualTo(expected(0, length));
        }
    }

    private void addInPortions(LinuxXxh3 hash, int length, int portion) {
        for (int at = 0; at < length; at += portion) {
            hash.update(data.asSlice(at, Math.min(portion, length - at)));
        }
    }

    @Test
    void aHashOfNothingIsThatOfNoBytes() {
        LinuxXxh3 hash = new LinuxXxh3();
        assertThat(hash.finish()).isEqualTo(expected(0, 0));
        hash.update(data.asSlice(0, 0));
        assertThat(hash.finish()).isEqualTo(expected(0, 0));
    }

    @Test
    void dataThatWereDiscardedOrFinishedDoNotCount() {
        LinuxXxh3 hash = new LinuxXxh3();
        hash.reset();
        hash.update(data.asSlice(0, 100_000));
        hash.reset();
        hash.update(data.asSlice(7, 1000));
        // A whole hash leaves the running one as it is.
        assertThat(hash.of(data.asSlice(0, 10))).isEqualTo(expected(0, 10));
        assertThat(hash.finish()).isEqualTo(expected(7, 1000));
        hash.update(data.asSlice(9, 500));
        assertThat(hash.finish()).isEqualTo(expected(9, 500));
    }

    @Test
    void memoryThatCannotBeHashedIsRefusedAndTheHashGoesOn() {
        LinuxXxh3 hash = new LinuxXxh3();
        Arena arena = Arena.ofShared();
        MemorySegment closed = arena.allocate(8);
        arena.close();
        hash.update(data.asSlice(0, 10));
        assertThatIllegalArgumentException().isThrownBy(() -> hash.update(MemorySegment.ofArray(bytes)));
        assertThatIllegalArgumentException().isThrownBy(() -> hash.of(MemorySegment.ofArray(bytes)));
        assertThatIllegalStateException().isThrownBy(() -> hash.update(closed));
        hash.update(data.asSlice(10, 10));
        assertThat(hash.finish()).isEqualTo(expected(0, 20));
    }

    @Test
    void eachThreadHasAHashOfItsOwnAndMayBeInterrupted() throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<byte[]>> found = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                int portion = 1000 + i;
                Callable<byte[]> task = () -> {
                    LinuxXxh3 hash = new LinuxXxh3();
                    Thread.currentThread().interrupt();
                    addInPortions(hash, LARGEST, portion);
                    byte[] value = hash.finish();
                    assertThat(Thread.interrupted()).isTrue();
                    return value;
                };
                found.add(threads.submit(task));
            }
            for (Future<byte[]> each : found) {
                assertThat(each.get()).isEqualTo(expected(0, LARGEST));
            }
        }
    }

    @Test
    void statesAreFreedWhenTheirHashIsUnreachable() throws Exception {
        long before = residentKilobytes();
        // A state takes 576 bytes, so 100 MB in all.
        for (int i = 0; i < 180_000; i++) {
            new LinuxXxh3().update(data.asSlice(0, 1));
            if (i % 10_000 == 0) {
                System.gc();
            }
        }
        assertThat(residentKilobytes() - before).isLessThan(70_000);
        assertThat(new LinuxXxh3().of(data)).isEqualTo(expected(0, LARGEST));
    }

    private static long residentKilobytes() throws Exception {
        return Files.readAllLines(Path.of("/proc/self/status"))
                .stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow();
    }
}
