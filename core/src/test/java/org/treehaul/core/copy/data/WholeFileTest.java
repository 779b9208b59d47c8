// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.failure.ChangedException;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.failure.WithdrawnException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.event.Progress;
import org.treehaul.core.event.RateLimiter;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.AsyncMapFile;
import org.treehaul.core.storage.MapFile;
import org.treehaul.core.storage.SourceFile;
import org.treehaul.core.storage.StoredFile;
import org.treehaul.core.storage.TargetFile;

/** The data of files are copied through the interfaces alone: both files are in maps, and no system call is made. */
class WholeFileTest {

    private static final int BUFFER = 64 * 1024;

    private final Arena arena = Arena.ofConfined();
    private final Progress progress = new Progress();
    private final MapFile.Content from = new MapFile.Content(EntryKind.REGULAR.typeBits() | 0600);
    private final MapFile.Content to = new MapFile.Content(EntryKind.REGULAR.typeBits() | 0600);
    private CopyOptions options = CopyOptions.builder().build();
    private boolean isStopped;

    private final CopyControl stop = new CopyControl() {
        @Override
        public boolean isStopped() {
            return isStopped;
        }

        @Override
        public void worked(long units) {
            // This test does not look at the progress.
        }
    };

    @AfterEach
    void free() {
        arena.close();
    }

    private WholeFile whole() {
        return new WholeFile(options, RateLimiter.of(0), progress, new FileSystemPairs(), arena.allocate(BUFFER, 4096),
                stop);
    }

    private static byte[] random(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    private void put(byte[] bytes, long offset) throws SystemCallException {
        try (Arena own = Arena.ofConfined()) {
            MemorySegment data = own.allocate(bytes.length + 1L).asSlice(0, bytes.length);
            data.copyFrom(MemorySegment.ofArray(bytes));
            new MapFile(from).write(data, offset);
        }
    }

    // The order of calls of any user of the class.
    private DataHash.Extents copy(WholeFile whole, SourceFile source, TargetFile target, boolean isOffloaded)
            throws SystemCallException, TargetException, ChangedException, WithdrawnException {
        FileStatus status = source.status();
        if (whole.isSmall(status)) {
            MemorySegment data = whole.readSmall(source, status);
            if (data != null) {
                return whole.writeSmall(target, data);
            }
        }
        DataHash.Extents shared = whole.share(source, status, target, status.device(), false);
        DataHash.Extents extents = shared != null ? shared : whole.copy(source, status, target, false, isOffloaded);
        WholeFile.checkUnchanged(source, status);
        return extents;
    }

    private void copy() throws Exception {
        copy(whole(), new MapFile(from), new MapFile(to), false);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4096, BUFFER - 1, BUFFER, BUFFER + 1, 1_000_003})
    void copiesAFileOfAnySize(int size) throws Exception {
        options = CopyOptions.builder().reflink(CopyOptions.When.NEVER).build();
        put(random(size), 0);
        copy();
        assertThat(to.bytes()).isEqualTo(random(size));
        assertThat(progress.snapshot().bytes()).isEqualTo(size < BUFFER ? 0 : size);
    }

    @Test
    void keepsHoles() throws Exception {
        options = CopyOptions.builder().reflink(CopyOptions.When.NEVER).build();
        new MapFile(from).setSize(10_000_000);
        put(random(5000), 1_000_000);
        put(random(70_000), 9_000_000);
        copy();
        assertThat(to.bytes()).isEqualTo(from.bytes());
        assertThat(to.dataBytes()).isEqualTo(from.dataBytes()).isLessThan(100_000);
    }

    @Test
    void aSourceThatDoesNotKnowItsHolesIsReadWhole() throws Exception {
        options = CopyOptions.builder().reflink(CopyOptions.When.NEVER).build();
        new MapFile(from).setSize(1_000_000);
        put(random(5000), 300_000);
        copy(whole(), new MapFile(from) {
            @Override
            public long nextData(long offset) {
                return StoredFile.UNKNOWN;
            }
        }, new MapFile(to), false);
        assertThat(to.bytes()).isEqualTo(from.bytes());
        assertThat(progress.snapshot().bytes()).isEqualTo(1_000_000);
    }

