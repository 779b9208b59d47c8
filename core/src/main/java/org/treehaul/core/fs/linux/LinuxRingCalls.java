// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.linux;

import static org.treehaul.core.fs.linux.Downcalls.address;
import static org.treehaul.core.fs.linux.Downcalls.kept;

import java.lang.foreign.MemorySegment;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.ring.RingCalls;

/**
 * The system calls of io_uring, all through syscall(2) by one call shape, which is linked at the first of them. The C
 * library has no functions for the first three.
 */
@Internal
public final class LinuxRingCalls implements RingCalls {

    // asm/unistd_64.h and asm-generic/unistd.h; from 424 on the numbers are the same on all architectures.
    private static final boolean IS_AARCH64 = System.getProperty("os.arch").equals("aarch64");
    private static final long MMAP = IS_AARCH64 ? 222 : 9;
    private static final long MUNMAP = IS_AARCH64 ? 215 : 11;
    private static final long EVENTFD2 = IS_AARCH64 ? 19 : 290;
    private static final long SETUP = 425;
    private static final long ENTER = 426;
    private static final long REGISTER = 427;

    private static final int PROT_READ_WRITE = 1 | 2; // asm-generic/mman-common.h
    private static final int MAP_SHARED_POPULATE = 0x01 | 0x8000;

    private static final MemorySegment SYSCALL = Symbols.function("syscall");
    private static final LinuxRingCalls CALLS = new LinuxRingCalls();

    private LinuxRingCalls() {}

    /** Returns the calls; always the same object. To be used where {@link Linux#calls()} does not throw. */
    public static RingCalls calls() {
        return CALLS;
    }

    @Override
    public int setup(int entries, MemorySegment parameters) {
        return (int) kept(call(SETUP, entries, address(parameters), 0, 0, 0, 0), parameters);
    }

    // No set of signals: the mask of the thread remains.
    @Override
    public int enter(int ring, int submit, int complete, int flags) {
        return (int) call(ENTER, ring, submit, complete, flags, 0, 0);
    }

    @Override
    public int register(int ring, int operation, MemorySegment argument, int count) {
        return (int) kept(call(REGISTER, ring, operation, address(argument), count, 0, 0), argument);
    }

    @Override
    public long map(int ring, long bytes, long offset) {
        return call(MMAP, 0, bytes, PROT_READ_WRITE, MAP_SHARED_POPULATE, ring, offset);
    }

    @Override
    public int unmap(long address, long bytes) {
        return (int) call(MUNMAP, address, bytes, 0, 0, 0, 0);
    }

    @Override
    @SuppressWarnings("restricted") // memory that map returned
    public MemorySegment memory(long address, long bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    @Override
    public int eventCounter() {
        return (int) call(EVENTFD2, 0, LinuxConstants.O_CLOEXEC, 0, 0, 0, 0);
    }

    @Override
    public int close(int descriptor) {
        return Linux.calls().close(descriptor);
    }

    private static long call(long number, long a, long b, long c, long d, long e, long f) {
        return Downcalls.callLong(SYSCALL, number, a, b, c, d, e, f);
    }
}
