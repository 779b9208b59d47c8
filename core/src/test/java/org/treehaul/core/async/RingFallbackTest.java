// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.treehaul.core.async.AsyncSettings.Means;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.fs.linux.SystemCallFilter;
import org.treehaul.core.fs.ring.RingCalls;
import org.treehaul.core.testing.TestDirectory;

/** Kernels that provide no rings, or not all of their parts. */
class RingFallbackTest {

    private static final AsyncSettings SETTINGS = AsyncSettings.defaults().withThreads(2);

    private static RingCalls refusing(int errno) {
        return new DelegatingRingCalls() {
            @Override
            public int setup(int entries, MemorySegment parameters) {
                return -errno;
            }
        };
    }

    private static void areThreadsThatWrite(AsyncFiles files) throws Exception {
        try (files; TestDirectory place = TestDirectory.make()) {
            assertThat(files.means()).isEqualTo("2 threads");
            AsyncFile file = files.openSync(ByteString.of(place.resolve("f")), OpenMode.write());
            file.writeSync(IoBuffer.of(new byte[]{'a'}));
            file.closeSync();
            assertThat(place.resolve("f")).hasContent("a");
        }
    }

    @Test
    void threadsServeWhereTheKernelRefusesRings() throws Exception {
        for (int errno : new int[]{Errno.EPERM, Errno.ENOSYS, Errno.ENOMEM, Errno.EMFILE, Errno.EINVAL}) {
            areThreadsThatWrite(LocalFiles.open(SETTINGS, Linux.calls(), refusing(errno)));
        }
    }

    @ParameterizedTest
    @CsvSource({"425,io_uring_setup", "426,io_uring_enter", "427,io_uring_register"})
    void threadsServeWhereAContainerForbidsAnyOfTheSystemCalls(int call, String name) throws Exception {
        // Asked before, without the filter: the answer is kept for the whole process.
        Optional<String> withoutFilter = AsyncFiles.ringProblem();
        Assumptions.assumeTrue(withoutFilter.isEmpty(), withoutFilter::toString);
        for (int errno : new int[]{Errno.EPERM, Errno.ENOSYS}) {
            SystemCallFilter.without(call, errno, () -> {
                RingCalls calls = new DelegatingRingCalls();
                assertThat(RingSupport.test(calls).problem().orElseThrow())
                        .startsWith(name + ": " + Errno.describe(errno) + "; ")
                        .contains("seccomp");
                areThreadsThatWrite(LocalFiles.open(SETTINGS, Linux.calls(), calls));
                assertThatExceptionOfType(UnsupportedOperationException.class)
                        .isThrownBy(() -> LocalFiles.open(SETTINGS.with(Means.RING), Linux.calls(), calls))
                        .withMessageStartingWith("io_uring cannot be used: " + name + ": ");
                return "";
            });
        }
    }

    @Test
    void threadsServeWhereRingsAreForbiddenAfterTheKernelHadProvidedOne() throws Exception {
        Optional<String> before = AsyncFiles.ringProblem();
        SystemCallFilter.without(SystemCallFilter.IO_URING_SETUP, Errno.EPERM, () -> {
            areThreadsThatWrite(AsyncFiles.open(SETTINGS));
            return "";
        });
        assertThat(AsyncFiles.ringProblem()).isEqualTo(before);
    }

    @Test
    void aRingThatIsRequiredIsRefusedWithTheReason() {
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> LocalFiles.open(SETTINGS.with(Means.RING), Linux.calls(), refusing(Errno.EPERM)))
                .withMessage("io_uring cannot be used: io_uring_setup: Operation not permitted (EPERM); the setting "
                        + "kernel.io_uring_disabled or the seccomp profile of a container forbids it");
        assertThat(RingSupport.test(refusing(Errno.ENOSYS)).problem().orElseThrow())
                .startsWith("io_uring_setup: Function not implemented (ENOSYS); ");
    }

    @Test
    void aLackOfDescriptorsOrMemoryIsNotRemembered() {
        for (int errno : new int[]{Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM}) {
            assertThat(RingSupport.test(refusing(errno)).isLasting()).isFalse();
        }
        assertThat(RingSupport.test(refusing(Errno.EPERM)).isLasting()).isTrue();
        assertThat(RingSupport.test(refusing(Errno.ENOSYS)).isLasting()).isTrue();
    }

    @Test
    void theSizeOfPagesIsThatOfTheKernel() {
        ByteBuffer auxiliary = ByteBuffer.allocate(64).order(ByteOrder.nativeOrder());
        auxiliary.putLong(16).putLong(7).putLong(6).putLong(65_536).putLong(0).putLong(0);
        assertThat(PageSize.of(auxiliary.array())).isEqualTo(65_536);
        assertThat(PageSize.of(new byte[]{6, 0})).as("unknown: the largest").isEqualTo(65_536);
        assertThat(PageSize.BYTES).isIn(4096, 16_384, 65_536);
    }

    @Test
    void ringsWithoutAPartThatIsNeededAreClosed() {
        Assumptions.assumeTrue(RingSupport.ofThisKernel().problem().isEmpty());
        AtomicInteger open = new AtomicInteger();
        class Counting extends DelegatingRingCalls {
            @Override
            public int setup(int entries, MemorySegment parameters) {
                int ring = super.setup(entries, parameters);
                open.addAndGet(ring >= 0 ? 1 : 0);
                return ring;
            }

            @Override
            public int close(int descriptor) {
                open.decrementAndGet();
                return super.close(descriptor);
            }
        }
        AtomicInteger mapped = new AtomicInteger();
        RingCalls[] incomplete = {new Counting() {
            @Override
            public int register(int ring, int operation, MemorySegment argument, int count) {
                return operation == 8 ? -Errno.EINVAL : super.register(ring, operation, argument, count);
            }
        }, new Counting() {
            @Override
            public int register(int ring, int operation, MemorySegment argument, int count) {
                return 0; // knows no operation
            }
        }, new Counting() {
            @Override
            public long map(int ring, long bytes, long offset) {
                return mapped.incrementAndGet() == 2 ? -Errno.ENOMEM : super.map(ring, bytes, offset);
            }
        }, new Counting() {
            @Override
            public int setup(int entries, MemorySegment parameters) {
                int ring = super.setup(entries, parameters);
                parameters.set(java.lang.foreign.ValueLayout.JAVA_INT, 20, 0); // no features
                return ring;
            }
        }};
        for (RingCalls calls : incomplete) {
            assertThat(RingSupport.test(calls).problem()).isPresent();
            assertThat(open).hasValue(0);
        }
        RingCalls withoutCounter = new DelegatingRingCalls() {
            @Override
            public int eventCounter() {
                return -Errno.EMFILE;
            }
        };
        try (AsyncFiles files = LocalFiles.open(SETTINGS, Linux.calls(), withoutCounter)) {
            assertThat(files.means()).isEqualTo("2 threads");
        }
    }

    @Test
    void settingsOutsideTheirRangesAreRefused() {
        AsyncSettings settings = AsyncSettings.defaults();
        assertThatIllegalArgumentException().isThrownBy(() -> settings.withDepth(0)).withMessageContaining("depth");
        assertThatIllegalArgumentException().isThrownBy(() -> settings.withDepth(40_000));
        assertThatIllegalArgumentException().isThrownBy(() -> settings.withThreads(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> IoBuffer.allocate(0));
        assertThatIllegalArgumentException().isThrownBy(() -> OpenMode.read().exclusive());
    }
}
