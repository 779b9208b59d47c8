// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import java.lang.foreign.MemorySegment;

import org.treehaul.core.fs.linux.LinuxRingCalls;
import org.treehaul.core.fs.ring.RingCalls;

/** Calls of this kernel, of which tests change some. */
class DelegatingRingCalls implements RingCalls {

    private final RingCalls calls = LinuxRingCalls.calls();

    @Override
    public int setup(int entries, MemorySegment parameters) {
        return calls.setup(entries, parameters);
    }

    @Override
    public int enter(int ring, int submit, int complete, int flags) {
        return calls.enter(ring, submit, complete, flags);
    }

    @Override
    public int register(int ring, int operation, MemorySegment argument, int count) {
        return calls.register(ring, operation, argument, count);
    }

    @Override
    public long map(int ring, long bytes, long offset) {
        return calls.map(ring, bytes, offset);
    }

    @Override
    public int unmap(long address, long bytes) {
        return calls.unmap(address, bytes);
    }

    @Override
    public MemorySegment memory(long address, long bytes) {
        return calls.memory(address, bytes);
    }

    @Override
    public int eventCounter() {
        return calls.eventCounter();
    }

    @Override
    public int close(int descriptor) {
        return calls.close(descriptor);
    }
}
