// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.ring;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Where the parts of a ring are, as the kernel has filled {@code struct io_uring_params} of linux/io_uring.h. Offsets
 * are in bytes from the beginning of the mapping that both queues share.
 *
 * @param submissions requests that the queue of requests holds, a power of two
 * @param completions results that the queue of results holds, a power of two
 * @param submissionHead the kernel's position in the queue of requests
 * @param submissionTail the position of this process in it
 * @param submissionFlags flags that the kernel sets
 * @param submissionArray the indexes of requests
 * @param completionHead the position of this process in the queue of results
 * @param completionTail the kernel's position in it
 * @param completionEntries the results
 */
record RingLayout(int submissions, int completions, int submissionHead, int submissionTail, int submissionFlags,
        int submissionArray, int completionHead, int completionTail, int completionEntries) {

    static final int REQUEST_BYTES = 64; // struct io_uring_sqe
    static final int RESULT_BYTES = 16; // struct io_uring_cqe

    private static final int PARAMETER_BYTES = 120;
    private static final int FLAGS = 8;
    private static final int COMPLETIONS = 4;
    private static final int FEATURES = 20;
    private static final int SUBMISSION_OFFSETS = 40; // struct io_sqring_offsets
    private static final int COMPLETION_OFFSETS = 80; // struct io_cqring_offsets

    private static final int SETUP_CQSIZE = 1 << 3;
    private static final int SETUP_CLAMP = 1 << 4;
    private static final int SETUP_SUBMIT_ALL = 1 << 7;
    private static final int SETUP_SINGLE_ISSUER = 1 << 12;
    private static final int SETUP_DEFER_TASKRUN = 1 << 13;

    /** The flags of setup, the first that the kernel knows apply: those of Linux 6.1, then those of 5.6. */
    static final int[] SETUPS = {
            SETUP_CQSIZE | SETUP_CLAMP | SETUP_SUBMIT_ALL | SETUP_SINGLE_ISSUER | SETUP_DEFER_TASKRUN,
            SETUP_CQSIZE | SETUP_CLAMP};

    // IORING_FEAT_SINGLE_MMAP and IORING_FEAT_NODROP, of Linux 5.4 and 5.5.
    private static final int NEEDED_FEATURES = 1 | 1 << 1;

    /** Returns the parameters of a setup. */
    static MemorySegment parameters(Arena arena, int completions, int flags) {
        MemorySegment parameters = arena.allocate(PARAMETER_BYTES, 8);
        parameters.set(JAVA_INT, COMPLETIONS, completions);
        parameters.set(JAVA_INT, FLAGS, flags);
        return parameters;
    }

    /** Reads the parameters that the kernel has filled. */
    static RingLayout read(MemorySegment filled) throws RingUnavailableException {
        if ((filled.get(JAVA_INT, FEATURES) & NEEDED_FEATURES) != NEEDED_FEATURES) {
            throw new RingUnavailableException("the kernel is older than Linux 5.5");
        }
        int sent = SUBMISSION_OFFSETS;
        int received = COMPLETION_OFFSETS;
        return new RingLayout(filled.get(JAVA_INT, 0), filled.get(JAVA_INT, COMPLETIONS), filled.get(JAVA_INT, sent),
                filled.get(JAVA_INT, sent + 4), filled.get(JAVA_INT, sent + 16), filled.get(JAVA_INT, sent + 24),
                filled.get(JAVA_INT, received), filled.get(JAVA_INT, received + 4),
                filled.get(JAVA_INT, received + 20));
    }

    /** Returns the size of the mapping of both queues. */
    long queueBytes() {
        return Math.max(submissionArray + submissions * (long) Integer.BYTES,
                completionEntries + completions * (long) RESULT_BYTES);
    }

    /** Returns the size of the mapping of the requests. */
    long requestBytes() {
        return submissions * (long) REQUEST_BYTES;
    }
}
