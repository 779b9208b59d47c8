// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import java.util.Optional;

import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.fs.linux.LinuxRingCalls;
import org.treehaul.core.fs.ring.KernelRing;
import org.treehaul.core.fs.ring.RingCalls;
import org.treehaul.core.fs.ring.RingUnavailableException;

/**
 * Whether a kernel provides rings.
 *
 * @param problem the reason against them
 */
record RingSupport(Optional<String> problem) {

    /** The answer of this kernel, which stays the same while the process lives. */
    private static final class Holder {
        static final RingSupport KNOWN = known();

        private static RingSupport known() {
            try {
                Linux.calls();
            } catch (UnsupportedOperationException e) {
                return new RingSupport(Optional.of(String.valueOf(e.getMessage())));
            }
            return test(LinuxRingCalls.calls());
        }
    }

    /** Asks the kernel once. */
    static RingSupport ofThisKernel() {
        return Holder.KNOWN;
    }

    /** Makes a ring, and closes it. */
    static RingSupport test(RingCalls calls) {
        try {
            KernelRing.open(calls, 1, 2, 1).close();
            return new RingSupport(Optional.empty());
        } catch (RingUnavailableException e) {
            return new RingSupport(Optional.of(String.valueOf(e.getMessage())));
        }
    }
}
