// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.treehaul.core.fs.LinuxConstants.O_CREAT;
import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_TMPFILE;
import static org.treehaul.core.fs.LinuxConstants.O_TRUNC;

import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * Keeps one that may have been taken over from changing anything: each call that changes something first asks whether
 * that is still allowed, and fails with ECANCELED when it is not. What others have finished meanwhile stays as it is.
 * Any number of threads may use it, if they may use what it asks.
 *
 * <p>
 * A process can be stopped between the answer and the call. So whoever must not replace what others made uses calls
 * that fail where something stands (O_EXCL, RENAME_NOREPLACE, link), and asks again before any other.
 */
public final class FencedCalls implements FileSystemCalls {

    private static final int FENCED = -Errno.ECANCELED;
    private static final int MAKING = O_CREAT | O_TRUNC | O_TMPFILE & ~O_DIRECTORY;

    private final FileSystemCalls calls;
    private final BooleanSupplier mayWrite;
    private final Predicate<MemorySegment> isOwn;

    private FencedCalls(FileSystemCalls calls, BooleanSupplier mayWrite, Predicate<MemorySegment> isOwn) {
        this.calls = calls;
        this.mayWrite = mayWrite;
        this.isOwn = isOwn;
    }

    /**
     * Returns calls behind a fence.
     *
     * @param mayWrite asked before each change, so it must be quick; once false, always false
     * @param isOwn whether a name is one that nobody else uses: that may always be removed
     */
    public static FileSystemCalls over(FileSystemCalls calls, BooleanSupplier mayWrite,
            Predicate<MemorySegment> isOwn) {
        return new FencedCalls(calls, mayWrite, isOwn);
    }

    private boolean mayWrite() {
        return mayWrite.getAsBoolean();
    }

    @Override
    public int openat(int directory, MemorySegment name, int flags, int mode) {
        return (flags & MAKING) == 0 || mayWrite() ? calls.openat(directory, name, flags, mode) : FENCED;
    }

    @Override
    public int openat2(int directory, MemorySegment name, int flags, int mode, long resolve) {
        return (flags & MAKING) == 0 || mayWrite() ? calls.openat2(directory, name, flags, mode, resolve) : FENCED;
    }

    @Override
    public int close(int descriptor) {
        return calls.close(descriptor);
    }

    @Override
    public int getdents64(int descriptor, MemorySegment buffer) {
        return calls.getdents64(descriptor, buffer);
    }

    @Override
    public int statx(int directory, MemorySegment name, int flags, int mask, MemorySegment result) {
        return calls.statx(directory, name, flags, mask, result);
    }

    @Override
    public long read(int descriptor, MemorySegment buffer) {
        return calls.read(descriptor, buffer);
    }

    @Override
    public long write(int descriptor, MemorySegment buffer) {
        return mayWrite() ? calls.write(descriptor, buffer) : FENCED;
    }

    @Override
    public long pread(int descriptor, MemorySegment buffer, long offset) {
        return calls.pread(descriptor, buffer, offset);
    }

    @Override
    public long pwrite(int descriptor, MemorySegment buffer, long offset) {
        return mayWrite() ? calls.pwrite(descriptor, buffer, offset) : FENCED;
    }

    @Override
    public long lseek(int descriptor, long offset, int whence) {
        return calls.lseek(descriptor, offset, whence);
    }

    @Override
    public long copyFileRange(int source, MemorySegment sourceOffset, int destination, MemorySegment destinationOffset,
            long length) {
        return mayWrite() ? calls.copyFileRange(source, sourceOffset, destination, destinationOffset, length) : FENCED;
    }

    @Override
    public int ficlone(int destination, int source) {
        return mayWrite() ? calls.ficlone(destination, source) : FENCED;
    }

    @Override
    public int fallocate(int descriptor, int mode, long offset, long length) {
        return mayWrite() ? calls.fallocate(descriptor, mode, offset, length) : FENCED;
    }

    @Override
    public int ftruncate(int descriptor, long size) {
        return mayWrite() ? calls.ftruncate(descriptor, size) : FENCED;
    }

    @Override
    public int linkat(int oldDirectory, MemorySegment oldName, int newDirectory, MemorySegment newName, int flags) {
        return mayWrite() ? calls.linkat(oldDirectory, oldName, newDirectory, newName, flags) : FENCED;
    }

