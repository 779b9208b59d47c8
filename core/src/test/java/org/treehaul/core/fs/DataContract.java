// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.fs.LinuxConstants.FALLOC_FL_KEEP_SIZE;
import static org.treehaul.core.fs.LinuxConstants.FALLOC_FL_PUNCH_HOLE;
import static org.treehaul.core.fs.LinuxConstants.F_RDLCK;
import static org.treehaul.core.fs.LinuxConstants.F_UNLCK;
import static org.treehaul.core.fs.LinuxConstants.F_WRLCK;
import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;
import static org.treehaul.core.fs.LinuxConstants.O_RDWR;
import static org.treehaul.core.fs.LinuxConstants.O_WRONLY;
import static org.treehaul.core.fs.LinuxConstants.POSIX_FADV_DONTNEED;
import static org.treehaul.core.fs.LinuxConstants.SEEK_CUR;
import static org.treehaul.core.fs.LinuxConstants.SEEK_DATA;
import static org.treehaul.core.fs.LinuxConstants.SEEK_END;
import static org.treehaul.core.fs.LinuxConstants.SEEK_HOLE;
import static org.treehaul.core.fs.LinuxConstants.SEEK_SET;
import static org.treehaul.core.fs.LinuxConstants.STATFS_SIZE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.junit.jupiter.api.Test;

/** The behaviour of calls on the data of files, and the errors with which each fails on the real kernel. */
public abstract class DataContract extends CallsFixture {

    private static final long BEYOND = 5L << 30; // needs more than 32 bits

    @Test
    void readAndWriteMoveTheFilePosition() {
        int f = file("f", "hello world");
        assertThat(calls.lseek(f, 0, SEEK_SET)).isZero();
        MemorySegment buffer = memory(5);
        assertThat(calls.read(f, buffer)).isEqualTo(5);
        assertThat(text(buffer, 5)).isEqualTo("hello");
        assertThat(calls.lseek(f, 0, SEEK_CUR)).isEqualTo(5);
        assertThat(calls.write(f, data("_W"))).isEqualTo(2);
        assertThat(calls.lseek(f, 0, SEEK_END)).isEqualTo(11);
        assertThat(calls.read(f, buffer)).isZero();
        assertThat(calls.close(f)).isZero();
    }

    @Test
    void preadAndPwriteLeaveTheFilePosition() {
        int f = file("f", "0123456789");
        assertThat(calls.pwrite(f, data("ab"), 2)).isEqualTo(2);
        MemorySegment buffer = memory(4);
        assertThat(calls.pread(f, buffer, 1)).isEqualTo(4);
        assertThat(text(buffer, 4)).isEqualTo("1ab4");
        assertThat(calls.lseek(f, 0, SEEK_CUR)).isEqualTo(10);
        assertThat(calls.close(f)).isZero();
    }

    @Test
    void readsAndWritesFailWithTheKernelsError() {
        closedFile("f", "x");
        MemorySegment buffer = memory(8);
        int readOnly = opened(calls.openat(directory, name("f"), O_RDONLY, 0));
        int writeOnly = opened(calls.openat(directory, name("f"), O_WRONLY, 0));
        int fifo = fifo();
        assertThat(calls.read(BAD, buffer)).isEqualTo(-Errno.EBADF);
        assertThat(calls.read(directory, buffer)).isEqualTo(-Errno.EISDIR);
        assertThat(calls.read(writeOnly, buffer)).isEqualTo(-Errno.EBADF);
        assertThat(calls.read(fifo, buffer)).isEqualTo(-Errno.EAGAIN);
        assertThat(calls.write(BAD, buffer)).isEqualTo(-Errno.EBADF);
        assertThat(calls.write(readOnly, buffer)).isEqualTo(-Errno.EBADF);
        assertThat(calls.pread(fifo, buffer, 0)).isEqualTo(-Errno.ESPIPE);
        assertThat(calls.pread(readOnly, buffer, -1)).isEqualTo(-Errno.EINVAL);
        assertThat(calls.pwrite(fifo, buffer, 0)).isEqualTo(-Errno.ESPIPE);
        assertThat(calls.pwrite(readOnly, buffer, 0)).isEqualTo(-Errno.EBADF);
        for (int descriptor : new int[]{readOnly, writeOnly, fifo}) {
            assertThat(calls.close(descriptor)).isZero();
        }
    }

