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
        int tries = 0;
        long answer;
        do {
            answer = made.getAsLong();
        } while (answer < 0 && repeats(call, answer, ++tries));
        return answer;
    }

    private static boolean repeats(Call call, long answer, int tries) {
        if (answer == -Errno.EINTR) {
            return tries < INTERRUPTED_TRIES && call != Call.CLOSE;
        }
        return tries < TRIES && Errno.mayPass((int) -answer) && changesNothing(call);
    }

    // The calls of each entry and each file are made without an object for each call.

    // EAGAIN is often a lease, for which FileAccess waits.
    @Override
    public int openat(int directory, MemorySegment name, int flags, int mode) {
        int tries = 0;
        int answer;
        do {
            answer = calls.openat(directory, name, flags, mode);
        } while (answer < 0 && (repeats(Call.OPENAT, answer, ++tries)
                || answer == -Errno.ESTALE && tries < TRIES && (flags & CREATES) == 0));
        return answer;
    }

    // Linux has closed the descriptor even if a signal interrupts the call.
    @Override
    public int close(int descriptor) {
        return calls.close(descriptor);
    }

    @Override
    public void closeQuietly(int descriptor) {
        calls.closeQuietly(descriptor);
    }

    @Override
    public int statx(int directory, MemorySegment name, int flags, int mask, MemorySegment result) {
        int tries = 0;
        int answer;
        do {
            answer = calls.statx(directory, name, flags, mask, result);
        } while (answer < 0 && repeats(Call.STATX, answer, ++tries));
        return answer;
    }

    // A call that failed is made again by itself.
    @Override
    public void statxEach(int directory, MemorySegment names, int[] starts, int count, int flags, int mask,
            MemorySegment results, int[] answers) {
        calls.statxEach(directory, names, starts, count, flags, mask, results, answers);
    }

    @Override
    public int getdents64(int descriptor, MemorySegment buffer) {
        int tries = 0;
        int answer;
        do {
            answer = calls.getdents64(descriptor, buffer);
        } while (answer < 0 && repeats(Call.GETDENTS64, answer, ++tries));
        return answer;
    }

    @Override
    public int fstatfs(int descriptor, MemorySegment result) {
        int tries = 0;
        int answer;
        do {
            answer = calls.fstatfs(descriptor, result);
        } while (answer < 0 && repeats(Call.FSTATFS, answer, ++tries));
        return answer;
    }

    @Override
    public long read(int descriptor, MemorySegment buffer) {
        long answer = calls.read(descriptor, buffer);
        return answer == -Errno.EINTR ? super.read(descriptor, buffer) : answer;
    }

    @Override
    public long write(int descriptor, MemorySegment buffer) {
        long answer = calls.write(descriptor, buffer);
        return answer == -Errno.EINTR ? super.write(descriptor, buffer) : answer;
    }

    @Override
    public long pread(int descriptor, MemorySegment buffer, long offset) {
        long answer = calls.pread(descriptor, buffer, offset);
        return answer == -Errno.EINTR ? super.pread(descriptor, buffer, offset) : answer;
    }

    @Override
    public int unlinkat(int directory, MemorySegment name, int flags) {
        int answer = calls.unlinkat(directory, name, flags);
        return answer == -Errno.EINTR ? super.unlinkat(directory, name, flags) : answer;
    }

    @Override
    public long flistxattr(int descriptor, MemorySegment list) {
        int tries = 0;
        long answer;
        do {
            answer = calls.flistxattr(descriptor, list);
        } while (answer < 0 && repeats(Call.FLISTXATTR, answer, ++tries));
        return answer;
    }

    @Override
    public long listxattrat(int directory, MemorySegment name, MemorySegment list) {
        int tries = 0;
        long answer;
        do {
            answer = calls.listxattrat(directory, name, list);
        } while (answer < 0 && repeats(Call.LLISTXATTR, answer, ++tries));
        return answer;
    }

    @Override
    public int futimens(int descriptor, MemorySegment times) {
        int answer = calls.futimens(descriptor, times);
        return answer == -Errno.EINTR ? super.futimens(descriptor, times) : answer;
    }

    // Reads of data are not included: only the caller knows the offset at which to repeat them.
    private static boolean changesNothing(Call call) {
        return switch (call) {
            case STATX, READLINKAT, GETDENTS64, FGETXATTR, LGETXATTR, FLISTXATTR, LLISTXATTR, FSTATFS -> true;
            default -> false;
        };
    }
}
