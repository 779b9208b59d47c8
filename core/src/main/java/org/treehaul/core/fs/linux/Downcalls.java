// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;
import java.util.Arrays;

import org.treehaul.core.fs.Errno;

/**
 * The shapes of call that all functions share, and the errno of each thread.
 *
 * <p>
 * Every shape costs 15 to 20 ms when the JVM starts, so there is one, {@code long f(long, long, long, long, long)},
 * that takes the function's address as its first argument. It fits every function of C that takes up to five integers
 * or pointers: both ABIs (System V for x86-64, AAPCS64) pass those in registers of 64 bits of which a callee reads the
 * part that its own type has, and it ignores registers that it did not ask for. The result comes back in such a
 * register too: for a function that returns {@code int} the upper half is undefined, and a -1 looks like 4294967295. So
 * {@link #call} narrows before it compares, and {@link #callLong} is for {@code ssize_t} and {@code off_t}.
 *
 * <p>
 * Variadic functions (openat, fcntl, ioctl, syscall) take the same registers. The x86-64 ABI also wants in AL how many
 * vector registers were used; {@link Linker.Option#firstVariadicArg} has it set to none, which others ignore.
 *
 * <p>
 * Calls are ordinary downcalls, never {@link Linker.Option#critical}: a hung mount would keep the thread from a
 * safepoint and stop the whole JVM at its next collection.
 */
final class Downcalls {

    /** Room in the per-thread state after errno, for a structure that one call passes: 32 bytes at this offset. */
    static final long SCRATCH = 16;
    static final long SCRATCH_BYTES = 32;

    private static final MethodHandle FIVE = link(5);
    private static final ThreadLocal<MemorySegment> STATE = new CallState();

    private Downcalls() {}

    @SuppressWarnings("restricted") // this class is what native access is granted for
    private static MethodHandle link(int arguments) {
        MemoryLayout[] layouts = new MemoryLayout[arguments];
        Arrays.fill(layouts, JAVA_LONG);
        return Linker.nativeLinker()
                .downcallHandle(FunctionDescriptor.of(JAVA_LONG, layouts), Linker.Option.captureCallState("errno"),
                        Linker.Option.firstVariadicArg(1));
    }

    /**
     * Where the errno of each thread's last call goes, and that call's structure. An automatic arena frees it some time
     * after the thread ended. A virtual thread gets its own as well, for it cannot leave its carrier within a call but
     * can between the call and the look at errno.
     */
    private static final class CallState extends ThreadLocal<MemorySegment> {
        @Override
        protected MemorySegment initialValue() {
            return Arena.ofAuto().allocate(SCRATCH + SCRATCH_BYTES, 16);
        }
    }

    // The shapes beyond the first are linked when first needed: most runs need none of them.
    private static final class Six {
        static final MethodHandle HANDLE = link(6);
    }

    private static final class Seven {
        static final MethodHandle HANDLE = link(7);
    }

    /** Returns the calling thread's state: errno, and from {@link #SCRATCH} on room for a structure. */
    static MemorySegment state() {
        return STATE.get();
    }

    /**
     * Returns the address that a call is to get; the caller passes the segment to {@link #kept} after the call.
     *
     * @throws IllegalArgumentException when the segment lies in the Java heap
     * @throws IllegalStateException when its arena was closed
     */
    static long address(MemorySegment segment) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException("not a native segment");
        }
        if (!segment.scope().isAlive()) {
            throw new IllegalStateException("the segment's arena was closed");
        }
        return segment.address();
    }

    /** Keeps memory that an automatic arena owns from being freed before this point; returns the result. */
    @SuppressWarnings("ReachabilityFenceUsage") // the call was made before, in the evaluation of the arguments
    static int kept(int result, MemorySegment segment) {
        Reference.reachabilityFence(segment);
        return result;
    }

    /** Does what {@link #kept(int, MemorySegment)} does for a 64-bit result. */
    @SuppressWarnings("ReachabilityFenceUsage")
    static long kept(long result, MemorySegment segment) {
        Reference.reachabilityFence(segment);
        return result;
    }

    /** Calls a function that returns {@code int}: the result, or {@code -errno} where it is -1. */
    static int call(MemorySegment function, long a, long b, long c, long d, long e) {
        MemorySegment state = STATE.get();
        int result = (int) five(function, state, a, b, c, d, e);
        return result == -1 ? error(state) : result;
    }

    /** Calls a function that returns 64 bits: the result, or {@code -errno} where it is -1. */
    static long callLong(MemorySegment function, long a, long b, long c, long d, long e) {
        MemorySegment state = STATE.get();
        long result = five(function, state, a, b, c, d, e);
        return result == -1 ? error(state) : result;
    }

    /** Calls a function of six arguments that returns 64 bits. */
    static long callLong(MemorySegment function, long a, long b, long c, long d, long e, long f) {
        MemorySegment state = STATE.get();
        long result;
        try {
            result = (long) Six.HANDLE.invokeExact(function, state, a, b, c, d, e, f);
        } catch (Throwable failure) {
            throw unexpected(failure);
        }
        return result == -1 ? error(state) : result;
    }

    /** Calls a function of seven arguments that returns 64 bits. */
    static long callLong(MemorySegment function, long a, long b, long c, long d, long e, long f, long g) {
        MemorySegment state = STATE.get();
        long result;
        try {
            result = (long) Seven.HANDLE.invokeExact(function, state, a, b, c, d, e, f, g);
        } catch (Throwable failure) {
            throw unexpected(failure);
        }
        return result == -1 ? error(state) : result;
    }

    /** Calls a function and returns the register as it comes back: for pointers, and for functions without errno. */
    static long callRaw(MemorySegment function, long a, long b, long c, long d) {
        return five(function, STATE.get(), a, b, c, d, 0);
    }

    private static long five(MemorySegment function, MemorySegment state, long a, long b, long c, long d, long e) {
        try {
            return (long) FIVE.invokeExact(function, state, a, b, c, d, e);
        } catch (Throwable failure) {
            throw unexpected(failure);
        }
    }

    // A library in between (LD_PRELOAD) that fails without errno must not pass for success, which 0 would be.
    private static int error(MemorySegment state) {
        int errno = state.get(JAVA_INT, 0);
        return errno > 0 ? -errno : -Errno.EIO;
    }

    // A downcall itself throws nothing; what comes here is an Error of the JVM (out of memory, stack overflow).
    private static RuntimeException unexpected(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        return failure instanceof RuntimeException exception ? exception : new IllegalStateException(failure);
    }
}
