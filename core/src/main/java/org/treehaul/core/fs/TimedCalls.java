// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.lang.foreign.MemorySegment;

/** Measures how long each call takes. For one thread. */
final class TimedCalls implements FileSystemCalls {

    // Arguments are evaluated from left to right: the clock is read, the call is made, then both are added.
    private final FileSystemCalls calls;
    private final CallTimes meter;

    TimedCalls(FileSystemCalls calls, CallTimes meter) {
        this.calls = calls;
        this.meter = meter;
    }

    @Override
    public int openat(int directory, MemorySegment name, int flags, int mode) {
        return meter.add(Call.OPENAT, System.nanoTime(), calls.openat(directory, name, flags, mode));
    }

    @Override
    public int openat2(int directory, MemorySegment name, int flags, int mode, long resolve) {
        return meter.add(Call.OPENAT2, System.nanoTime(), calls.openat2(directory, name, flags, mode, resolve));
    }

    @Override
    public int close(int descriptor) {
        return meter.add(Call.CLOSE, System.nanoTime(), calls.close(descriptor));
    }

    @Override
    public int getdents64(int descriptor, MemorySegment buffer) {
        return meter.add(Call.GETDENTS64, System.nanoTime(), calls.getdents64(descriptor, buffer));
    }

    @Override
    public int statx(int directory, MemorySegment name, int flags, int mask, MemorySegment result) {
        return meter.add(Call.STATX, System.nanoTime(), calls.statx(directory, name, flags, mask, result));
    }

    @Override
    public long read(int descriptor, MemorySegment buffer) {
        return meter.add(Call.READ, System.nanoTime(), calls.read(descriptor, buffer));
    }

    @Override
    public long write(int descriptor, MemorySegment buffer) {
        return meter.add(Call.WRITE, System.nanoTime(), calls.write(descriptor, buffer));
    }

    @Override
    public long pread(int descriptor, MemorySegment buffer, long offset) {
        return meter.add(Call.PREAD, System.nanoTime(), calls.pread(descriptor, buffer, offset));
    }

    @Override
    public long pwrite(int descriptor, MemorySegment buffer, long offset) {
        return meter.add(Call.PWRITE, System.nanoTime(), calls.pwrite(descriptor, buffer, offset));
    }

    @Override
    public long lseek(int descriptor, long offset, int whence) {
        return meter.add(Call.LSEEK, System.nanoTime(), calls.lseek(descriptor, offset, whence));
    }

    @Override
    public long copyFileRange(int source, MemorySegment sourceOffset, int destination, MemorySegment destinationOffset,
            long length) {
        return meter.add(Call.COPY_FILE_RANGE, System.nanoTime(),
                calls.copyFileRange(source, sourceOffset, destination, destinationOffset, length));
    }

    @Override
    public int ficlone(int destination, int source) {
        return meter.add(Call.FICLONE, System.nanoTime(), calls.ficlone(destination, source));
    }

    @Override
    public int fallocate(int descriptor, int mode, long offset, long length) {
        return meter.add(Call.FALLOCATE, System.nanoTime(), calls.fallocate(descriptor, mode, offset, length));
    }

    @Override
    public int ftruncate(int descriptor, long size) {
        return meter.add(Call.FTRUNCATE, System.nanoTime(), calls.ftruncate(descriptor, size));
    }

    @Override
    public int linkat(int oldDirectory, MemorySegment oldName, int newDirectory, MemorySegment newName, int flags) {
        return meter.add(Call.LINKAT, System.nanoTime(),
                calls.linkat(oldDirectory, oldName, newDirectory, newName, flags));
    }

    @Override
    public int symlinkat(MemorySegment target, int directory, MemorySegment name) {
        return meter.add(Call.SYMLINKAT, System.nanoTime(), calls.symlinkat(target, directory, name));
    }

    @Override
    public int readlinkat(int directory, MemorySegment name, MemorySegment buffer) {
        return meter.add(Call.READLINKAT, System.nanoTime(), calls.readlinkat(directory, name, buffer));
    }

    @Override
    public int mkdirat(int directory, MemorySegment name, int mode) {
        return meter.add(Call.MKDIRAT, System.nanoTime(), calls.mkdirat(directory, name, mode));
    }

    @Override
    public int mknodat(int directory, MemorySegment name, int mode, long device) {
        return meter.add(Call.MKNODAT, System.nanoTime(), calls.mknodat(directory, name, mode, device));
    }

