// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.lang.foreign.MemorySegment;
import java.util.List;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FaultState.Verdict;

/** The calls of {@link FaultInjectingCalls}: each asks the rules first, then passes on. */
abstract sealed class FaultDecorator implements FileSystemCalls permits FaultInjectingCalls {

    private final FileSystemCalls calls;
    private final FaultState state;

    FaultDecorator(FileSystemCalls calls, FaultState state) {
        this.calls = calls;
        this.state = state;
    }

    private Verdict on(Call call, int descriptor) {
        return state.meet(call, descriptor, List.of(state.name(descriptor)));
    }

    private Verdict on(Call call, int descriptor, int other) {
        return state.meet(call, descriptor, List.of(state.name(descriptor), state.name(other)));
    }

    private Verdict named(Call call, int directory, MemorySegment name) {
        return state.meet(call, directory, List.of(state.name(directory, name)));
    }

    private Verdict named(Call call, int directory, MemorySegment name, int otherDirectory, MemorySegment otherName) {
        return state.meet(call, directory, List.of(state.name(directory, name), state.name(otherDirectory, otherName)));
    }

    @Override
    public int openat(int directory, MemorySegment name, int flags, int mode) {
        ByteString opened = state.nameToOpen(directory, name, flags);
        Verdict verdict = state.meet(Call.OPENAT, directory, List.of(opened));
        return verdict.isFixed()
                ? (int) verdict.result()
                : state.opened(calls.openat(directory, name, flags, mode), opened);
    }

    @Override
    public int openat2(int directory, MemorySegment name, int flags, int mode, long resolve) {
        ByteString opened = state.nameToOpen(directory, name, flags);
        Verdict verdict = state.meet(Call.OPENAT2, directory, List.of(opened));
        return verdict.isFixed()
                ? (int) verdict.result()
                : state.opened(calls.openat2(directory, name, flags, mode, resolve), opened);
    }

    @Override
    public int close(int descriptor) {
        Verdict verdict = on(Call.CLOSE, descriptor);
        state.closing(descriptor);
        int result = calls.close(descriptor);
        return verdict.isFixed() ? (int) verdict.result() : result;
    }

    @Override
    public int getdents64(int descriptor, MemorySegment buffer) {
        Verdict verdict = on(Call.GETDENTS64, descriptor);
        Fault.ListingEnd end = verdict.listingEnd();
        if (verdict.isFixed() || end == null) {
            return verdict.isFixed() ? (int) verdict.result() : calls.getdents64(descriptor, verdict.limited(buffer));
        }
        int left = state.entriesLeft(descriptor, end);
        int filled = left <= 0 ? -end.errno() : calls.getdents64(descriptor, verdict.limited(buffer));
        return filled <= 0 ? filled : state.cut(descriptor, buffer, filled, left);
    }

    @Override
    public int statx(int directory, MemorySegment name, int flags, int mask, MemorySegment result) {
        Verdict verdict = named(Call.STATX, directory, name);
        return verdict.isFixed() ? (int) verdict.result() : calls.statx(directory, name, flags, mask, result);
    }

    @Override
    public long read(int descriptor, MemorySegment buffer) {
        Verdict verdict = on(Call.READ, descriptor);
        return verdict.isFixed() ? verdict.result() : calls.read(descriptor, verdict.limited(buffer));
    }

    @Override
    public long write(int descriptor, MemorySegment buffer) {
        Verdict verdict = on(Call.WRITE, descriptor);
        return verdict.isFixed() ? verdict.result() : calls.write(descriptor, verdict.limited(buffer));
    }

    @Override
    public long pread(int descriptor, MemorySegment buffer, long offset) {
        Verdict verdict = on(Call.PREAD, descriptor);
        return verdict.isFixed() ? verdict.result() : calls.pread(descriptor, verdict.limited(buffer), offset);
    }

    @Override
    public long pwrite(int descriptor, MemorySegment buffer, long offset) {
        Verdict verdict = on(Call.PWRITE, descriptor);
        return verdict.isFixed() ? verdict.result() : calls.pwrite(descriptor, verdict.limited(buffer), offset);
    }

    @Override
    public long lseek(int descriptor, long offset, int whence) {
        Verdict verdict = on(Call.LSEEK, descriptor);
        return verdict.isFixed() ? verdict.result() : calls.lseek(descriptor, offset, whence);
    }

