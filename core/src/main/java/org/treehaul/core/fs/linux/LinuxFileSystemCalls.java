// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.treehaul.core.fs.linux.Downcalls.SCRATCH;
import static org.treehaul.core.fs.linux.Downcalls.address;
import static org.treehaul.core.fs.linux.Downcalls.call;
import static org.treehaul.core.fs.linux.Downcalls.callAgain;
import static org.treehaul.core.fs.linux.Downcalls.callLong;
import static org.treehaul.core.fs.linux.Downcalls.callLongAgain;
import static org.treehaul.core.fs.linux.Downcalls.kept;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LinuxConstants;

/**
 * The calls, each bound to the C library's function of the same name. {@link Downcalls#call} is for functions that
 * return {@code int}, {@link Downcalls#callLong} for those that return {@code ssize_t} or {@code off_t}.
 */
final class LinuxFileSystemCalls implements FileSystemCalls {

    private static final int O_CLOEXEC = LinuxConstants.O_CLOEXEC;
    private static final long FICLONE = 0x40049409L; // linux/fs.h: _IOW(0x94, 9, int)
    private static final int CREATES = LinuxConstants.O_CREAT | LinuxConstants.O_TRUNC
            | LinuxConstants.O_TMPFILE & ~LinuxConstants.O_DIRECTORY;
    private static final int F_OFD_SETLK = 37; // asm-generic/fcntl.h

    private static final MemorySegment OPENAT = Symbols.function("openat");
    private static final MemorySegment CLOSE = Symbols.function("close");
    private static final @Nullable MemorySegment GETDENTS64 = Symbols.functionOrNull("getdents64");
    private static final @Nullable MemorySegment STATX = Symbols.functionOrNull("statx");
    private static final MemorySegment READ = Symbols.function("read");
    private static final MemorySegment WRITE = Symbols.function("write");
    private static final MemorySegment PREAD = Symbols.function("pread");
    private static final MemorySegment PWRITE = Symbols.function("pwrite");
    private static final MemorySegment LSEEK = Symbols.function("lseek");
    private static final @Nullable MemorySegment COPY_FILE_RANGE = Symbols.functionOrNull("copy_file_range");
    private static final MemorySegment IOCTL = Symbols.function("ioctl");
    private static final MemorySegment FALLOCATE = Symbols.function("fallocate");
    private static final MemorySegment FTRUNCATE = Symbols.function("ftruncate");
    private static final MemorySegment LINKAT = Symbols.function("linkat");
    private static final MemorySegment SYMLINKAT = Symbols.function("symlinkat");
    private static final MemorySegment READLINKAT = Symbols.function("readlinkat");
    private static final MemorySegment MKDIRAT = Symbols.function("mkdirat");
    private static final MemorySegment MKNODAT = Symbols.function("mknodat");
    private static final @Nullable MemorySegment RENAMEAT2 = Symbols.functionOrNull("renameat2");
    private static final MemorySegment UNLINKAT = Symbols.function("unlinkat");
    private static final MemorySegment FCHMOD = Symbols.function("fchmod");
    private static final MemorySegment FCHMODAT = Symbols.function("fchmodat");
    private static final MemorySegment FCHOWNAT = Symbols.function("fchownat");
    private static final MemorySegment UTIMENSAT = Symbols.function("utimensat");
    private static final MemorySegment FUTIMENS = Symbols.function("futimens");
    private static final MemorySegment FGETXATTR = Symbols.function("fgetxattr");
    private static final MemorySegment LGETXATTR = Symbols.function("lgetxattr");
    private static final MemorySegment FSETXATTR = Symbols.function("fsetxattr");
    private static final MemorySegment SETXATTR = Symbols.function("setxattr");
    private static final MemorySegment FLISTXATTR = Symbols.function("flistxattr");
    private static final MemorySegment LLISTXATTR = Symbols.function("llistxattr");
    private static final MemorySegment FREMOVEXATTR = Symbols.function("fremovexattr");
    private static final MemorySegment REMOVEXATTR = Symbols.function("removexattr");
    private static final MemorySegment FSYNC = Symbols.function("fsync");
    private static final MemorySegment FDATASYNC = Symbols.function("fdatasync");
    private static final MemorySegment SYNCFS = Symbols.function("syncfs");
    private static final MemorySegment POSIX_FADVISE = Symbols.function("posix_fadvise");
    private static final MemorySegment FSTATFS = Symbols.function("fstatfs");
    private static final MemorySegment FCNTL = Symbols.function("fcntl");

    @Override
    public int openat(int directory, MemorySegment name, int flags, int mode) {
        long address = address(name);
        int result = (flags & CREATES) == 0
                ? callAgain(OPENAT, directory, address, flags | O_CLOEXEC, mode, 0)
                : call(OPENAT, directory, address, flags | O_CLOEXEC, mode, 0);
        return kept(result, name);
    }

    @Override
    public int openat2(int directory, MemorySegment name, int flags, int mode, long resolve) {
        return RawSystemCalls.openat2(directory, name, flags | O_CLOEXEC, mode, resolve);
    }

