// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/**
 * Makes the kernel refuse a system call to one thread, and to the threads and processes that it starts, as a container
 * does (seccomp(2)).
 */
public final class SystemCallFilter {

    /** The number of io_uring_setup(2), the same on all architectures. */
    public static final int IO_URING_SETUP = 425;

    // linux/prctl.h
    private static final int PR_SET_SECCOMP = 22;
    private static final int PR_SET_NO_NEW_PRIVS = 38;
    // linux/seccomp.h
    private static final int SECCOMP_MODE_FILTER = 2;
    private static final int SECCOMP_RET_ERRNO = 0x0005_0000;
    private static final int SECCOMP_RET_ALLOW = 0x7fff_0000;
    // linux/bpf_common.h: a word at an offset, a comparison with a constant, and the end.
    private static final int LOAD = 0x20;
    private static final int JUMP_IF_EQUAL = 0x15;
    private static final int RETURN = 0x06;

    private static final int STEP_BYTES = 8; // struct sock_filter
    private static final int STEPS = 4;

    private SystemCallFilter() {}

    /**
     * Runs work on a new thread, to which the kernel refuses a system call.
     *
     * @param call its number
     * @param errno the error number that it returns
     */
    public static <T> T without(int call, int errno, Callable<T> work) throws Exception {
        FutureTask<T> task = new FutureTask<>(() -> {
            refuse(call, errno);
            return work.call();
        });
        Thread.ofPlatform().start(task).join();
        return task.get();
    }

    private static void refuse(int call, int errno) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment steps = arena.allocate((long) STEPS * STEP_BYTES, STEP_BYTES);
            step(steps, 0, LOAD, 0, 0); // the number, at the beginning of struct seccomp_data
            step(steps, 1, JUMP_IF_EQUAL, 1, call);
            step(steps, 2, RETURN, 0, SECCOMP_RET_ERRNO | errno);
            step(steps, 3, RETURN, 0, SECCOMP_RET_ALLOW);
            MemorySegment program = arena.allocate(2 * ADDRESS.byteSize(), ADDRESS.byteAlignment()); // struct sock_fprog
            program.set(JAVA_SHORT, 0, (short) STEPS);
            program.set(ADDRESS, ADDRESS.byteSize(), steps);
            MemorySegment prctl = Symbols.function("prctl");
            assertThat(Downcalls.call(prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)).isZero();
            assertThat(Downcalls.call(prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program.address(), 0, 0)).isZero();
        }
    }

    private static void step(MemorySegment steps, int at, int code, int skippedIfDifferent, int value) {
        long offset = (long) at * STEP_BYTES;
        steps.set(JAVA_SHORT, offset, (short) code);
        steps.set(JAVA_BYTE, offset + 3, (byte) skippedIfDifferent);
        steps.set(JAVA_INT, offset + 4, value);
    }
}
