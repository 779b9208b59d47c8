// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.treehaul.core.fs.LinuxConstants.O_CREAT;
import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_TMPFILE;
import static org.treehaul.core.fs.LinuxConstants.O_TRUNC;

import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Rejects modifying calls once another worker may have taken over: each call that changes something first checks
 * whether writing is still allowed, and fails with ECANCELED if it is not. Work that others have finished by then stays
 * unchanged. Safe for any number of threads, if the given functions are.
 *
 * <p>
 * A process can be stopped between the check and the call. A caller that must not replace the work of others therefore
 * uses calls that fail if the name exists (O_EXCL, RENAME_NOREPLACE, link), and checks again before any other call.
 */
public final class LeaseCheckedCalls extends InterceptedCalls {

    private static final int REJECTED = -Errno.ECANCELED;
    private static final int CREATING = O_CREAT | O_TRUNC | O_TMPFILE & ~O_DIRECTORY;

    // These change nothing that others could see; openat and openat2 change something with some flags only.
    private static final Set<Call> READING = EnumSet.of(Call.OPENAT, Call.OPENAT2, Call.CLOSE, Call.GETDENTS64,
            Call.STATX, Call.READ, Call.PREAD, Call.LSEEK, Call.READLINKAT, Call.FGETXATTR, Call.LGETXATTR,
            Call.FLISTXATTR, Call.LLISTXATTR, Call.FSYNC, Call.FDATASYNC, Call.SYNCFS, Call.POSIX_FADVISE, Call.FSTATFS,
            Call.OFD_LOCK);

    private final BooleanSupplier mayWrite;
    private final Predicate<MemorySegment> isOwn;

    private LeaseCheckedCalls(FileSystemCalls calls, BooleanSupplier mayWrite, Predicate<MemorySegment> isOwn) {
        super(calls);
        this.mayWrite = mayWrite;
        this.isOwn = isOwn;
    }

    /**
     * Returns calls that are rejected when writing is no longer allowed.
     *
     * @param mayWrite called before each change, so it must be quick; once false, always false
     * @param isOwn whether a name belongs to this worker alone: such a name may always be removed
     */
    public static FileSystemCalls over(FileSystemCalls calls, BooleanSupplier mayWrite,
            Predicate<MemorySegment> isOwn) {
        return new LeaseCheckedCalls(calls, mayWrite, isOwn);
    }

    @Override
    protected long around(Call call, int descriptor, MemorySegment name, LongSupplier made) {
        boolean isAllowed = READING.contains(call) || mayWrite.getAsBoolean()
                || call == Call.UNLINKAT && isOwn.test(name);
        return isAllowed ? made.getAsLong() : REJECTED;
    }

    @Override
    public int openat(int directory, MemorySegment name, int flags, int mode) {
        return (flags & CREATING) == 0 || mayWrite.getAsBoolean()
                ? calls.openat(directory, name, flags, mode)
                : REJECTED;
    }

    @Override
    public int openat2(int directory, MemorySegment name, int flags, int mode, long resolve) {
        return (flags & CREATING) == 0 || mayWrite.getAsBoolean()
                ? calls.openat2(directory, name, flags, mode, resolve)
                : REJECTED;
    }
}
