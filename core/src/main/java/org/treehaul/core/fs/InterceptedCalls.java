// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;

/** Passes each call through {@link #around}, which decides whether, and how often, the call is made. */
public abstract class InterceptedCalls implements FileSystemCalls {

    /** Passed as the name of a call that has only a descriptor. */
    protected static final MemorySegment NO_NAME = MemorySegment.NULL;

    /** The calls below this decorator. */
    protected final FileSystemCalls calls;

    /** Decorates calls. */
    protected InterceptedCalls(FileSystemCalls calls) {
        this.calls = calls;
    }

    /**
     * Makes a call, or returns a result in its place.
     *
     * @param call the method
     * @param descriptor its first descriptor, or that of the directory that the name starts from
     * @param name its first name; {@link #NO_NAME} if it has only a descriptor
     * @param made makes the call each time it is invoked, and returns the result
     * @return the result: a negative number is a negated errno
     */
    protected abstract long around(Call call, int descriptor, MemorySegment name, LongSupplier made);

    @Override
    public int openat(int directory, MemorySegment name, int flags, int mode) {
        return (int) around(Call.OPENAT, directory, name, () -> calls.openat(directory, name, flags, mode));
    }

    @Override
    public int openat2(int directory, MemorySegment name, int flags, int mode, long resolve) {
        return (int) around(Call.OPENAT2, directory, name, () -> calls.openat2(directory, name, flags, mode, resolve));
    }

    @Override
    public int close(int descriptor) {
        return (int) around(Call.CLOSE, descriptor, NO_NAME, () -> calls.close(descriptor));
    }

    @Override
    public int getdents64(int descriptor, MemorySegment buffer) {
        return (int) around(Call.GETDENTS64, descriptor, NO_NAME, () -> calls.getdents64(descriptor, buffer));
    }

    @Override
    public int statx(int directory, MemorySegment name, int flags, int mask, MemorySegment result) {
        return (int) around(Call.STATX, directory, name, () -> calls.statx(directory, name, flags, mask, result));
    }

    @Override
    public long read(int descriptor, MemorySegment buffer) {
        return around(Call.READ, descriptor, NO_NAME, () -> calls.read(descriptor, buffer));
    }

    @Override
    public long write(int descriptor, MemorySegment buffer) {
        return around(Call.WRITE, descriptor, NO_NAME, () -> calls.write(descriptor, buffer));
    }

    @Override
    public long pread(int descriptor, MemorySegment buffer, long offset) {
        return around(Call.PREAD, descriptor, NO_NAME, () -> calls.pread(descriptor, buffer, offset));
    }

    @Override
    public long pwrite(int descriptor, MemorySegment buffer, long offset) {
        return around(Call.PWRITE, descriptor, NO_NAME, () -> calls.pwrite(descriptor, buffer, offset));
    }

    @Override
    public long lseek(int descriptor, long offset, int whence) {
        return around(Call.LSEEK, descriptor, NO_NAME, () -> calls.lseek(descriptor, offset, whence));
    }

    @Override
    public long copyFileRange(int source, MemorySegment sourceOffset, int destination, MemorySegment destinationOffset,
            long length) {
        return around(Call.COPY_FILE_RANGE, source, NO_NAME,
                () -> calls.copyFileRange(source, sourceOffset, destination, destinationOffset, length));
    }

    @Override
    public int ficlone(int destination, int source) {
        return (int) around(Call.FICLONE, destination, NO_NAME, () -> calls.ficlone(destination, source));
    }

    @Override
    public int fallocate(int descriptor, int mode, long offset, long length) {
        return (int) around(Call.FALLOCATE, descriptor, NO_NAME,
                () -> calls.fallocate(descriptor, mode, offset, length));
    }

    @Override
    public int ftruncate(int descriptor, long size) {
        return (int) around(Call.FTRUNCATE, descriptor, NO_NAME, () -> calls.ftruncate(descriptor, size));
    }

    @Override
    public int linkat(int oldDirectory, MemorySegment oldName, int newDirectory, MemorySegment newName, int flags) {
        return (int) around(Call.LINKAT, oldDirectory, oldName,
                () -> calls.linkat(oldDirectory, oldName, newDirectory, newName, flags));
    }

    @Override
    public int symlinkat(MemorySegment target, int directory, MemorySegment name) {
        return (int) around(Call.SYMLINKAT, directory, name, () -> calls.symlinkat(target, directory, name));
    }

    @Override
    public int readlinkat(int directory, MemorySegment name, MemorySegment buffer) {
        return (int) around(Call.READLINKAT, directory, name, () -> calls.readlinkat(directory, name, buffer));
    }

    @Override
    public int mkdirat(int directory, MemorySegment name, int mode) {
        return (int) around(Call.MKDIRAT, directory, name, () -> calls.mkdirat(directory, name, mode));
    }

    @Override
    public int mknodat(int directory, MemorySegment name, int mode, long device) {
        return (int) around(Call.MKNODAT, directory, name, () -> calls.mknodat(directory, name, mode, device));
    }

