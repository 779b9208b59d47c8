// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.lang.foreign.MemorySegment;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Makes a call again that a signal interrupted (EINTR), as network and user-space file systems answer. Only close is
 * never made again: Linux has closed the descriptor, and its number may be another thread's file by now.
 */
final class RepeatingCalls implements FileSystemCalls {

    // Signals come seldom, so an answer that stays is no interruption but a fault of the file system.
    private static final int TRIES = 100;

    private final FileSystemCalls calls;

    private RepeatingCalls(FileSystemCalls calls) {
        this.calls = calls;
    }

    static FileSystemCalls over(FileSystemCalls calls) {
        return calls instanceof RepeatingCalls ? calls : new RepeatingCalls(calls);
    }

    @Override
    public int openat(int directory, MemorySegment name, int flags, int mode) {
        int answer = calls.openat(directory, name, flags, mode);
        return answer == -Errno.EINTR ? again(() -> calls.openat(directory, name, flags, mode)) : answer;
    }

    @Override
    public int openat2(int directory, MemorySegment name, int flags, int mode, long resolve) {
        int answer = calls.openat2(directory, name, flags, mode, resolve);
        return answer == -Errno.EINTR ? again(() -> calls.openat2(directory, name, flags, mode, resolve)) : answer;
    }

    @Override
    public int close(int descriptor) {
        return calls.close(descriptor);
    }

    @Override
    public int getdents64(int descriptor, MemorySegment buffer) {
        int answer = calls.getdents64(descriptor, buffer);
        return answer == -Errno.EINTR ? again(() -> calls.getdents64(descriptor, buffer)) : answer;
    }

    @Override
    public int statx(int directory, MemorySegment name, int flags, int mask, MemorySegment result) {
        int answer = calls.statx(directory, name, flags, mask, result);
        return answer == -Errno.EINTR ? again(() -> calls.statx(directory, name, flags, mask, result)) : answer;
    }

    @Override
    public long read(int descriptor, MemorySegment buffer) {
        long answer = calls.read(descriptor, buffer);
        return answer == -Errno.EINTR ? again(() -> calls.read(descriptor, buffer)) : answer;
    }

    @Override
    public long write(int descriptor, MemorySegment buffer) {
        long answer = calls.write(descriptor, buffer);
        return answer == -Errno.EINTR ? again(() -> calls.write(descriptor, buffer)) : answer;
    }

    @Override
    public long pread(int descriptor, MemorySegment buffer, long offset) {
        long answer = calls.pread(descriptor, buffer, offset);
        return answer == -Errno.EINTR ? again(() -> calls.pread(descriptor, buffer, offset)) : answer;
    }

    @Override
    public long pwrite(int descriptor, MemorySegment buffer, long offset) {
        long answer = calls.pwrite(descriptor, buffer, offset);
        return answer == -Errno.EINTR ? again(() -> calls.pwrite(descriptor, buffer, offset)) : answer;
    }

    @Override
    public long lseek(int descriptor, long offset, int whence) {
        long answer = calls.lseek(descriptor, offset, whence);
        return answer == -Errno.EINTR ? again(() -> calls.lseek(descriptor, offset, whence)) : answer;
    }

    @Override
    public long copyFileRange(int source, MemorySegment sourceOffset, int destination, MemorySegment destinationOffset,
            long length) {
        long answer = calls.copyFileRange(source, sourceOffset, destination, destinationOffset, length);
        return answer == -Errno.EINTR
                ? again(() -> calls.copyFileRange(source, sourceOffset, destination, destinationOffset, length))
                : answer;
    }

    @Override
    public int ficlone(int destination, int source) {
        int answer = calls.ficlone(destination, source);
        return answer == -Errno.EINTR ? again(() -> calls.ficlone(destination, source)) : answer;
    }