    @Override
    public int close(int descriptor) {
        return call(CLOSE, descriptor, 0, 0, 0, 0);
    }

    @Override
    public void closeQuietly(int descriptor) {
        Downcalls.callRaw(CLOSE, descriptor, 0, 0, 0);
    }

    @Override
    public int getdents64(int descriptor, MemorySegment buffer) {
        if (GETDENTS64 == null) {
            return RawSystemCalls.getdents64(descriptor, buffer);
        }
        return (int) kept(callLongAgain(GETDENTS64, descriptor, address(buffer), buffer.byteSize(), 0, 0), buffer);
    }

    @Override
    public int statx(int directory, MemorySegment name, int flags, int mask, MemorySegment result) {
        if (STATX == null) {
            return RawSystemCalls.statx(directory, name, flags, mask, result);
        }
        return kept(kept(callAgain(STATX, directory, address(name), flags, mask, address(result)), name), result);
    }

    @Override
    public void statxEach(int directory, MemorySegment names, int[] starts, int count, int flags, int mask,
            MemorySegment results, int[] answers) {
        if (STATX == null) {
            FileSystemCalls.super.statxEach(directory, names, starts, count, flags, mask, results, answers);
            return;
        }
        Objects.checkFromIndexSize(0, count * (long) LinuxConstants.STATX_SIZE, results.byteSize());
        long end = names.byteSize();
        long name = address(names);
        long result = address(results);
        for (int i = 0; i < count; i++) {
            long start = Objects.checkIndex(starts[i], end);
            answers[i] = Downcalls.answer(STATX, directory, name + start, flags, mask,
                    result + i * (long) LinuxConstants.STATX_SIZE);
        }
        kept(kept(0, names), results);
    }

    @Override
    public long read(int descriptor, MemorySegment buffer) {
        return kept(callLong(READ, descriptor, address(buffer), buffer.byteSize(), 0, 0), buffer);
    }

    @Override
    public long write(int descriptor, MemorySegment buffer) {
        return kept(callLong(WRITE, descriptor, address(buffer), buffer.byteSize(), 0, 0), buffer);
    }

    @Override
    public long pread(int descriptor, MemorySegment buffer, long offset) {
        return kept(callLongAgain(PREAD, descriptor, address(buffer), buffer.byteSize(), offset, 0), buffer);
    }

    @Override
    public long pwrite(int descriptor, MemorySegment buffer, long offset) {
        return kept(callLong(PWRITE, descriptor, address(buffer), buffer.byteSize(), offset, 0), buffer);
    }

    @Override
    public long lseek(int descriptor, long offset, int whence) {
        return callLong(LSEEK, descriptor, offset, whence, 0, 0);
    }

    @Override
    public long copyFileRange(int source, MemorySegment sourceOffset, int destination, MemorySegment destinationOffset,
            long length) {
        if (COPY_FILE_RANGE == null) {
            return RawSystemCalls.copyFileRange(source, sourceOffset, destination, destinationOffset, length);
        }
        long result = callLong(COPY_FILE_RANGE, source, address(sourceOffset), destination, address(destinationOffset),
                length, 0);
        return kept(kept(result, sourceOffset), destinationOffset);
    }

    @Override
    public int ficlone(int destination, int source) {
        return call(IOCTL, destination, FICLONE, source, 0, 0);
    }

    @Override
    public int fallocate(int descriptor, int mode, long offset, long length) {
        return call(FALLOCATE, descriptor, mode, offset, length, 0);
    }

    @Override
    public int ftruncate(int descriptor, long size) {
        return call(FTRUNCATE, descriptor, size, 0, 0, 0);
    }

    @Override
    public int linkat(int oldDirectory, MemorySegment oldName, int newDirectory, MemorySegment newName, int flags) {
        return kept(kept(call(LINKAT, oldDirectory, address(oldName), newDirectory, address(newName), flags), oldName),
                newName);
    }

    @Override
    public int symlinkat(MemorySegment target, int directory, MemorySegment name) {
        return kept(kept(call(SYMLINKAT, address(target), directory, address(name), 0, 0), target), name);
    }

    @Override
    public int readlinkat(int directory, MemorySegment name, MemorySegment buffer) {
        long result = callLongAgain(READLINKAT, directory, address(name), address(buffer), buffer.byteSize(), 0);
        return (int) kept(kept(result, name), buffer);
    }

    @Override
    public int mkdirat(int directory, MemorySegment name, int mode) {
        return kept(call(MKDIRAT, directory, address(name), mode, 0, 0), name);
    }

    @Override
    public int mknodat(int directory, MemorySegment name, int mode, long device) {
        return kept(call(MKNODAT, directory, address(name), mode, device, 0), name);
    }

    @Override
    public int renameat2(int oldDirectory, MemorySegment oldName, int newDirectory, MemorySegment newName, int flags) {
        if (RENAMEAT2 == null) {
            return RawSystemCalls.renameat2(oldDirectory, oldName, newDirectory, newName, flags);
        }
        int result = call(RENAMEAT2, oldDirectory, address(oldName), newDirectory, address(newName), flags);
        return kept(kept(result, oldName), newName);
    }