    @Override
    public int renameat2(int oldDirectory, MemorySegment oldName, int newDirectory, MemorySegment newName, int flags) {
        return (int) around(Call.RENAMEAT2, oldDirectory, oldName,
                () -> calls.renameat2(oldDirectory, oldName, newDirectory, newName, flags));
    }

    @Override
    public int unlinkat(int directory, MemorySegment name, int flags) {
        return (int) around(Call.UNLINKAT, directory, name, () -> calls.unlinkat(directory, name, flags));
    }

    @Override
    public int fchmod(int descriptor, int mode) {
        return (int) around(Call.FCHMOD, descriptor, NO_NAME, () -> calls.fchmod(descriptor, mode));
    }

    @Override
    public int fchmodat(int directory, MemorySegment name, int mode) {
        return (int) around(Call.FCHMODAT, directory, name, () -> calls.fchmodat(directory, name, mode));
    }

    @Override
    public int fchownat(int directory, MemorySegment name, int uid, int gid, int flags) {
        return (int) around(Call.FCHOWNAT, directory, name, () -> calls.fchownat(directory, name, uid, gid, flags));
    }

    @Override
    public int utimensat(int directory, MemorySegment name, MemorySegment times, int flags) {
        return (int) around(Call.UTIMENSAT, directory, name, () -> calls.utimensat(directory, name, times, flags));
    }

    @Override
    public int futimens(int descriptor, MemorySegment times) {
        return (int) around(Call.FUTIMENS, descriptor, NO_NAME, () -> calls.futimens(descriptor, times));
    }

    @Override
    public long fgetxattr(int descriptor, MemorySegment attribute, MemorySegment value) {
        return around(Call.FGETXATTR, descriptor, NO_NAME, () -> calls.fgetxattr(descriptor, attribute, value));
    }

    @Override
    public long lgetxattr(MemorySegment path, MemorySegment attribute, MemorySegment value) {
        return around(Call.LGETXATTR, LinuxConstants.AT_FDCWD, path, () -> calls.lgetxattr(path, attribute, value));
    }

    @Override
    public int fsetxattr(int descriptor, MemorySegment attribute, MemorySegment value, int flags) {
        return (int) around(Call.FSETXATTR, descriptor, NO_NAME,
                () -> calls.fsetxattr(descriptor, attribute, value, flags));
    }

    @Override
    public int setxattr(MemorySegment path, MemorySegment attribute, MemorySegment value, int flags) {
        return (int) around(Call.SETXATTR, LinuxConstants.AT_FDCWD, path,
                () -> calls.setxattr(path, attribute, value, flags));
    }

    @Override
    public long flistxattr(int descriptor, MemorySegment list) {
        return around(Call.FLISTXATTR, descriptor, NO_NAME, () -> calls.flistxattr(descriptor, list));
    }

    @Override
    public long llistxattr(MemorySegment path, MemorySegment list) {
        return around(Call.LLISTXATTR, LinuxConstants.AT_FDCWD, path, () -> calls.llistxattr(path, list));
    }

    @Override
    public long listxattrat(int directory, MemorySegment name, MemorySegment list) {
        return around(Call.LLISTXATTR, directory, name, () -> calls.listxattrat(directory, name, list));
    }

    @Override
    public int fremovexattr(int descriptor, MemorySegment attribute) {
        return (int) around(Call.FREMOVEXATTR, descriptor, NO_NAME, () -> calls.fremovexattr(descriptor, attribute));
    }

    @Override
    public int removexattr(MemorySegment path, MemorySegment attribute) {
        return (int) around(Call.REMOVEXATTR, LinuxConstants.AT_FDCWD, path, () -> calls.removexattr(path, attribute));
    }

    @Override
    public int fsync(int descriptor) {
        return (int) around(Call.FSYNC, descriptor, NO_NAME, () -> calls.fsync(descriptor));
    }

    @Override
    public int fdatasync(int descriptor) {
        return (int) around(Call.FDATASYNC, descriptor, NO_NAME, () -> calls.fdatasync(descriptor));
    }

    @Override
    public int syncfs(int descriptor) {
        return (int) around(Call.SYNCFS, descriptor, NO_NAME, () -> calls.syncfs(descriptor));
    }

    @Override
    public int posixFadvise(int descriptor, long offset, long length, int advice) {
        return (int) around(Call.POSIX_FADVISE, descriptor, NO_NAME,
                () -> calls.posixFadvise(descriptor, offset, length, advice));
    }

    @Override
    public int fstatfs(int descriptor, MemorySegment result) {
        return (int) around(Call.FSTATFS, descriptor, NO_NAME, () -> calls.fstatfs(descriptor, result));
    }

    @Override
    public int ofdLock(int descriptor, int type) {
        return (int) around(Call.OFD_LOCK, descriptor, NO_NAME, () -> calls.ofdLock(descriptor, type));
    }
}
