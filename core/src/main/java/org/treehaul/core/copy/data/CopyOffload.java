// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.data;

import org.treehaul.core.copy.failure.WithdrawnException;
import org.treehaul.core.event.Progress;
import org.treehaul.core.event.RateLimiter;
import org.treehaul.core.storage.SourceFile;
import org.treehaul.core.storage.TargetFile;

/**
 * Lets the store copy between two of its files: if a server holds both, the data do not pass through this machine, and
 * the kernel copies them once instead of twice. Not safe for several threads.
 */
final class CopyOffload {

    // The bytes of one call: a cancellation waits for no more.
    private static final long BYTES = 16L << 20;

    private final RateLimiter limiter;
    private final Progress progress;
    private final CopyControl control;

    // Set once a call has shown that the store cannot copy by itself; this thread does not try again.
    private boolean isLacking;

    CopyOffload(RateLimiter limiter, Progress progress, CopyControl control) {
        this.limiter = limiter;
        this.progress = progress;
        this.control = control;
    }

    /**
     * Copies a range, as far as the store does.
     *
     * @return the number of bytes copied; for the rest, read and write report a more exact error
     */
    long copy(SourceFile source, TargetFile target, long from, long to) throws WithdrawnException {
        long at = from;
        while (at < to && !isLacking) {
            if (control.isStopped()) {
                throw new WithdrawnException();
            }
            long wanted = limiter.portion(Math.min(BYTES, to - at));
            limiter.acquire(wanted, control::isStopped);
            long n = target.copyFrom(source, at, wanted);
            if (n <= 0) {
                isLacking = n == TargetFile.CANNOT;
                break;
            }
            at += n;
            progress.bytesDone(n);
            control.worked(n >> 12);
        }
        return at - from;
    }
}