    @Test
    void closeFailsForANumberThatIsNotOpen() {
        assertThat(calls.close(BAD)).isEqualTo(-Errno.EBADF);
        assertThat(calls.close(-1)).isEqualTo(-Errno.EBADF);
        int f = file("f", "");
        assertThat(calls.close(f)).isZero();
    }

    @Test
    void offsetsBeyondFourGibAreWhole() {
        int f = file("f", "");
        assertThat(calls.pwrite(f, data("far"), BEYOND)).isEqualTo(3);
        assertThat(status("f").size()).isEqualTo(BEYOND + 3);
        MemorySegment buffer = memory(8);
        assertThat(calls.pread(f, buffer, BEYOND + 1)).isEqualTo(2);
        assertThat(text(buffer, 2)).isEqualTo("ar");
        assertThat(calls.lseek(f, BEYOND, SEEK_SET)).isEqualTo(BEYOND);
        assertThat(calls.lseek(f, 0, SEEK_DATA)).isBetween(BEYOND - (1 << 21), BEYOND);
        assertThat(calls.ftruncate(f, BEYOND + 4096)).isZero();
        assertThat(calls.lseek(f, BEYOND, SEEK_HOLE)).isBetween(BEYOND + 3, BEYOND + 4096);
        assertThat(calls.posixFadvise(f, BEYOND, 4096, POSIX_FADV_DONTNEED)).isZero();
        assertThat(calls.close(f)).isZero();
    }

    @Test
    void resultWhoseLowerHalfLooksLikeMinusOneIsNoError() {
        int f = file("f", "");
        assertThat(calls.lseek(f, 0xFFFF_FFFFL, SEEK_SET)).isEqualTo(0xFFFF_FFFFL);
        assertThat(calls.close(f)).isZero();
    }

    @Test
    void lseekFailsWithTheKernelsError() {
        int f = file("f", "data");
        int fifo = fifo();
        assertThat(calls.lseek(f, 4, SEEK_DATA)).isEqualTo(-Errno.ENXIO);
        assertThat(calls.lseek(f, 5, SEEK_HOLE)).isEqualTo(-Errno.ENXIO);
        assertThat(calls.lseek(f, -1, SEEK_SET)).isEqualTo(-Errno.EINVAL);
        assertThat(calls.lseek(fifo, 0, SEEK_SET)).isEqualTo(-Errno.ESPIPE);
        assertThat(calls.lseek(BAD, 0, SEEK_SET)).isEqualTo(-Errno.EBADF);
        assertThat(calls.close(f)).isZero();
        assertThat(calls.close(fifo)).isZero();
    }