    @Override
    public int fallocate(int descriptor, int mode, long offset, long length) {
        int answer = calls.fallocate(descriptor, mode, offset, length);
        return answer == -Errno.EINTR ? again(() -> calls.fallocate(descriptor, mode, offset, length)) : answer;
    }

    @Override
    public int ftruncate(int descriptor, long size) {
        int answer = calls.ftruncate(descriptor, size);
        return answer == -Errno.EINTR ? again(() -> calls.ftruncate(descriptor, size)) : answer;
    }

    @Override
    public int linkat(int oldDirectory, MemorySegment oldName, int newDirectory, MemorySegment newName, int flags) {
        int answer = calls.linkat(oldDirectory, oldName, newDirectory, newName, flags);
        return answer == -Errno.EINTR
                ? again(() -> calls.linkat(oldDirectory, oldName, newDirectory, newName, flags))
                : answer;
    }

    @Override
    public int symlinkat(MemorySegment target, int directory, MemorySegment name) {
        int answer = calls.symlinkat(target, directory, name);
        return answer == -Errno.EINTR ? again(() -> calls.symlinkat(target, directory, name)) : answer;
    }

    @Override
    public int readlinkat(int directory, MemorySegment name, MemorySegment buffer) {
        int answer = calls.readlinkat(directory, name, buffer);
        return answer == -Errno.EINTR ? again(() -> calls.readlinkat(directory, name, buffer)) : answer;
    }

    @Override
    public int mkdirat(int directory, MemorySegment name, int mode) {
        int answer = calls.mkdirat(directory, name, mode);
        return answer == -Errno.EINTR ? again(() -> calls.mkdirat(directory, name, mode)) : answer;
    }

    @Override
    public int mknodat(int directory, MemorySegment name, int mode, long device) {
        int answer = calls.mknodat(directory, name, mode, device);
        return answer == -Errno.EINTR ? again(() -> calls.mknodat(directory, name, mode, device)) : answer;
    }

    @Override
    public int renameat2(int oldDirectory, MemorySegment oldName, int newDirectory, MemorySegment newName, int flags) {
        int answer = calls.renameat2(oldDirectory, oldName, newDirectory, newName, flags);
        return answer == -Errno.EINTR
                ? again(() -> calls.renameat2(oldDirectory, oldName, newDirectory, newName, flags))
                : answer;
    }

    @Override
    public int unlinkat(int directory, MemorySegment name, int flags) {
        int answer = calls.unlinkat(directory, name, flags);
        return answer == -Errno.EINTR ? again(() -> calls.unlinkat(directory, name, flags)) : answer;
    }

    @Override
    public int fchmod(int descriptor, int mode) {
        int answer = calls.fchmod(descriptor, mode);
        return answer == -Errno.EINTR ? again(() -> calls.fchmod(descriptor, mode)) : answer;
    }

    @Override
    public int fchmodat(int directory, MemorySegment name, int mode) {
        int answer = calls.fchmodat(directory, name, mode);
        return answer == -Errno.EINTR ? again(() -> calls.fchmodat(directory, name, mode)) : answer;
    }

    @Override
    public int fchownat(int directory, MemorySegment name, int uid, int gid, int flags) {
        int answer = calls.fchownat(directory, name, uid, gid, flags);
        return answer == -Errno.EINTR ? again(() -> calls.fchownat(directory, name, uid, gid, flags)) : answer;
    }

    @Override
    public int utimensat(int directory, MemorySegment name, MemorySegment times, int flags) {
        int answer = calls.utimensat(directory, name, times, flags);
        return answer == -Errno.EINTR ? again(() -> calls.utimensat(directory, name, times, flags)) : answer;
    }

    @Override
    public int futimens(int descriptor, MemorySegment times) {
        int answer = calls.futimens(descriptor, times);
        return answer == -Errno.EINTR ? again(() -> calls.futimens(descriptor, times)) : answer;
    }

