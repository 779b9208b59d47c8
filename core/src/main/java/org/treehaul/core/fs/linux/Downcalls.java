// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;
import java.nio.ByteOrder;
import java.util.Arrays;

import org.treehaul.core.fs.Errno;

/**
 * Links the call shapes that all functions share, and holds the errno of each thread.
 *
 * <p>
 * Every shape costs 15 to 20 ms when the JVM starts, so most functions share one, {@code long f(long, long, long, long,
 * long)}, which takes the function's address as its first argument. It fits every C function with up to five integers
 * or pointers: both ABIs (System V for x86-64, AAPCS64) pass those in 64-bit registers, of which a callee reads the
 * part that its own type has, and it ignores registers that it has no parameters for. The result is returned in such a
 * register too: for a function that returns {@code int} the upper half is undefined, and a -1 looks like 4294967295. So
 * {@link #call} narrows before it compares; {@link #callLong} is for {@code ssize_t} and {@code off_t}.
 *
 * <p>
 * Variadic functions (openat, fcntl, ioctl, syscall) use the same registers. The x86-64 ABI also requires the number of
 * vector registers used in AL; {@link Linker.Option#firstVariadicArg} sets it to zero, which other functions ignore.
 *
 * <p>
 * Calls are ordinary downcalls, never {@link Linker.Option#critical}: on a hung mount, the thread would never reach a
 * safepoint, and the next garbage collection would stop the whole JVM.
 */
final class Downcalls {

    /**
     * Offset of the room after errno in the per-thread state, for a structure of at most 32 bytes that a call passes.
     */
    static final long SCRATCH = 16;
    static final long SCRATCH_BYTES = 32;

    // The treehaul script sets it where the JVM has no optimizing compiler. Then the checks of the memory for errno, and the
    // two objects that they make, take longer than a short call, so calls that may be repeated are made without it.
    private static final boolean IS_QUICK = Boolean.getBoolean("treehaul.quick.calls");
    /** Nanoseconds that a call may take to fail before later ones are made once only. */
    private static final long LONGEST_REPETITION = 20_000_000;

    // Written once, from true; a thread that sees it late repeats one more call.
    private static boolean isToRepeat = IS_QUICK;

    private static final ThreadLocal<MemorySegment> STATE = new CallState();

    private Downcalls() {}

    // Each shape is linked on first use: most runs need one of them.
    private static final class Five {
        static final MethodHandle HANDLE = link(5, Linker.Option.captureCallState("errno"),
                Linker.Option.firstVariadicArg(1));
    }

    private static final class Plain {
        static final MethodHandle HANDLE = link(5, Linker.Option.firstVariadicArg(1));
    }

