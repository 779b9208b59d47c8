// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.copy.Copies.archive;
import static org.treehaul.core.copy.Copies.path;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.HostileTree;

/** Copies by the kernel, on a tmpfs and on one that claims to be NFS, where a server may copy the data. */
class KernelCopyTest {

    private static final long SIZE = 3L * HostileTree.CHUNK_BYTES + 5;

    private Copies copies;

    /** The type that the file system claims to have. */
    enum Says {
        TMPFS(Linux.calls()),
        NFS(FileSystemTypes.saying(FileSystemTypes.NFS));

        @SuppressWarnings("ImmutableEnumChecker") // it has no state
        private final FileSystemCalls calls;

        Says(FileSystemCalls calls) {
            this.calls = calls;
        }
    }

    @BeforeEach
    void make() {
        copies = Copies.onTmpfs();
        copies.with(writer -> writer.file(path("large"), SIZE, 1)
                .file(path("medium"), 400_000, 2)
                .file(path("small"), 4000, 3)
                .sparse(path("sparse"), SIZE, 8192, 2_000_000));
    }

    @AfterEach
    void remove() {
        copies.close();
    }

    static Stream<List<Fault>> faults() {
        Fault copying = Fault.on(Call.COPY_FILE_RANGE);
        return Stream.of(List.of(), List.of(copying.fails(Errno.EOPNOTSUPP)), List.of(copying.nth(2).fails(Errno.EIO)),
                List.of(copying.atMost(70_001)), List.of(copying.nth(2).returns(0)),
                List.of(copying.nth(1).fails(Errno.EINTR)));
    }

    private static CopyOptionsBuilder inChunks(int threads) {
        return archive().threads(threads).chunkBytes(HostileTree.CHUNK_BYTES);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void largeFilesAreCopiedByTheKernelAndTheRestByReadAndWrite(List<Fault> faults) {
        for (Says says : Says.values()) {
            for (int threads : new int[]{1, 4}) {
                Copies.Ran ran = copies.copy(says.calls, inChunks(threads).build(), faults.toArray(Fault[]::new))
                        .succeeds();
                assertThat(ran.calls().count(Call.COPY_FILE_RANGE)).isPositive();
                assertThat(ran.calls().count(Call.FSTATFS)).isPositive();
                assertThat(ran.result().counts().bytes()).isGreaterThanOrEqualTo(SIZE + 404_000);
                copies.isCopied().hasNoTemporaries();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void dataToHashOrFillOrNeverShareAreReadByTheProgram(Says says) {
        for (CopyOptions options : List.of(archive().verify(CopyOptions.Verify.XXH3).build(),
                archive().sparse(CopyOptions.When.ALWAYS).build(), archive().reflink(CopyOptions.When.NEVER).build())) {
            assertThat(copies.copy(says.calls, options).succeeds().calls().count(Call.COPY_FILE_RANGE)).isZero();
            copies.isCopied();
        }
        CopyOptions filled = archive().sparse(CopyOptions.When.NEVER).build();
        assertThat(copies.copy(says.calls, filled).succeeds().calls().count(Call.COPY_FILE_RANGE)).isZero();
    }

    @Test
    void otherFileSystemsAreNotAsked() {
        assertThat(copies.copyStriped(archive().build()).succeeds().calls().count(Call.COPY_FILE_RANGE)).isZero();
        copies.isCopied();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void aSourceThatEndsEarlierIsCopiedAgain(int threads) {
        AtomicBoolean isCut = new AtomicBoolean();
        copies.copy(inChunks(threads).build(), Fault.on(Call.COPY_FILE_RANGE).named("large").runs(call -> {
            if (!isCut.getAndSet(true)) {
                cut();
            }
        })).succeeds();
        assertThat(isCut).isTrue();
        copies.isCopied().hasNoTemporaries();
    }

    private void cut() {
        try (FileChannel file = FileChannel.open(copies.source().resolve("large"), StandardOpenOption.WRITE)) {
            file.truncate(SIZE / 2);
            file.write(ByteBuffer.wrap(new byte[]{1}), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aFailedCopyOfTheKernelIsReportedByTheWriteAfterIt() {
        Copies.Ran ran = copies.copy(inChunks(4).build(), Fault.on(Call.COPY_FILE_RANGE).fails(Errno.ENOSPC),
                Fault.on(Call.PWRITE).fails(Errno.ENOSPC));
        assertThat(ran.failed()).hasSize(3).allMatch(failed -> failed.endsWith(" write " + Errno.ENOSPC));
        copies.hasNoTemporaries();
    }

    @Test
    void onLocalFileSystemsOneThreadWritesToAFileAndSeveralReadItBack() {
        assertThat(threadsOn(Linux.calls(), Call.COPY_FILE_RANGE, CopyOptions.Verify.NONE)).isEqualTo(1);
        assertThat(threadsOn(Linux.calls(), Call.PWRITE, CopyOptions.Verify.XXH3)).isEqualTo(1);
        FileSystemCalls striped = FileSystemTypes.saying(FileSystemTypes.LUSTRE);
        assertThat(threadsOn(striped, Call.PWRITE, CopyOptions.Verify.NONE)).isGreaterThan(1);
    }

    // Returns the number of threads that make a call for a single large file, when each call takes a while.
    private static int threadsOn(FileSystemCalls beneath, Call call, CopyOptions.Verify verify) {
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        try (Copies alone = Copies.onTmpfs()) {
            alone.with(writer -> writer.file(path("large"), 8L * HostileTree.CHUNK_BYTES, 1));
            alone.copy(beneath, inChunks(4).verify(verify).build(),
                    Fault.on(call).delays(Duration.ofMillis(20)).runs(made -> threads.add(Thread.currentThread())))
                    .succeeds();
            alone.isCopied();
        }
        return threads.size();
    }
}