    @Override
    public long copyFileRange(int source, MemorySegment sourceOffset, int destination, MemorySegment destinationOffset,
            long length) {
        Verdict verdict = on(Call.COPY_FILE_RANGE, source, destination);
        return verdict.isFixed()
                ? verdict.result()
                : calls.copyFileRange(source, sourceOffset, destination, destinationOffset,
                        Math.min(length, verdict.limit()));
    }

    @Override
    public int ficlone(int destination, int source) {
        Verdict verdict = on(Call.FICLONE, destination, source);
        return verdict.isFixed() ? (int) verdict.result() : calls.ficlone(destination, source);
    }

    @Override
    public int fallocate(int descriptor, int mode, long offset, long length) {
        Verdict verdict = on(Call.FALLOCATE, descriptor);
        return verdict.isFixed() ? (int) verdict.result() : calls.fallocate(descriptor, mode, offset, length);
    }

    @Override
    public int ftruncate(int descriptor, long size) {
        Verdict verdict = on(Call.FTRUNCATE, descriptor);
        return verdict.isFixed() ? (int) verdict.result() : calls.ftruncate(descriptor, size);
    }

    @Override
    public int linkat(int oldDirectory, MemorySegment oldName, int newDirectory, MemorySegment newName, int flags) {
        Verdict verdict = named(Call.LINKAT, oldDirectory, oldName, newDirectory, newName);
        return verdict.isFixed()
                ? (int) verdict.result()
                : calls.linkat(oldDirectory, oldName, newDirectory, newName, flags);
    }

    @Override
    public int symlinkat(MemorySegment target, int directory, MemorySegment name) {
        Verdict verdict = named(Call.SYMLINKAT, directory, name);
        return verdict.isFixed() ? (int) verdict.result() : calls.symlinkat(target, directory, name);
    }

    @Override
    public int readlinkat(int directory, MemorySegment name, MemorySegment buffer) {
        Verdict verdict = named(Call.READLINKAT, directory, name);
        return verdict.isFixed() ? (int) verdict.result() : calls.readlinkat(directory, name, buffer);
    }

    @Override
    public int mkdirat(int directory, MemorySegment name, int mode) {
        Verdict verdict = named(Call.MKDIRAT, directory, name);
        return verdict.isFixed() ? (int) verdict.result() : calls.mkdirat(directory, name, mode);
    }

    @Override
    public int mknodat(int directory, MemorySegment name, int mode, long device) {
        Verdict verdict = named(Call.MKNODAT, directory, name);
        return verdict.isFixed() ? (int) verdict.result() : calls.mknodat(directory, name, mode, device);
    }

    @Override
    public int renameat2(int oldDirectory, MemorySegment oldName, int newDirectory, MemorySegment newName, int flags) {
        Verdict verdict = named(Call.RENAMEAT2, oldDirectory, oldName, newDirectory, newName);
        return verdict.isFixed()
                ? (int) verdict.result()
                : calls.renameat2(oldDirectory, oldName, newDirectory, newName, flags);
    }

    @Override
    public int unlinkat(int directory, MemorySegment name, int flags) {
        Verdict verdict = named(Call.UNLINKAT, directory, name);
        return verdict.isFixed() ? (int) verdict.result() : calls.unlinkat(directory, name, flags);
    }

    @Override
    public int fchmod(int descriptor, int mode) {
        Verdict verdict = on(Call.FCHMOD, descriptor);
        return verdict.isFixed() ? (int) verdict.result() : calls.fchmod(descriptor, mode);
    }

    @Override
    public int fchmodat(int directory, MemorySegment name, int mode) {
        Verdict verdict = named(Call.FCHMODAT, directory, name);
        return verdict.isFixed() ? (int) verdict.result() : calls.fchmodat(directory, name, mode);
    }

    @Override
    public int fchownat(int directory, MemorySegment name, int uid, int gid, int flags) {
        Verdict verdict = named(Call.FCHOWNAT, directory, name);
        return verdict.isFixed() ? (int) verdict.result() : calls.fchownat(directory, name, uid, gid, flags);
    }

