// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.ring;

import java.lang.foreign.MemorySegment;

/**
 * The system calls of io_uring(7). Results follow the convention of {@link org.treehaul.core.fs.FileSystemCalls}: less
 * than zero is {@code -errno}. Safe for any number of threads.
 */
public interface RingCalls {

    /** io_uring_setup(2): reads and fills {@code struct io_uring_params}. Returns the descriptor of a ring. */
    int setup(int entries, MemorySegment parameters);

    /**
     * io_uring_enter(2).
     *
     * @param submit the number of requests that the kernel shall take
     * @param complete the number of results to wait for
     * @return the number of requests that the kernel took
     */
    int enter(int ring, int submit, int complete, int flags);

    /** io_uring_register(2). */
    int register(int ring, int operation, MemorySegment argument, int count);

    /** mmap(2): maps a part of a ring for reading and writing, shared with the kernel. Returns its address. */
    long map(int ring, long bytes, long offset);

    /** munmap(2). */
    int unmap(long address, long bytes);

    /** Returns mapped memory as a segment; the caller must not use it after {@link #unmap}. */
    MemorySegment memory(long address, long bytes);

    /** eventfd(2), closed by exec(3). Returns the descriptor of a counter that is 0. */
    int eventCounter();

    /** close(2). */
    int close(int descriptor);
}
