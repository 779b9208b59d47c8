// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.ring;

/**
 * A pair of queues: requests to the kernel, and its results. For one thread, which must live until the last result was
 * reaped: the kernel cancels the requests of a thread that ends.
 *
 * <p>
 * The memory at the addresses of a request, and its descriptor, must remain valid until its result was reaped.
 */
public interface Ring extends AutoCloseable {

    /** Receives results. */
    @FunctionalInterface
    interface Reaper {
        /**
         * Takes a result.
         *
         * @param tag the tag of the request
         * @param result zero or more, or {@code -errno}
         */
        void reaped(long tag, int result);
    }

    /**
     * Puts a request; the kernel takes it in {@link #enter}. The meaning of the numbers is that of {@code struct
     * io_uring_sqe}.
     *
     * @return whether there was room
     */
    boolean put(RingOperation operation, int descriptor, long address, int length, long offset, int flags, long tag);

    /**
     * Lets the kernel take the requests. It keeps results for which the queue has no room, until there is room.
     *
     * @param complete the number of results to wait for
     * @return the number of requests that it took, or {@code -errno}
     */
    int enter(int complete);

    /** Removes all available results and passes them on. Returns their number. */
    int reap(Reaper reaper);

    /** Removes the requests that the kernel has not taken; passes each on with this result. Returns their number. */
    int withdraw(int result, Reaper reaper);

    /** Releases the ring. Requests without results may still be carried out, now or later. */
    @Override
    void close();
}