    @Override
    public int utimensat(int directory, MemorySegment name, MemorySegment times, int flags) {
        Verdict verdict = named(Call.UTIMENSAT, directory, name);
        return verdict.isFixed() ? (int) verdict.result() : calls.utimensat(directory, name, times, flags);
    }

    @Override
    public int futimens(int descriptor, MemorySegment times) {
        Verdict verdict = on(Call.FUTIMENS, descriptor);
        return verdict.isFixed() ? (int) verdict.result() : calls.futimens(descriptor, times);
    }

    @Override
    public long fgetxattr(int descriptor, MemorySegment attribute, MemorySegment value) {
        Verdict verdict = on(Call.FGETXATTR, descriptor);
        return verdict.isFixed() ? verdict.result() : calls.fgetxattr(descriptor, attribute, value);
    }

    @Override
    public long lgetxattr(MemorySegment path, MemorySegment attribute, MemorySegment value) {
        Verdict verdict = named(Call.LGETXATTR, LinuxConstants.AT_FDCWD, path);
        return verdict.isFixed() ? verdict.result() : calls.lgetxattr(path, attribute, value);
    }

    @Override
    public int fsetxattr(int descriptor, MemorySegment attribute, MemorySegment value, int flags) {
        Verdict verdict = on(Call.FSETXATTR, descriptor);
        return verdict.isFixed() ? (int) verdict.result() : calls.fsetxattr(descriptor, attribute, value, flags);
    }

    @Override
    public int setxattr(MemorySegment path, MemorySegment attribute, MemorySegment value, int flags) {
        Verdict verdict = named(Call.SETXATTR, LinuxConstants.AT_FDCWD, path);
        return verdict.isFixed() ? (int) verdict.result() : calls.setxattr(path, attribute, value, flags);
    }

    @Override
    public long flistxattr(int descriptor, MemorySegment list) {
        Verdict verdict = on(Call.FLISTXATTR, descriptor);
        return verdict.isFixed() ? verdict.result() : calls.flistxattr(descriptor, list);
    }

    @Override
    public long llistxattr(MemorySegment path, MemorySegment list) {
        Verdict verdict = named(Call.LLISTXATTR, LinuxConstants.AT_FDCWD, path);
        return verdict.isFixed() ? verdict.result() : calls.llistxattr(path, list);
    }

    @Override
    public int fremovexattr(int descriptor, MemorySegment attribute) {
        Verdict verdict = on(Call.FREMOVEXATTR, descriptor);
        return verdict.isFixed() ? (int) verdict.result() : calls.fremovexattr(descriptor, attribute);
    }

    @Override
    public int removexattr(MemorySegment path, MemorySegment attribute) {
        Verdict verdict = named(Call.REMOVEXATTR, LinuxConstants.AT_FDCWD, path);
        return verdict.isFixed() ? (int) verdict.result() : calls.removexattr(path, attribute);
    }

    @Override
    public int fsync(int descriptor) {
        Verdict verdict = on(Call.FSYNC, descriptor);
        return verdict.isFixed() ? (int) verdict.result() : calls.fsync(descriptor);
    }

    @Override
    public int fdatasync(int descriptor) {
        Verdict verdict = on(Call.FDATASYNC, descriptor);
        return verdict.isFixed() ? (int) verdict.result() : calls.fdatasync(descriptor);
    }

    @Override
    public int syncfs(int descriptor) {
        Verdict verdict = on(Call.SYNCFS, descriptor);
        return verdict.isFixed() ? (int) verdict.result() : calls.syncfs(descriptor);
    }

    @Override
    public int posixFadvise(int descriptor, long offset, long length, int advice) {
        Verdict verdict = on(Call.POSIX_FADVISE, descriptor);
        return verdict.isFixed() ? (int) verdict.result() : calls.posixFadvise(descriptor, offset, length, advice);
    }

    @Override
    public int fstatfs(int descriptor, MemorySegment result) {
        Verdict verdict = on(Call.FSTATFS, descriptor);
        return verdict.isFixed() ? (int) verdict.result() : calls.fstatfs(descriptor, result);
    }

    @Override
    public int ofdLock(int descriptor, int type) {
        Verdict verdict = on(Call.OFD_LOCK, descriptor);
        return verdict.isFixed() ? (int) verdict.result() : calls.ofdLock(descriptor, type);
    }
}