    @Override
    public int renameat2(int oldDirectory, MemorySegment oldName, int newDirectory, MemorySegment newName, int flags) {
        return meter.add(Call.RENAMEAT2, System.nanoTime(),
                calls.renameat2(oldDirectory, oldName, newDirectory, newName, flags));
    }

    @Override
    public int unlinkat(int directory, MemorySegment name, int flags) {
        return meter.add(Call.UNLINKAT, System.nanoTime(), calls.unlinkat(directory, name, flags));
    }

    @Override
    public int fchmod(int descriptor, int mode) {
        return meter.add(Call.FCHMOD, System.nanoTime(), calls.fchmod(descriptor, mode));
    }

    @Override
    public int fchmodat(int directory, MemorySegment name, int mode) {
        return meter.add(Call.FCHMODAT, System.nanoTime(), calls.fchmodat(directory, name, mode));
    }

    @Override
    public int fchownat(int directory, MemorySegment name, int uid, int gid, int flags) {
        return meter.add(Call.FCHOWNAT, System.nanoTime(), calls.fchownat(directory, name, uid, gid, flags));
    }

    @Override
    public int utimensat(int directory, MemorySegment name, MemorySegment times, int flags) {
        return meter.add(Call.UTIMENSAT, System.nanoTime(), calls.utimensat(directory, name, times, flags));
    }

    @Override
    public int futimens(int descriptor, MemorySegment times) {
        return meter.add(Call.FUTIMENS, System.nanoTime(), calls.futimens(descriptor, times));
    }

    @Override
    public long fgetxattr(int descriptor, MemorySegment attribute, MemorySegment value) {
        return meter.add(Call.FGETXATTR, System.nanoTime(), calls.fgetxattr(descriptor, attribute, value));
    }

    @Override
    public long lgetxattr(MemorySegment path, MemorySegment attribute, MemorySegment value) {
        return meter.add(Call.LGETXATTR, System.nanoTime(), calls.lgetxattr(path, attribute, value));
    }

    @Override
    public int fsetxattr(int descriptor, MemorySegment attribute, MemorySegment value, int flags) {
        return meter.add(Call.FSETXATTR, System.nanoTime(), calls.fsetxattr(descriptor, attribute, value, flags));
    }

    @Override
    public int setxattr(MemorySegment path, MemorySegment attribute, MemorySegment value, int flags) {
        return meter.add(Call.SETXATTR, System.nanoTime(), calls.setxattr(path, attribute, value, flags));
    }

    @Override
    public long flistxattr(int descriptor, MemorySegment list) {
        return meter.add(Call.FLISTXATTR, System.nanoTime(), calls.flistxattr(descriptor, list));
    }

    @Override
    public long llistxattr(MemorySegment path, MemorySegment list) {
        return meter.add(Call.LLISTXATTR, System.nanoTime(), calls.llistxattr(path, list));
    }

    @Override
    public int fremovexattr(int descriptor, MemorySegment attribute) {
        return meter.add(Call.FREMOVEXATTR, System.nanoTime(), calls.fremovexattr(descriptor, attribute));
    }

    @Override
    public int removexattr(MemorySegment path, MemorySegment attribute) {
        return meter.add(Call.REMOVEXATTR, System.nanoTime(), calls.removexattr(path, attribute));
    }

    @Override
    public int fsync(int descriptor) {
        return meter.add(Call.FSYNC, System.nanoTime(), calls.fsync(descriptor));
    }

    @Override
    public int fdatasync(int descriptor) {
        return meter.add(Call.FDATASYNC, System.nanoTime(), calls.fdatasync(descriptor));
    }

    @Override
    public int syncfs(int descriptor) {
        return meter.add(Call.SYNCFS, System.nanoTime(), calls.syncfs(descriptor));
    }

    @Override
    public int posixFadvise(int descriptor, long offset, long length, int advice) {
        return meter.add(Call.POSIX_FADVISE, System.nanoTime(), calls.posixFadvise(descriptor, offset, length, advice));
    }

    @Override
    public int fstatfs(int descriptor, MemorySegment result) {
        return meter.add(Call.FSTATFS, System.nanoTime(), calls.fstatfs(descriptor, result));
    }

    @Override
    public int ofdLock(int descriptor, int type) {
        return meter.add(Call.OFD_LOCK, System.nanoTime(), calls.ofdLock(descriptor, type));
    }
}