    @Override
    public long fgetxattr(int descriptor, MemorySegment attribute, MemorySegment value) {
        long answer = calls.fgetxattr(descriptor, attribute, value);
        return answer == -Errno.EINTR ? again(() -> calls.fgetxattr(descriptor, attribute, value)) : answer;
    }

    @Override
    public long lgetxattr(MemorySegment path, MemorySegment attribute, MemorySegment value) {
        long answer = calls.lgetxattr(path, attribute, value);
        return answer == -Errno.EINTR ? again(() -> calls.lgetxattr(path, attribute, value)) : answer;
    }

    @Override
    public int fsetxattr(int descriptor, MemorySegment attribute, MemorySegment value, int flags) {
        int answer = calls.fsetxattr(descriptor, attribute, value, flags);
        return answer == -Errno.EINTR ? again(() -> calls.fsetxattr(descriptor, attribute, value, flags)) : answer;
    }

    @Override
    public int setxattr(MemorySegment path, MemorySegment attribute, MemorySegment value, int flags) {
        int answer = calls.setxattr(path, attribute, value, flags);
        return answer == -Errno.EINTR ? again(() -> calls.setxattr(path, attribute, value, flags)) : answer;
    }

    @Override
    public long flistxattr(int descriptor, MemorySegment list) {
        long answer = calls.flistxattr(descriptor, list);
        return answer == -Errno.EINTR ? again(() -> calls.flistxattr(descriptor, list)) : answer;
    }

    @Override
    public long llistxattr(MemorySegment path, MemorySegment list) {
        long answer = calls.llistxattr(path, list);
        return answer == -Errno.EINTR ? again(() -> calls.llistxattr(path, list)) : answer;
    }

    @Override
    public int fremovexattr(int descriptor, MemorySegment attribute) {
        int answer = calls.fremovexattr(descriptor, attribute);
        return answer == -Errno.EINTR ? again(() -> calls.fremovexattr(descriptor, attribute)) : answer;
    }

    @Override
    public int removexattr(MemorySegment path, MemorySegment attribute) {
        int answer = calls.removexattr(path, attribute);
        return answer == -Errno.EINTR ? again(() -> calls.removexattr(path, attribute)) : answer;
    }

    @Override
    public int fsync(int descriptor) {
        int answer = calls.fsync(descriptor);
        return answer == -Errno.EINTR ? again(() -> calls.fsync(descriptor)) : answer;
    }

    @Override
    public int fdatasync(int descriptor) {
        int answer = calls.fdatasync(descriptor);
        return answer == -Errno.EINTR ? again(() -> calls.fdatasync(descriptor)) : answer;
    }

    @Override
    public int syncfs(int descriptor) {
        int answer = calls.syncfs(descriptor);
        return answer == -Errno.EINTR ? again(() -> calls.syncfs(descriptor)) : answer;
    }

    @Override
    public int posixFadvise(int descriptor, long offset, long length, int advice) {
        int answer = calls.posixFadvise(descriptor, offset, length, advice);
        return answer == -Errno.EINTR ? again(() -> calls.posixFadvise(descriptor, offset, length, advice)) : answer;
    }

    @Override
    public int fstatfs(int descriptor, MemorySegment result) {
        int answer = calls.fstatfs(descriptor, result);
        return answer == -Errno.EINTR ? again(() -> calls.fstatfs(descriptor, result)) : answer;
    }

    @Override
    public int ofdLock(int descriptor, int type) {
        int answer = calls.ofdLock(descriptor, type);
        return answer == -Errno.EINTR ? again(() -> calls.ofdLock(descriptor, type)) : answer;
    }

    private static int again(IntSupplier call) {
        return (int) again((LongSupplier) call::getAsInt);
    }

    private static long again(LongSupplier call) {
        long result = -Errno.EINTR;
        for (int i = 1; i < TRIES && result == -Errno.EINTR; i++) {
            result = call.getAsLong();
        }
        return result;
    }
}