    @Test
    void copyFileRangeCopiesAtPositionsAndAtOffsets() {
        int from = file("from", "0123456789");
        int to = file("to", "");
        MemorySegment none = MemorySegment.NULL;
        assertThat(calls.lseek(from, 2, SEEK_SET)).isEqualTo(2);
        assertThat(calls.copyFileRange(from, none, to, none, 3)).isEqualTo(3);
        MemorySegment fromAt = memory(8);
        MemorySegment toAt = memory(8);
        toAt.set(ValueLayout.JAVA_LONG, 0, BEYOND);
        assertThat(calls.copyFileRange(from, fromAt, to, toAt, 100)).isEqualTo(10);
        assertThat(fromAt.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(10);
        assertThat(toAt.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(BEYOND + 10);
        assertThat(calls.copyFileRange(from, fromAt, to, toAt, 100)).isZero();
        MemorySegment buffer = memory(3);
        assertThat(calls.pread(to, buffer, 0)).isEqualTo(3);
        assertThat(text(buffer, 3)).isEqualTo("234");
        assertThat(calls.copyFileRange(from, none, from, none, 3)).as("onto itself").isEqualTo(-Errno.EINVAL);
        assertThat(calls.close(from)).isZero();
        assertThat(calls.close(to)).isZero();
    }

    @Test
    void copyFileRangeAndFicloneFailWithTheKernelsError() {
        int f = file("f", "data");
        int g = file("g", "");
        MemorySegment none = MemorySegment.NULL;
        assertThat(calls.copyFileRange(BAD, none, g, none, 1)).isEqualTo(-Errno.EBADF);
        assertThat(calls.copyFileRange(directory, none, g, none, 1)).isEqualTo(-Errno.EISDIR);
        int fifo = fifo();
        assertThat(calls.copyFileRange(fifo, none, g, none, 1)).isEqualTo(-Errno.EINVAL);
        assertThat(calls.ficlone(BAD, f)).isEqualTo(-Errno.EBADF);
        assertThat(calls.ficlone(g, BAD)).isEqualTo(-Errno.EBADF);
        assertThat(calls.ficlone(fifo, f)).isNegative();
        for (int descriptor : new int[]{f, g, fifo}) {
            assertThat(calls.close(descriptor)).isZero();
        }
    }

    @Test
    void ficloneSharesDataOrSaysThatTheFileSystemCannot() {
        int f = file("f", "data");
        int g = file("g", "");
        int result = calls.ficlone(g, f);
        assertThat(result).isIn(0, -Errno.EOPNOTSUPP);
        assertThat(status("g").size()).isEqualTo(result == 0 ? 4 : 0);
        assertThat(calls.close(f)).isZero();
        assertThat(calls.close(g)).isZero();
    }

    @Test
    void fallocateAndFtruncateSetRoomAndSize() {
        int f = file("f", "");
        assertThat(calls.fallocate(f, FALLOC_FL_KEEP_SIZE, BEYOND, 65536)).isZero();
        assertThat(status("f").size()).isZero();
        assertThat(status("f").blocks()).isGreaterThanOrEqualTo(65536 / 512);
        assertThat(calls.fallocate(f, 0, BEYOND, 65536)).isZero();
        assertThat(status("f").size()).isEqualTo(BEYOND + 65536);
        assertThat(calls.fallocate(f, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, BEYOND, 65536)).isZero();
        assertThat(status("f").blocks()).isLessThanOrEqualTo(16);
        assertThat(calls.ftruncate(f, BEYOND)).isZero();
        assertThat(status("f").size()).isEqualTo(BEYOND);
        assertThat(calls.fallocate(f, 0, 0, 0)).isEqualTo(-Errno.EINVAL);
        assertThat(calls.fallocate(BAD, 0, 0, 1)).isEqualTo(-Errno.EBADF);
        assertThat(calls.ftruncate(f, -1)).isEqualTo(-Errno.EINVAL);
        assertThat(calls.ftruncate(directory, 0)).isEqualTo(-Errno.EINVAL);
        assertThat(calls.ftruncate(BAD, 0)).isEqualTo(-Errno.EBADF);
        assertThat(calls.close(f)).isZero();
    }

    @Test
    void syncsSucceedOnFilesAndFailOnWhatCannotSync() {
        int f = file("f", "data");
        int fifo = fifo();
        int path = opened(calls.openat(directory, name("f"), O_PATH, 0));
        assertThat(calls.fsync(f)).isZero();
        assertThat(calls.fsync(directory)).isZero();
        assertThat(calls.fdatasync(f)).isZero();
        assertThat(calls.syncfs(f)).isZero();
        assertThat(calls.fsync(fifo)).isEqualTo(-Errno.EINVAL);
        assertThat(calls.fdatasync(fifo)).isEqualTo(-Errno.EINVAL);
        assertThat(calls.fsync(BAD)).isEqualTo(-Errno.EBADF);
        assertThat(calls.fdatasync(path)).isEqualTo(-Errno.EBADF);
        assertThat(calls.syncfs(path)).isEqualTo(-Errno.EBADF);
        for (int descriptor : new int[]{f, fifo, path}) {
            assertThat(calls.close(descriptor)).isZero();
        }
    }

    @Test
    void posixFadviseReturnsItsErrorThoughItSetsNoErrno() {
        int f = file("f", "data");
        int fifo = fifo();
        assertThat(calls.posixFadvise(f, 0, 0, POSIX_FADV_DONTNEED)).isZero();
        assertThat(calls.posixFadvise(fifo, 0, 0, POSIX_FADV_DONTNEED)).isEqualTo(-Errno.ESPIPE);
        assertThat(calls.posixFadvise(f, 0, 0, 99)).isEqualTo(-Errno.EINVAL);
        assertThat(calls.posixFadvise(BAD, 0, 0, POSIX_FADV_DONTNEED)).isEqualTo(-Errno.EBADF);
        assertThat(calls.close(f)).isZero();
        assertThat(calls.close(fifo)).isZero();
    }

    @Test
    void fstatfsDescribesTheFileSystem() {
        MemorySegment result = memory(STATFS_SIZE);
        assertThat(calls.fstatfs(directory, result)).isZero();
        assertThat(result.get(ValueLayout.JAVA_LONG, 8)).as("f_bsize").isPositive();
        assertThat(result.get(ValueLayout.JAVA_LONG, 64)).as("f_namelen").isEqualTo(255);
        assertThat(calls.fstatfs(BAD, result)).isEqualTo(-Errno.EBADF);
    }

    @Test
    void ofdLocksAreBetweenOpenDescriptions() {
        int one = file("f", "data");
        int two = opened(calls.openat(directory, name("f"), O_RDWR, 0));
        assertThat(calls.ofdLock(one, F_WRLCK)).isZero();
        assertThat(calls.ofdLock(one, F_WRLCK)).as("again by its owner").isZero();
        assertThat(calls.ofdLock(two, F_WRLCK)).isEqualTo(-Errno.EAGAIN);
        assertThat(calls.ofdLock(two, F_RDLCK)).isEqualTo(-Errno.EAGAIN);
        assertThat(calls.ofdLock(one, F_UNLCK)).isZero();
        assertThat(calls.ofdLock(two, F_RDLCK)).isZero();
        assertThat(calls.ofdLock(one, F_RDLCK)).as("shared").isZero();
        assertThat(calls.ofdLock(one, F_WRLCK)).isEqualTo(-Errno.EAGAIN);
        assertThat(calls.close(two)).as("closing gives it back").isZero();
        assertThat(calls.ofdLock(one, F_WRLCK)).isZero();
        assertThat(calls.ofdLock(BAD, F_WRLCK)).isEqualTo(-Errno.EBADF);
        assertThat(calls.ofdLock(one, 77)).isEqualTo(-Errno.EINVAL);
        assertThat(calls.close(one)).isZero();
    }

    @Test
    void listingsHoldEveryNameAndFailWithTheKernelsError() {
        for (int i = 0; i < 300; i++) {
            closedFile("entry-with-a-longer-name-" + i, "");
        }
        MemorySegment buffer = memory(4096);
        int names = 0;
        int filled;
        int again = opened(calls.openat(directory, name("."), O_DIRECTORY, 0));
        while ((filled = calls.getdents64(again, buffer)) > 0) {
            for (int at = 0; at < filled; at += buffer.get(ValueLayout.JAVA_SHORT, at + 16)) {
                names++;
            }
        }
        assertThat(filled).isZero();
        assertThat(names).as("with the dots").isEqualTo(302);
        assertThat(calls.lseek(again, 0, SEEK_SET)).isZero();
        assertThat(calls.getdents64(again, memory(8))).isEqualTo(-Errno.EINVAL);
        int f = file("f", "");
        assertThat(calls.getdents64(f, buffer)).isEqualTo(-Errno.ENOTDIR);
        assertThat(calls.getdents64(BAD, buffer)).isEqualTo(-Errno.EBADF);
        assertThat(calls.close(f)).isZero();
        assertThat(calls.close(again)).isZero();
    }
}
