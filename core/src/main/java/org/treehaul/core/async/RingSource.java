// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;

import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.fs.ring.KernelRing;
import org.treehaul.core.fs.ring.Ring;
import org.treehaul.core.fs.ring.RingCalls;
import org.treehaul.core.fs.ring.RingUnavailableException;

/** Makes rings, and the counters by which their threads are woken. */
interface RingSource {

    /** Makes a ring for the calling thread. */
    Ring open() throws RingUnavailableException;

    /** Makes a counter. Returns its descriptor, or {@code -errno}. */
    int counter();

    /** Adds to a counter. */
    void wake(int counter);

    /** Closes a counter or a file. Returns 0, or {@code -errno}. */
    int close(int descriptor);

    /** Pauses the thread of a ring after the kernel lacked memory for a request. */
    default void pause() {
        LockSupport.parkNanos(1_000_000);
    }

    /**
     * Makes rings of the kernel.
     *
     * @param depth the most requests at once
     */
    static RingSource of(RingCalls calls, int depth, int workers) {
        return new KernelSource(calls, depth, workers);
    }

    /** The rings of the kernel. Tests that make calls on files fail must not fail those on counters. */
    record KernelSource(RingCalls calls, int depth, int workers) implements RingSource {

        // More requests than these between two calls of the kernel gain nothing.
        private static final int SUBMISSIONS = 64;

        private static final FileSystemCalls FILES = Linux.calls();
        private static final MemorySegment ONE = Arena.global().allocateFrom(JAVA_LONG, 1);

        @Override
        public Ring open() throws RingUnavailableException {
            int completions = depth + 1; // and the counter
            return KernelRing.open(calls, Math.min(SUBMISSIONS, completions), completions, workers);
        }

        @Override
        public int counter() {
            return calls.eventCounter();
        }

        @Override
        public void wake(int counter) {
            FILES.write(counter, ONE);
        }

        @Override
        public int close(int descriptor) {
            return calls.close(descriptor);
        }
    }
}
