// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.treehaul.core.fs.LinuxConstants.O_CREAT;
import static org.treehaul.core.fs.LinuxConstants.O_TMPFILE;

import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;

/**
 * Repeats calls that a signal interrupted (EINTR), as happens on network and user-space file systems. Only close is
 * never repeated: Linux has closed the descriptor, and its number may already be another thread's file. Calls that
 * change nothing are also repeated after other {@linkplain Errno#mayPass errors that may be transient}.
 */
final class RepeatingCalls extends InterceptedCalls {

    /** The number of attempts at a call that changes nothing; the error of the last one is final. */
    static final int TRIES = 4;

    // Signals are rare, so a lasting EINTR is not an interruption but a fault of the file system.
    private static final int INTERRUPTED_TRIES = 100;

    // O_TMPFILE includes O_DIRECTORY.
    private static final int CREATES = O_CREAT | O_TMPFILE & ~LinuxConstants.O_DIRECTORY;

    private RepeatingCalls(FileSystemCalls calls) {
        super(calls);
    }

    static FileSystemCalls over(FileSystemCalls calls) {
        return calls instanceof RepeatingCalls ? calls : new RepeatingCalls(calls);
    }

    @Override
    protected long around(Call call, int descriptor, MemorySegment name, LongSupplier made) {
        long answer = made.getAsLong();
        for (int i = 1; i < INTERRUPTED_TRIES && answer == -Errno.EINTR && call != Call.CLOSE; i++) {
            answer = made.getAsLong();
        }
        for (int i = 1; i < TRIES && answer < 0 && Errno.mayPass((int) -answer) && changesNothing(call); i++) {
            answer = made.getAsLong();
        }
        return answer;
    }

    // EAGAIN of an open is often a lease, for which FileAccess waits.
    @Override
    public int openat(int directory, MemorySegment name, int flags, int mode) {
        int answer = super.openat(directory, name, flags, mode);
        for (int i = 1; i < TRIES && answer == -Errno.ESTALE && (flags & CREATES) == 0; i++) {
            answer = super.openat(directory, name, flags, mode);
        }
        return answer;
    }

    // Reads of data are not included: only the caller knows the offset at which to repeat them.
    private static boolean changesNothing(Call call) {
        return switch (call) {
            case STATX, READLINKAT, GETDENTS64, FGETXATTR, LGETXATTR, FLISTXATTR, LLISTXATTR, FSTATFS -> true;
            default -> false;
        };
    }
}