    @Override
    public int symlinkat(MemorySegment target, int directory, MemorySegment name) {
        return mayWrite() ? calls.symlinkat(target, directory, name) : FENCED;
    }

    @Override
    public int readlinkat(int directory, MemorySegment name, MemorySegment buffer) {
        return calls.readlinkat(directory, name, buffer);
    }

    @Override
    public int mkdirat(int directory, MemorySegment name, int mode) {
        return mayWrite() ? calls.mkdirat(directory, name, mode) : FENCED;
    }

    @Override
    public int mknodat(int directory, MemorySegment name, int mode, long device) {
        return mayWrite() ? calls.mknodat(directory, name, mode, device) : FENCED;
    }

    @Override
    public int renameat2(int oldDirectory, MemorySegment oldName, int newDirectory, MemorySegment newName, int flags) {
        return mayWrite() ? calls.renameat2(oldDirectory, oldName, newDirectory, newName, flags) : FENCED;
    }

    @Override
    public int unlinkat(int directory, MemorySegment name, int flags) {
        return mayWrite() || isOwn.test(name) ? calls.unlinkat(directory, name, flags) : FENCED;
    }

    @Override
    public int fchmod(int descriptor, int mode) {
        return mayWrite() ? calls.fchmod(descriptor, mode) : FENCED;
    }

    @Override
    public int fchmodat(int directory, MemorySegment name, int mode) {
        return mayWrite() ? calls.fchmodat(directory, name, mode) : FENCED;
    }

    @Override
    public int fchownat(int directory, MemorySegment name, int uid, int gid, int flags) {
        return mayWrite() ? calls.fchownat(directory, name, uid, gid, flags) : FENCED;
    }

    @Override
    public int utimensat(int directory, MemorySegment name, MemorySegment times, int flags) {
        return mayWrite() ? calls.utimensat(directory, name, times, flags) : FENCED;
    }

    @Override
    public int futimens(int descriptor, MemorySegment times) {
        return mayWrite() ? calls.futimens(descriptor, times) : FENCED;
    }

    @Override
    public long fgetxattr(int descriptor, MemorySegment attribute, MemorySegment value) {
        return calls.fgetxattr(descriptor, attribute, value);
    }

    @Override
    public long lgetxattr(MemorySegment path, MemorySegment attribute, MemorySegment value) {
        return calls.lgetxattr(path, attribute, value);
    }

    @Override
    public int fsetxattr(int descriptor, MemorySegment attribute, MemorySegment value, int flags) {
        return mayWrite() ? calls.fsetxattr(descriptor, attribute, value, flags) : FENCED;
    }

    @Override
    public int setxattr(MemorySegment path, MemorySegment attribute, MemorySegment value, int flags) {
        return mayWrite() ? calls.setxattr(path, attribute, value, flags) : FENCED;
    }

    @Override
    public long flistxattr(int descriptor, MemorySegment list) {
        return calls.flistxattr(descriptor, list);
    }

    @Override
    public long llistxattr(MemorySegment path, MemorySegment list) {
        return calls.llistxattr(path, list);
    }

    @Override
    public int fremovexattr(int descriptor, MemorySegment attribute) {
        return mayWrite() ? calls.fremovexattr(descriptor, attribute) : FENCED;
    }

    @Override
    public int removexattr(MemorySegment path, MemorySegment attribute) {
        return mayWrite() ? calls.removexattr(path, attribute) : FENCED;
    }

    @Override
    public int fsync(int descriptor) {
        return calls.fsync(descriptor);
    }

    @Override
    public int fdatasync(int descriptor) {
        return calls.fdatasync(descriptor);
    }

    @Override
    public int syncfs(int descriptor) {
        return calls.syncfs(descriptor);
    }

    @Override
    public int posixFadvise(int descriptor, long offset, long length, int advice) {
        return calls.posixFadvise(descriptor, offset, length, advice);
    }

    @Override
    public int fstatfs(int descriptor, MemorySegment result) {
        return calls.fstatfs(descriptor, result);
    }

    @Override
    public int ofdLock(int descriptor, int type) {
        return calls.ofdLock(descriptor, type);
    }
}
