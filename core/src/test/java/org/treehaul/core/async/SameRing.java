// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import org.treehaul.core.fs.ring.Ring;
import org.treehaul.core.fs.ring.RingOperation;

/** Passes on all calls. */
class SameRing implements Ring {

    final Ring ring;

    SameRing(Ring ring) {
        this.ring = ring;
    }

    @Override
    public boolean put(RingOperation operation, int descriptor, long address, int length, long offset, int flags,
            long tag) {
        return ring.put(operation, descriptor, address, length, offset, flags, tag);
    }

    @Override
    public int enter(int complete) {
        return ring.enter(complete);
    }

    @Override
    public int reap(Reaper reaper) {
        return ring.reap(reaper);
    }

    @Override
    public int withdraw(int result, Reaper reaper) {
        return ring.withdraw(result, reaper);
    }

    @Override
    public void close() {
        ring.close();
    }
}