    @Test
    void aTargetThatAcceptsDataOnlyInOrderGetsThemInOrder() throws Exception {
        options = CopyOptions.builder().reflink(CopyOptions.When.NEVER).build();
        put(random(300_000), 0);
        copy(whole(), new MapFile(from), new MapFile(to) {
            @Override
            public void setSize(long size) throws SystemCallException {
                throw new SystemCallException("ftruncate", Errno.EOPNOTSUPP);
            }

            @Override
            public void write(MemorySegment data, long offset) {
                throw new AssertionError("written at " + offset);
            }
        }, false);
        assertThat(to.bytes()).isEqualTo(random(300_000));
    }

    /** A source whose data end before its size, as if its server had lost the rest. */
    private static final class Ending extends MapFile {
        private final long end;
        private final boolean hasBlocks;
        private long at;

        Ending(Content content, long end, boolean hasBlocks) {
            super(content);
            this.end = end;
            this.hasBlocks = hasBlocks;
        }

        @Override
        public FileStatus status() {
            FileStatus s = super.status();
            return hasBlocks
                    ? s
                    : new FileStatus(s.mode(), 1, 1, 1, s.inode(), 1, 0, s.size(), 0, s.mtimeSeconds(), 0,
                            s.mtimeSeconds(), 0, s.mtimeSeconds(), 0, false, 0, 0);
        }

        @Override
        public long read(MemorySegment into, long offset) throws SystemCallException {
            long left = end - offset;
            return left <= 0 ? 0 : super.read(into.asSlice(0, Math.min(left, into.byteSize())), offset);
        }

        @Override
        public long read(MemorySegment into) throws SystemCallException {
            long n = read(into, at);
            at += n;
            return n;
        }

        @Override
        public void rewind() {
            at = 0;
        }
    }

    // Many file systems in user space report no blocks.
    @ParameterizedTest
    @CsvSource({"100,false,false", "300000,false,false", "300000,true,false", "300000,false,true", "300000,true,true"})
    void aSourceThatEndsBeforeItsSizeIsNotCopiedAsAWholeOne(int size, boolean hasBlocks, boolean isInOrder)
            throws Exception {
        options = CopyOptions.builder().reflink(CopyOptions.When.NEVER).build();
        put(random(size), 0);
        TargetFile target = new MapFile(to) {
            @Override
            public void setSize(long newSize) throws SystemCallException {
                if (isInOrder) {
                    throw new SystemCallException("ftruncate", Errno.EOPNOTSUPP);
                }
                super.setSize(newSize);
            }
        };
        assertThatThrownBy(() -> copy(whole(), new Ending(from, size / 2, hasBlocks), target, false))
                .isInstanceOf(ChangedException.class);
    }