    @SuppressWarnings("restricted") // native access is granted for this class
    private static MethodHandle link(int arguments, Linker.Option... options) {
        MemoryLayout[] layouts = new MemoryLayout[arguments];
        Arrays.fill(layouts, JAVA_LONG);
        return Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(JAVA_LONG, layouts), options);
    }

    /**
     * The memory for the errno of each thread's last call and for that call's structure. An automatic arena frees it
     * some time after the thread has ended. Each virtual thread gets its own: it cannot leave its carrier within a
     * call, but it can between the call and the read of errno.
     */
    private static final class CallState extends ThreadLocal<MemorySegment> {
        @Override
        protected MemorySegment initialValue() {
            return Arena.ofAuto().allocate(SCRATCH + SCRATCH_BYTES, 16);
        }
    }

    private static final class Six {
        static final MethodHandle HANDLE = link(6, Linker.Option.captureCallState("errno"),
                Linker.Option.firstVariadicArg(1));
    }

    private static final class PlainSix {
        static final MethodHandle HANDLE = link(6, Linker.Option.firstVariadicArg(1));
    }

    private static final class Seven {
        static final MethodHandle HANDLE = link(7, Linker.Option.captureCallState("errno"),
                Linker.Option.firstVariadicArg(1));
    }

    private static final class Pair {
        static final MethodHandle HANDLE = linkPair();

        private Pair() {}

        @SuppressWarnings("restricted") // native access is granted for this class
        private static MethodHandle linkPair() {
            MemoryLayout pair = MemoryLayout.structLayout(JAVA_LONG, JAVA_LONG);
            return Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(pair, JAVA_LONG, JAVA_LONG));
        }
    }

    /**
     * The state of a thread by its number, which the JVM never gives to another thread. A lookup here is cheaper than
     * one in a thread-local variable, which the first compiler of the JVM turns into calls of native code.
     */
    private record ThreadState(long thread, MemorySegment state) {}

    // A power of two, larger than the number of threads that a walk chooses. Threads whose numbers collide replace each
    // other's states. A thread sees a whole record or none, because the fields of a record are final.
    private static final ThreadState[] RECENT = new ThreadState[256];

    /** Returns the calling thread's state: errno, and from {@link #SCRATCH} on room for a structure. */
    static MemorySegment state() {
        long thread = Thread.currentThread().threadId();
        int at = (int) thread & RECENT.length - 1;
        ThreadState recent = RECENT[at];
        if (recent != null && recent.thread == thread) {
            return recent.state;
        }
        MemorySegment state = STATE.get();
        RECENT[at] = new ThreadState(thread, state);
        return state;
    }

    /**
     * Returns the address to pass to a call; the caller passes the segment to {@link #kept} after the call.
     *
     * @throws IllegalArgumentException if the segment is in the Java heap
     * @throws IllegalStateException if its arena was closed
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

    /** Keeps memory of an automatic arena alive up to this point; returns the result. */
    @SuppressWarnings("ReachabilityFenceUsage") // the call was made before, while the arguments were evaluated
    static int kept(int result, MemorySegment segment) {
        Reference.reachabilityFence(segment);
        return result;
    }

    /** Does the same as {@link #kept(int, MemorySegment)} for a 64-bit result. */
    @SuppressWarnings("ReachabilityFenceUsage")
    static long kept(long result, MemorySegment segment) {
        Reference.reachabilityFence(segment);
        return result;
    }

    /** Calls a function that returns {@code int}, and returns its result, or {@code -errno} if it is -1. */
    static int call(MemorySegment function, long a, long b, long c, long d, long e) {
        MemorySegment state = state();
        int result = (int) five(function, state, a, b, c, d, e);
        return result == -1 ? error(state) : result;
    }

    /**
     * Does the same as {@link #call} for a call that has no effect if it fails, so that it may be repeated: if it
     * fails, it may be made a second time, and the result is that of the second call. Once a second call has taken
     * long, calls are made once: on a mount whose server does not answer, each may take half a minute until it fails.
     */
    static int callAgain(MemorySegment function, long a, long b, long c, long d, long e) {
        if (!isToRepeat) {
            return call(function, a, b, c, d, e);
        }
        int result = (int) plain(function, a, b, c, d, e);
        if (result != -1) {
            return result;
        }
        long begin = System.nanoTime();
        int repeated = call(function, a, b, c, d, e);
        noteRepeated(System.nanoTime() - begin);
        return repeated;
    }

    /** Does the same as {@link #callLong} for a call that has no effect if it fails, see {@link #callAgain}. */
    static long callLongAgain(MemorySegment function, long a, long b, long c, long d, long e) {
        if (!isToRepeat) {
            return callLong(function, a, b, c, d, e);
        }
        long result = plain(function, a, b, c, d, e);
        if (result != -1) {
            return result;
        }
        long begin = System.nanoTime();
        long repeated = callLong(function, a, b, c, d, e);
        noteRepeated(System.nanoTime() - begin);
        return repeated;
    }

    /** Does the same with six arguments. */
    static long callLongAgain(MemorySegment function, long a, long b, long c, long d, long e, long f) {
        if (!isToRepeat) {
            return callLong(function, a, b, c, d, e, f);
        }
        long result;
        try {
            result = (long) PlainSix.HANDLE.invokeExact(function, a, b, c, d, e, f);
        } catch (Throwable failure) {
            throw unexpected(failure);
        }
        if (result != -1) {
            return result;
        }
        long begin = System.nanoTime();
        long repeated = callLong(function, a, b, c, d, e, f);
        noteRepeated(System.nanoTime() - begin);
        return repeated;
    }

    /** Calls a function that returns {@code int}, and returns that, without looking at errno. */
    static int answer(MemorySegment function, long a, long b, long c, long d, long e) {
        return (int) (IS_QUICK ? plain(function, a, b, c, d, e) : five(function, state(), a, b, c, d, e));
    }

    /** Notes that a second call has taken this number of nanoseconds. */
    static void noteRepeated(long nanos) {
        if (nanos > LONGEST_REPETITION) {
            isToRepeat = false;
        }
    }

    /** Returns whether calls that fail are made a second time. */
    static boolean isToRepeat() {
        return isToRepeat;
    }

    /** Sets that, for tests. */
    static void setToRepeat(boolean isNow) {
        isToRepeat = isNow;
    }

    /** Calls a function that returns 64 bits, and returns its result, or {@code -errno} if it is -1. */
    static long callLong(MemorySegment function, long a, long b, long c, long d, long e) {
        MemorySegment state = state();
        long result = five(function, state, a, b, c, d, e);
        return result == -1 ? error(state) : result;
    }

    /** Calls a function with six arguments that returns 64 bits. */
    static long callLong(MemorySegment function, long a, long b, long c, long d, long e, long f) {
        MemorySegment state = state();
        long result;
        try {
            result = (long) Six.HANDLE.invokeExact(function, state, a, b, c, d, e, f);
        } catch (Throwable failure) {
            throw unexpected(failure);
        }
        return result == -1 ? error(state) : result;
    }

    /** Calls a function with seven arguments that returns 64 bits. */
    static long callLong(MemorySegment function, long a, long b, long c, long d, long e, long f, long g) {
        MemorySegment state = state();
        long result;
        try {
            result = (long) Seven.HANDLE.invokeExact(function, state, a, b, c, d, e, f, g);
        } catch (Throwable failure) {
            throw unexpected(failure);
        }
        return result == -1 ? error(state) : result;
    }

    /** Calls a function and returns the register unchanged: for pointers, and for functions that do not set errno. */
    static long callRaw(MemorySegment function, long a, long b, long c, long d) {
        return IS_QUICK ? plain(function, a, b, c, d, 0) : five(function, state(), a, b, c, d, 0);
    }

    /**
     * Calls a function with two arguments that returns a structure of two 64-bit numbers, which both ABIs return in two
     * registers, and lays them down in memory of 16 bytes.
     */
    static void callPair(MemorySegment function, SegmentAllocator memory, long a, long b) {
        try {
            MemorySegment _ = (MemorySegment) Pair.HANDLE.invokeExact(function, memory, a, b);
        } catch (Throwable failure) {
            throw unexpected(failure);
        }
    }

    private static long plain(MemorySegment function, long a, long b, long c, long d, long e) {
        try {
            return (long) Plain.HANDLE.invokeExact(function, a, b, c, d, e);
        } catch (Throwable failure) {
            throw unexpected(failure);
        }
    }

    private static long five(MemorySegment function, MemorySegment state, long a, long b, long c, long d, long e) {
        try {
            return (long) Five.HANDLE.invokeExact(function, state, a, b, c, d, e);
        } catch (Throwable failure) {
            throw unexpected(failure);
        }
    }

    // A library in between (LD_PRELOAD) that fails without setting errno must not look like success, as 0 would.
    private static int error(MemorySegment state) {
        // Reads through a buffer: for the first number read from a segment, the JVM would make six classes.
        int errno = state.asByteBuffer().order(ByteOrder.nativeOrder()).getInt(0);
        return errno > 0 ? -errno : -Errno.EIO;
    }

    // A downcall throws nothing itself; only an Error of the JVM arrives here (out of memory, stack overflow).
    private static RuntimeException unexpected(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        return failure instanceof RuntimeException exception ? exception : new IllegalStateException(failure);
    }
}
