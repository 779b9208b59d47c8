// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.ring;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.treehaul.core.async.AsyncFiles;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.fs.linux.LinuxRingCalls;
import org.treehaul.core.testing.TestDirectory;

/** A ring of this kernel. */
class KernelRingTest {

    private static final int OVERFLOW = 1 << 1; // IORING_SQ_CQ_OVERFLOW of linux/io_uring.h, since Linux 5.8
    private static final int FIFO = 0010600;
    private static final int ENTRIES = 4;
    private static final int READS = 12;

    private final FileSystemCalls files = Linux.calls();
    private final List<RingLayout> layouts = new ArrayList<>();
    private final List<MemorySegment> mapped = new ArrayList<>();

    /** Notes where the queues of the ring are. */
    private RingCalls noting() {
        RingCalls calls = LinuxRingCalls.calls();
        return (RingCalls) Proxy.newProxyInstance(RingCalls.class.getClassLoader(), new Class<?>[]{RingCalls.class},
                (proxy, method, arguments) -> {
                    Object result;
                    try {
                        result = method.invoke(calls, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                    if (method.getName().equals("setup") && (int) result >= 0) {
                        layouts.add(RingLayout.read((MemorySegment) arguments[1]));
                    } else if (method.getName().equals("memory")) {
                        mapped.add((MemorySegment) result);
                    }
                    return result;
                });
    }

    private boolean hasOverflowed() {
        return (mapped.getFirst().get(JAVA_INT, layouts.getFirst().submissionFlags()) & OVERFLOW) != 0;
    }

    @Test
    void resultsForWhichTheQueueHasNoRoomAreKeptByTheKernelUntilThereIsSome() throws Exception {
        Optional<String> problem = AsyncFiles.ringProblem();
        Assumptions.assumeTrue(problem.isEmpty(), problem::toString);
        List<Long> tags = new ArrayList<>();
        try (TestDirectory place = TestDirectory.make();
                FileAccess access = FileAccess.open(files);
                KernelRing ring = KernelRing.open(noting(), ENTRIES, ENTRIES, 1)) {
            byte[] name = place.resolve("fifo").toString().getBytes(UTF_8);
            assertThat(files.mknodat(LinuxConstants.AT_FDCWD, access.name(name), FIFO, 0)).isZero();
            int fifo = access.open(LinuxConstants.AT_FDCWD, access.name(name), LinuxConstants.O_RDWR, 0);
            MemorySegment memory = Arena.global().allocate(READS);
            for (int tag = 0; tag < READS; tag++) {
                if (!ring.put(RingOperation.READ, fifo, memory.address() + tag, 1, 0, 0, tag)) {
                    assertThat(ring.enter(0)).isEqualTo(ENTRIES);
                    assertThat(ring.put(RingOperation.READ, fifo, memory.address() + tag, 1, 0, 0, tag)).isTrue();
                }
            }
            assertThat(ring.enter(0)).isEqualTo(ENTRIES);
            assertThat(ring.reap((tag, result) -> tags.add(tag))).as("all wait for data").isZero();
            assertThat(hasOverflowed()).isFalse();

            assertThat(files.write(fifo, Arena.global().allocate(READS))).isEqualTo(READS);
            ring.enter(1);

            assertThat(hasOverflowed()).isTrue();
            for (int turn = 0; turn < READS && tags.size() < READS; turn++) {
                assertThat(ring.reap((tag, result) -> {
                    assertThat(result).isEqualTo(1);
                    tags.add(tag);
                })).isBetween(1, ENTRIES);
                ring.enter(0);
            }
            assertThat(hasOverflowed()).isFalse();
            access.close(fifo);
        }
        assertThat(tags).containsExactlyInAnyOrderElementsOf(LongStream.range(0, READS).boxed().toList());
    }
}