    @Override
    public int unlinkat(int directory, MemorySegment name, int flags) {
        return kept(callAgain(UNLINKAT, directory, address(name), flags, 0, 0), name);
    }

    @Override
    public int fchmod(int descriptor, int mode) {
        return call(FCHMOD, descriptor, mode, 0, 0, 0);
    }

    @Override
    public int fchmodat(int directory, MemorySegment name, int mode) {
        return kept(callAgain(FCHMODAT, directory, address(name), mode, 0, 0), name);
    }

    @Override
    public int fchownat(int directory, MemorySegment name, int uid, int gid, int flags) {
        return kept(callAgain(FCHOWNAT, directory, address(name), uid, gid, flags), name);
    }

    @Override
    public int utimensat(int directory, MemorySegment name, MemorySegment times, int flags) {
        return kept(kept(call(UTIMENSAT, directory, address(name), address(times), flags, 0), name), times);
    }

    @Override
    public int futimens(int descriptor, MemorySegment times) {
        return kept(call(FUTIMENS, descriptor, address(times), 0, 0, 0), times);
    }

    @Override
    public long fgetxattr(int descriptor, MemorySegment attribute, MemorySegment value) {
        long result = callLong(FGETXATTR, descriptor, address(attribute), address(value), value.byteSize(), 0);
        return kept(kept(result, attribute), value);
    }

    @Override
    public long lgetxattr(MemorySegment path, MemorySegment attribute, MemorySegment value) {
        long result = callLong(LGETXATTR, address(path), address(attribute), address(value), value.byteSize(), 0);
        return kept(kept(kept(result, path), attribute), value);
    }

    @Override
    public int fsetxattr(int descriptor, MemorySegment attribute, MemorySegment value, int flags) {
        int result = call(FSETXATTR, descriptor, address(attribute), address(value), value.byteSize(), flags);
        return kept(kept(result, attribute), value);
    }

    @Override
    public int setxattr(MemorySegment path, MemorySegment attribute, MemorySegment value, int flags) {
        int result = call(SETXATTR, address(path), address(attribute), address(value), value.byteSize(), flags);
        return kept(kept(kept(result, path), attribute), value);
    }

    @Override
    public long flistxattr(int descriptor, MemorySegment list) {
        return kept(callLongAgain(FLISTXATTR, descriptor, address(list), list.byteSize(), 0, 0), list);
    }

    @Override
    public long llistxattr(MemorySegment path, MemorySegment list) {
        return kept(kept(callLong(LLISTXATTR, address(path), address(list), list.byteSize(), 0, 0), path), list);
    }

    @Override
    public long listxattrat(int directory, MemorySegment name, MemorySegment list) {
        return RawSystemCalls.listxattrat(directory, name, list);
    }

    @Override
    public int fremovexattr(int descriptor, MemorySegment attribute) {
        return kept(call(FREMOVEXATTR, descriptor, address(attribute), 0, 0, 0), attribute);
    }

    @Override
    public int removexattr(MemorySegment path, MemorySegment attribute) {
        return kept(kept(call(REMOVEXATTR, address(path), address(attribute), 0, 0, 0), path), attribute);
    }

    @Override
    public int fsync(int descriptor) {
        return call(FSYNC, descriptor, 0, 0, 0, 0);
    }

    @Override
    public int fdatasync(int descriptor) {
        return call(FDATASYNC, descriptor, 0, 0, 0, 0);
    }

    @Override
    public int syncfs(int descriptor) {
        return call(SYNCFS, descriptor, 0, 0, 0, 0);
    }

    @Override
    public int posixFadvise(int descriptor, long offset, long length, int advice) {
        // Unlike the others, this function returns the error number itself and does not set errno.
        return -(int) Downcalls.callRaw(POSIX_FADVISE, descriptor, offset, length, advice);
    }

    @Override
    public int fstatfs(int descriptor, MemorySegment result) {
        return kept(callAgain(FSTATFS, descriptor, address(result), 0, 0, 0), result);
    }

    @Override
    public int ofdLock(int descriptor, int type) {
        // struct flock of 64-bit Linux: l_type, l_whence, 4 bytes of padding, l_start, l_len, l_pid. Start and length 0
        // mean the whole file; these locks require a pid of 0.
        MemorySegment state = Downcalls.state();
        state.set(JAVA_SHORT, SCRATCH, (short) type);
        state.set(JAVA_SHORT, SCRATCH + 2, (short) LinuxConstants.SEEK_SET);
        state.set(JAVA_LONG, SCRATCH + 8, 0);
        state.set(JAVA_LONG, SCRATCH + 16, 0);
        state.set(JAVA_INT, SCRATCH + 24, 0);
        return kept(call(FCNTL, descriptor, F_OFD_SETLK, state.address() + SCRATCH, 0, 0), state);
    }
}
