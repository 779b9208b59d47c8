// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.async.AsyncFile;
import org.treehaul.core.async.AsyncFiles;
import org.treehaul.core.async.FaultyFiles;
import org.treehaul.core.async.OpenMode;
import org.treehaul.core.async.backend.Request;
import org.treehaul.core.copy.failure.ChangedException;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.failure.WithdrawnException;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Progress;
import org.treehaul.core.event.RateLimiter;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.testing.TestDirectory;

/** Ranges are copied by a ring of this kernel, whose requests fail. */
class DirectPipeTest {

    private static final int BYTES = (20 << 20) + 777;
    private static final int BLOCKS = 21;

    private final TestDirectory place = TestDirectory.make();
    private final Path from = place.resolve("from");
    private final Path to = place.resolve("to");
    private final byte[] data = new byte[BYTES];
    private final Progress progress = new Progress();
    private final DataHash hash = DataHash.xxh3();
    private final Semaphore moreBlocks = new Semaphore(3);
    private long stopsAt = Long.MAX_VALUE;

    private final CopyControl control = new CopyControl() {
        private long worked;

        @Override
        public boolean isStopped() {
            return worked >= stopsAt;
        }

        @Override
        public boolean mayWrite() {
            return !isStopped();
        }

        @Override
        public void worked(long units) {
            worked += units;
        }
    };

    @BeforeEach
    void make() throws Exception {
        Assumptions.assumeTrue(AsyncFiles.ringProblem().isEmpty(), () -> String.valueOf(AsyncFiles.ringProblem()));
        new Random(1).nextBytes(data);
        Files.write(from, data);
        Files.createFile(to);
    }

    @AfterEach
    void remove() {
        place.close();
    }

    private void copy(AsyncFiles files, long limit) throws Exception {
        AsyncFile source = files.openSync(ByteString.of(from), OpenMode.read().direct());
        AsyncFile target = files.openSync(ByteString.of(to), OpenMode.update().direct());
        try {
            new DirectPipe(RateLimiter.of(limit), progress, control, hash, false, moreBlocks).copy(source, target, 0,
                    BYTES);
        } finally {
            source.closeSync();
            target.closeSync();
        }
    }

    private void isCopied() throws Exception {
        assertThat(Files.mismatch(from, to)).isEqualTo(-1);
        assertThat(hash.finish()).isEqualTo(wholeHash());
    }

    private byte[] wholeHash() {
        DataHash other = DataHash.xxh3();
        try (Arena arena = Arena.ofConfined()) {
            other.update(arena.allocateFrom(ValueLayout.JAVA_BYTE, data));
            return other.finish();
        }
    }

    @Test
    void copiesAllDataInTheirOrderWithFewBlocksOfMemory() throws Exception {
        try (AsyncFiles files = FaultyFiles.byRing()) {
            copy(files, 0);
        }
        isCopied();
        assertThat(progress.snapshot().bytes()).isEqualTo(BYTES);
        assertThat(moreBlocks.availablePermits()).isZero();
    }

    @Test
    void aRangeThatBeginsWithinAPageIsDirectFromTheNextUnitOn() throws Exception {
        List<Boolean> aligned = new ArrayList<>();
        try (AsyncFiles files = FaultyFiles.byRing()) {
            AsyncFile source = files.openSync(ByteString.of(from), OpenMode.read().direct());
            AsyncFile target = files.openSync(ByteString.of(to), OpenMode.update().direct());
            AsyncFile noted = (AsyncFile) Proxy.newProxyInstance(AsyncFile.class.getClassLoader(),
                    new Class<?>[]{AsyncFile.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("pwrite")) {
                            aligned.add((long) arguments[1] % DirectPipe.UNIT == 0);
                        }
                        return method.invoke(target, arguments);
                    });
            try {
                DirectPipe pipe = new DirectPipe(RateLimiter.of(0), progress, control, hash, false, moreBlocks);
                pipe.copy(source, noted, 10_000_001, BYTES);
                assertThat(aligned).containsOnlyOnce(false).startsWith(false).hasSizeGreaterThan(10);
                hash.reset();
                pipe.copy(source, target, 0, 10_000_001);
            } finally {
                source.closeSync();
                target.closeSync();
            }
        }
        assertThat(Files.mismatch(from, to)).isEqualTo(-1);
    }

    @Test
    void aLimitOfTheRateCutsBlocks() throws Exception {
        try (AsyncFiles files = FaultyFiles.byRing()) {
            copy(files, 100_000_001);
        }
        isCopied();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, BLOCKS})
    void anyReadOrWriteThatFailsEndsTheCopyWithItsError(int nth) throws Exception {
        try (AsyncFiles files = FaultyFiles.byRing(FaultyFiles.fails(Request.Kind.READ, nth, Errno.EIO))) {
            assertThatExceptionOfType(SystemCallException.class).isThrownBy(() -> copy(files, 0))
                    .matches(e -> e.errno() == Errno.EIO && e.operation().equals("read"));
        }
        try (AsyncFiles files = FaultyFiles.byRing(FaultyFiles.fails(Request.Kind.WRITE, nth, Errno.ENOSPC))) {
            assertThatExceptionOfType(TargetException.class).isThrownBy(() -> copy(files, 0))
                    .matches(e -> e.call().errno() == Errno.ENOSPC && e.call().operation().equals("write"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4096, 300_001})
    void shortResultsAreContinued(int most) throws Exception {
        try (AsyncFiles files = FaultyFiles.byRing(FaultyFiles.fallsShort(Request.Kind.READ, most),
                FaultyFiles.fallsShort(Request.Kind.WRITE, most))) {
            copy(files, 0);
        }
        isCopied();
    }

    @Test
    void resultsInAnotherOrderAndLateChangeNothing() throws Exception {
        try (AsyncFiles files = FaultyFiles.byLateRing()) {
            copy(files, 0);
        }
        isCopied();
    }

    @Test
    void aDirectRequestThatIsRefusedIsRepeatedThroughTheCache() throws Exception {
        try (AsyncFiles files = FaultyFiles.byRing(FaultyFiles.fails(Request.Kind.READ, 2, Errno.EINVAL),
                FaultyFiles.fails(Request.Kind.WRITE, 2, Errno.EINVAL))) {
            copy(files, 0);
        }
        isCopied();
    }

    @Test
    void aSourceThatEndsEarlyHasChanged() throws Exception {
        try (AsyncFiles files = FaultyFiles.byRing()) {
            Files.write(from, new byte[5 << 20]);
            assertThatExceptionOfType(ChangedException.class).isThrownBy(() -> copy(files, 0));
        }
    }

    @Test
    void aCopyThatIsStoppedLeavesNoCallInProgress() throws Exception {
        stopsAt = 3 << 8;
        try (AsyncFiles files = FaultyFiles.byRing()) {
            assertThatExceptionOfType(WithdrawnException.class).isThrownBy(() -> copy(files, 0));
        }
        assertThat(progress.snapshot().bytes()).isEqualTo(3 << 20);
    }
}
