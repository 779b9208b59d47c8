// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.fs.linux.LinuxRingCalls;
import org.treehaul.core.fs.ring.KernelRing;
import org.treehaul.core.fs.ring.RingCalls;
import org.treehaul.core.fs.ring.RingOperation;
import org.treehaul.core.fs.ring.RingUnavailableException;

/**
 * Whether a kernel provides rings.
 *
 * @param problem the reason against them
 * @param isLasting whether the answer stays the same while the process lives
 */
record RingSupport(Optional<String> problem, boolean isLasting) {

    private static volatile @Nullable RingSupport known;

    /** Asks the kernel, once if its answer is lasting. */
    static RingSupport ofThisKernel() {
        RingSupport before = known;
        if (before != null) {
            return before;
        }
        RingSupport now;
        try {
            Linux.calls();
            now = test(LinuxRingCalls.calls());
        } catch (UnsupportedOperationException e) {
            now = new RingSupport(Optional.of(String.valueOf(e.getMessage())), true);
        }
        if (now.isLasting) {
            known = now;
        }
        return now;
    }

    /** Makes a ring, uses it once, and closes it: a filter may refuse only some of the system calls. */
    static RingSupport test(RingCalls calls) {
        try (KernelRing ring = KernelRing.open(calls, 1, 2, 1)) {
            ring.put(RingOperation.NOP, -1, 0, 0, 0, 0, 0);
            int result = ring.enter(1);
            if (result < 0) {
                throw new RingUnavailableException("io_uring_enter", -result);
            }
            return new RingSupport(Optional.empty(), true);
        } catch (RingUnavailableException e) {
            boolean isLasting = switch (e.errno()) {
                case Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM, Errno.EAGAIN, Errno.EINTR -> false;
                default -> true;
            };
            return new RingSupport(Optional.of(String.valueOf(e.getMessage())), isLasting);
        }
    }
}