    @Test
    void anotherErrorOfTheSizeFailsTheTarget() throws Exception {
        options = CopyOptions.builder().reflink(CopyOptions.When.NEVER).build();
        put(random(300_000), 0);
        TargetFile full = new MapFile(to) {
            @Override
            public void setSize(long size) throws SystemCallException {
                throw new SystemCallException("ftruncate", Errno.ENOSPC);
            }
        };
        assertThatThrownBy(() -> copy(whole(), new MapFile(from), full, false)).isInstanceOfSatisfying(
                TargetException.class, e -> assertThat(e.call().errno()).isEqualTo(Errno.ENOSPC));
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 300_000})
    void errorsKeepTheirSideAndNumber(int size) throws Exception {
        options = CopyOptions.builder().reflink(CopyOptions.When.NEVER).build();
        put(random(size), 0);
        SourceFile unreadable = new MapFile(from) {
            @Override
            public long read(MemorySegment into) throws SystemCallException {
                throw new SystemCallException("read", Errno.EIO);
            }

            @Override
            public long read(MemorySegment into, long offset) throws SystemCallException {
                throw new SystemCallException("read", Errno.EIO);
            }
        };
        assertThatThrownBy(() -> copy(whole(), unreadable, new MapFile(to), false))
                .isInstanceOfSatisfying(SystemCallException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EIO));
        TargetFile full = new MapFile(to) {
            @Override
            public void write(MemorySegment data) throws SystemCallException {
                throw new SystemCallException("write", Errno.EDQUOT);
            }

            @Override
            public void write(MemorySegment data, long offset) throws SystemCallException {
                throw new SystemCallException("write", Errno.EDQUOT);
            }
        };
        assertThatThrownBy(() -> copy(whole(), new MapFile(from), full, false)).isInstanceOfSatisfying(
                TargetException.class, e -> assertThat(e.call().errno()).isEqualTo(Errno.EDQUOT));
    }

    @Test
    void dataOfUnknownSizeAreCopiedToTheirEnd() throws Exception {
        options = CopyOptions.builder().reflink(CopyOptions.When.NEVER).build();
        put(random(200_000), 0);
        copy(whole(), new MapFile(from) {
            @Override
            public FileStatus status() {
                return new MapFile.Content(EntryKind.REGULAR.typeBits() | 0400).status();
            }
        }, new MapFile(to), false);
        assertThat(to.bytes()).isEqualTo(random(200_000));
    }

    @ParameterizedTest
    @ValueSource(ints = {1000, 300_000})
    void aSourceThatGrowsIsReportedAsChanged(int size) throws Exception {
        options = CopyOptions.builder().reflink(CopyOptions.When.NEVER).build();
        put(random(size), 0);
        assertThatThrownBy(() -> copy(whole(), new MapFile(from) {
            @Override
            public long read(MemorySegment into) throws SystemCallException {
                put(random(10), from.status().size());
                return super.read(into);
            }

            @Override
            public long nextData(long offset) {
                return StoredFile.UNKNOWN;
            }

            @Override
            public long read(MemorySegment into, long offset) throws SystemCallException {
                put(random(10), from.status().size());
                return super.read(into, offset);
            }
        }, new MapFile(to), false)).isInstanceOf(ChangedException.class);
    }

    @Test
    void theStoreCopiesByItselfAsFarAsItDoes() throws Exception {
        options = CopyOptions.builder().reflink(CopyOptions.When.NEVER).build();
        put(random(300_000), 0);
        long[] inside = {0};
        copy(whole(), new MapFile(from), new MapFile(to) {
            @Override
            public long copyFrom(SourceFile source, long offset, long length) {
                if (offset >= 200_000) {
                    return 0;
                }
                long n = super.copyFrom(source, offset, Math.min(length, 50_000));
                inside[0] += n;
                return n;
            }
        }, true);
        assertThat(to.bytes()).isEqualTo(random(300_000));
        assertThat(inside[0]).isEqualTo(200_000);
        assertThat(progress.snapshot().bytes()).isEqualTo(300_000);
    }

    @Test
    void aStoreThatCannotCopyIsAskedOnce() throws Exception {
        options = CopyOptions.builder().reflink(CopyOptions.When.NEVER).sparse(CopyOptions.When.ALWAYS).build();
        put(random(100_000), 0);
        put(random(100_000), 1_000_000);
        int[] asked = {0};
        copy(whole(), new MapFile(from), new MapFile(to) {
            @Override
            public long copyFrom(SourceFile source, long offset, long length) {
                asked[0]++;
                return CANNOT;
            }
        }, true);
        assertThat(to.bytes()).isEqualTo(from.bytes());
        assertThat(asked[0]).isOne();
    }

    @Test
    void aStoreThatClonesIsNotWrittenTo() throws Exception {
        put(random(300_000), 0);
        copy(whole(), new MapFile(from), new MapFile(to) {
            @Override
            public void write(MemorySegment data, long offset) {
                throw new AssertionError("written at " + offset);
            }
        }, false);
        assertThat(to.bytes()).isEqualTo(random(300_000));
    }

    @Test
    void aDemandedCloneThatIsImpossibleFails() throws Exception {
        options = CopyOptions.builder().reflink(CopyOptions.When.ALWAYS).build();
        put(random(100), 0);
        TargetFile elsewhere = new MapFile(to) {
            @Override
            public void cloneFrom(SourceFile source) throws SystemCallException {
                throw new SystemCallException("clone", Errno.EXDEV);
            }
        };
        assertThatThrownBy(() -> copy(whole(), new MapFile(from), elsewhere, false)).isInstanceOfSatisfying(
                TargetException.class, e -> assertThat(e.call().errno()).isEqualTo(Errno.EXDEV));
    }

    @ParameterizedTest
    @ValueSource(ints = {50_000, 300_000})
    void readingBackFindsAChangedByte(int size) throws Exception {
        options = CopyOptions.builder().reflink(CopyOptions.When.NEVER).verify(CopyOptions.Verify.XXH3).build();
        put(random(size), 0);
        WholeFile whole = whole();
        DataHash.Extents extents = copy(whole, new MapFile(from), new MapFile(to), false);
        assertThat(whole.mover().verifier().readsBack(new MapFile(to), extents)).isTrue();
        to.corrupt(size - 1);
        assertThat(whole.mover().verifier().readsBack(new MapFile(to), extents)).isFalse();
    }

    @Test
    void aStoppedCopyWritesNothingMore() throws Exception {
        options = CopyOptions.builder().reflink(CopyOptions.When.NEVER).build();
        put(random(300_000), 0);
        isStopped = true;
        assertThatThrownBy(this::copy).isInstanceOf(WithdrawnException.class);
        assertThat(to.dataBytes()).isZero();
    }

    @Test
    void anAsynchronousTargetIsWrittenWhileTheNextDataAreRead() throws Exception {
        options = CopyOptions.builder().reflink(CopyOptions.When.NEVER).verify(CopyOptions.Verify.XXH3).build();
        put(random(300_001), 0);
        AsyncMapFile target = new AsyncMapFile(to);
        int[] most = {0};
        WholeFile whole = whole();
        DataHash.Extents extents = copy(whole, new MapFile(from) {
            @Override
            public long read(MemorySegment into, long offset) throws SystemCallException {
                most[0] = Math.max(most[0], target.pending());
                return super.read(into, offset);
            }
        }, target, false);
        assertThat(target.pending()).isZero();
        assertThat(most[0]).as("writes in progress during a read").isOne();
        assertThat(to.bytes()).isEqualTo(random(300_001));
        assertThat(whole.mover().verifier().readsBack(new MapFile(to), extents)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 32 * 1024, 299_008})
    void anAsynchronousWriteThatFailsFailsTheTarget(long at) throws Exception {
        options = CopyOptions.builder().reflink(CopyOptions.When.NEVER).build();
        put(random(300_001), 0);
        AsyncMapFile target = new AsyncMapFile(to) {
            @Override
            public void write(MemorySegment data, long offset) throws SystemCallException {
                if (offset <= at && at < offset + data.byteSize()) {
                    throw new SystemCallException("write", Errno.ENOSPC);
                }
                super.write(data, offset);
            }
        };
        assertThatThrownBy(() -> copy(whole(), new MapFile(from), target, false)).isInstanceOfSatisfying(
                TargetException.class, e -> assertThat(e.call().errno()).isEqualTo(Errno.ENOSPC));
        assertThat(target.pending()).as("writes that still use the buffer").isZero();
    }

    @Test
    void anAsynchronousWriteThatTheStoreCancelsFailsTheTarget() throws Exception {
        options = CopyOptions.builder().reflink(CopyOptions.When.NEVER).build();
        put(random(300_001), 0);
        AsyncMapFile target = new AsyncMapFile(to) {
            @Override
            public CompletableFuture<Void> writeAsync(MemorySegment data, long offset) {
                CompletableFuture<Void> write = super.writeAsync(data, offset);
                if (offset >= 100_000) {
                    write.cancel(false);
                }
                return write;
            }
        };
        assertThatThrownBy(() -> copy(whole(), new MapFile(from), target, false)).isInstanceOfSatisfying(
                TargetException.class, e -> assertThat(e.call().errno()).isEqualTo(Errno.ECANCELED));
    }

    @Test
    void aSourceThatFailsLeavesNoWriteInProgress() throws Exception {
        options = CopyOptions.builder().reflink(CopyOptions.When.NEVER).build();
        put(random(300_001), 0);
        AsyncMapFile target = new AsyncMapFile(to);
        assertThatThrownBy(() -> copy(whole(), new MapFile(from) {
            @Override
            public long read(MemorySegment into, long offset) throws SystemCallException {
                if (offset > 100_000) {
                    throw new SystemCallException("read", Errno.EIO);
                }
                return super.read(into, offset);
            }
        }, target, false)).isInstanceOf(SystemCallException.class);
        assertThat(target.pending()).isZero();
    }

    @Test
    void runsOfDataBetweenZerosAreWrittenAsAList() throws Exception {
        options = CopyOptions.builder().reflink(CopyOptions.When.NEVER).sparse(CopyOptions.When.ALWAYS).build();
        put(new byte[200_000], 0);
        put(random(4096), 8192);
        put(random(4096), 24_576);
        put(random(5000), 150_000);
        List<Integer> runs = new ArrayList<>();
        copy(whole(), new MapFile(from), new MapFile(to) {
            @Override
            public void write(List<Piece> pieces) throws SystemCallException {
                runs.add(pieces.size());
                super.write(pieces);
            }
        }, false);
        assertThat(to.bytes()).isEqualTo(from.bytes());
        assertThat(runs).containsExactly(2, 0, 1, 0);
        assertThat(to.dataBytes()).isEqualTo(4 * 4096);
    }
}
