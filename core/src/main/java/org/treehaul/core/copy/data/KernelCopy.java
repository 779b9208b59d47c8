// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.data;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.treehaul.core.copy.failure.WithdrawnException;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileAccess;

/**
 * Asks the kernel to copy between files on the same file system: if a server holds both, the data do not pass through
 * this machine, and otherwise they are copied once instead of twice. Not safe for several threads.
 */
final class KernelCopy {

    // The bytes of one call: a cancellation waits for no more.
    private static final long BYTES = 16L << 20;

    private final RateLimiter limiter;
    private final Progress progress;
    private final FileAccess access;
    private final StopSign stop;

    // Once a call has shown that the feature is missing, this thread does not try again.
    private boolean isLacking;

    KernelCopy(RateLimiter limiter, Progress progress, FileAccess access, StopSign stop) {
        this.limiter = limiter;
        this.progress = progress;
        this.access = access;
        this.stop = stop;
    }

    /**
     * Copies a range, as far as the kernel does.
     *
     * @return the number of bytes copied; for the rest, read and write report a more exact error
     */
    long copy(int source, int target, long from, long to) throws WithdrawnException {
        MemorySegment offsets = access.offsets();
        offsets.set(ValueLayout.JAVA_LONG, 0, from);
        offsets.set(ValueLayout.JAVA_LONG, 8, from);
        long at = from;
        while (at < to && !isLacking) {
            if (stop.isStopped()) {
                throw new WithdrawnException();
            }
            long wanted = limiter.portion(Math.min(BYTES, to - at));
            limiter.acquire(wanted, stop);
            long n = access.calls().copyFileRange(source, offsets.asSlice(0, 8), target, offsets.asSlice(8, 8), wanted);
            if (n <= 0) {
                isLacking = n < 0 && FileSystemPairs.isLack((int) n);
                break;
            }
            at += n;
            progress.bytesDone(n);
            stop.worked(n >> 12);
        }
        return at - from;
    }
}
