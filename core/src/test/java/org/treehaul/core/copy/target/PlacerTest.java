// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_TMPFILE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.data.FileSystemPairs;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.DirectoryPool;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.InterceptedCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;

/**
 * Two threads give files the same name on a file system that can neither rename without replacing nor make hard links,
 * such as exFAT in user space, where the name of each differs only in case.
 */
class PlacerTest {

    private static final ByteString NAME = ByteString.of("n");

    @AutoClose
    private final TestDirectory directory = TestDirectory.make();

    private final FileSystemPairs fileSystems = new FileSystemPairs();
    private final TemporaryNames temporaries = TemporaryNames.ofTransfer("t");

    /** Delays a thread that finds the name unused until another one finds the same, if one does within a while. */
    private static final class ExFat extends InterceptedCalls {
        private final CyclicBarrier unused = new CyclicBarrier(2);

        ExFat(FileSystemCalls calls) {
            super(calls);
        }

        @Override
        protected long around(Call call, int descriptor, MemorySegment name, LongSupplier made) {
            if (call == Call.LINKAT) {
                return -Errno.EPERM;
            }
            long result = made.getAsLong();
            if (call == Call.STATX && result == -Errno.ENOENT) {
                awaitOther();
            }
            return result;
        }

        @Override
        public int openat(int from, MemorySegment name, int flags, int mode) {
            return (flags & O_TMPFILE) == O_TMPFILE ? -Errno.EOPNOTSUPP : calls.openat(from, name, flags, mode);
        }

        @Override
        public int renameat2(int from, MemorySegment old, int to, MemorySegment name, int flags) {
            return flags == 0 ? calls.renameat2(from, old, to, name, 0) : -Errno.EINVAL;
        }

        void awaitOther() {
            try {
                unused.await(500, TimeUnit.MILLISECONDS);
            } catch (TimeoutException | BrokenBarrierException alone) {
                // No other thread is between the check and the rename.
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private interface Placing {
        boolean isPlaced(Placer placer, TargetDirectory target, int descriptor, MemorySegment name) throws Exception;
    }

    private int placed(List<Placing> all) throws Exception {
        FileSystemCalls calls = new ExFat(Linux.calls());
        try (FileAccess access = FileAccess.open(calls);
                Arena arena = Arena.ofShared();
                ExecutorService threads = Executors.newFixedThreadPool(all.size())) {
            MemorySegment path = FileAccess.put(arena.allocate(FileAccess.NAME_MAX * 4L),
                    ByteString.of(directory.path().toString()));
            int root = access.open(AT_FDCWD, path, O_DIRECTORY, 0);
            try (DirectoryPool pool = new DirectoryPool(calls, 4)) {
                Directory handle = pool.root(root, ByteString.of("."));
                TargetDirectory target = new TargetDirectory(handle, access.status(root), true, null, false, false);
                List<Future<Boolean>> results = threads.invokeAll(all.stream()
                        .<Callable<Boolean>>map(placing -> () -> isPlaced(placing, target, calls))
                        .toList());
                int placed = 0;
                for (Future<Boolean> result : results) {
                    placed += result.get() ? 1 : 0;
                }
                return placed;
            }
        }
    }

    private boolean isPlaced(Placing placing, TargetDirectory target, FileSystemCalls calls) throws Exception {
        try (FileAccess access = FileAccess.open(calls); Arena arena = Arena.ofConfined()) {
            return placing.isPlaced(new Placer(fileSystems, temporaries, access), target, target.handle().descriptor(),
                    FileAccess.put(arena.allocate(FileAccess.NAME_MAX), NAME));
        }
    }

    private static boolean isRenamed(Placer placer, TargetDirectory target, int descriptor, MemorySegment name)
            throws Exception {
        Placement placement = placer.temporary(target, descriptor, 0600);
        Linux.calls().close(placement.descriptor());
        boolean isPlaced = placer.place(placement, target, descriptor, name);
        if (!isPlaced) {
            placer.unlinkTemporary(placement, descriptor);
        }
        return isPlaced;
    }

    private static boolean isCreated(Placer placer, TargetDirectory target, int descriptor, MemorySegment name)
            throws Exception {
        Placement placement = placer.direct(target, descriptor, name, 0600);
        Linux.calls().close(placement.descriptor());
        return placement.descriptor() >= 0;
    }

    @Test
    void oneOfTwoCompleteFilesGetsTheName() throws Exception {
        assertThat(placed(List.of(PlacerTest::isRenamed, PlacerTest::isRenamed))).isEqualTo(1);
        assertThat(directory.path()).isDirectoryNotContaining(path -> !path.endsWith("n"));
    }

    @Test
    void aCompleteFileDoesNotReplaceASmallOneThatIsCreatedAtThatMoment() throws Exception {
        // A first file shows that the file system lacks those calls.
        assertThat(placed(List.of(PlacerTest::isRenamed))).isEqualTo(1);
        Files.delete(directory.resolve("n"));

        assertThat(placed(List.of(PlacerTest::isRenamed, PlacerTest::isCreated))).isEqualTo(1);
    }
}
