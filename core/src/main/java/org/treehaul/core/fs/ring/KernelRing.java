// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.ring;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

import org.treehaul.core.fs.Errno;

/**
 * A ring of the kernel. The position that one side advances is stored with release and read by the other side with
 * acquire, so that a request or a result is complete before the other side sees it.
 */
public final class KernelRing implements Ring {

    private static final VarHandle INT = JAVA_INT.varHandle();

    private static final long QUEUES_OFFSET = 0; // IORING_OFF_SQ_RING
    private static final long REQUESTS_OFFSET = 0x10000000; // IORING_OFF_SQES
    private static final int ENTER_GETEVENTS = 1;
    private static final int REGISTER_PROBE = 8;
    private static final int REGISTER_IOWQ_MAX_WORKERS = 19; // since Linux 5.15

    // struct io_uring_probe: 16 bytes, and 8 for each operation.
    private static final int PROBE_OPERATIONS = 256;
    private static final int PROBE_HEAD = 16;
    private static final int PROBE_BYTES = 8;
    private static final int PROBE_FLAGS = 2;
    private static final int PROBE_SUPPORTED = 1;

    private final RingCalls calls;
    private final int descriptor;
    private final RingLayout layout;
    private final MemorySegment queues;
    private final MemorySegment requests;
    private int tail;

    private KernelRing(RingCalls calls, int descriptor, RingLayout layout, MemorySegment queues,
            MemorySegment requests) {
        this.calls = calls;
        this.descriptor = descriptor;
        this.layout = layout;
        this.queues = queues;
        this.requests = requests;
        for (int i = 0; i < layout.submissions(); i++) {
            queues.set(JAVA_INT, layout.submissionArray() + i * 4L, i);
        }
    }

    /**
     * Makes a ring for the calling thread, the only one that may use it.
     *
     * @param submissions the requests that the queue shall hold
     * @param completions the results that the queue shall hold, at least as many
     * @param workers the most threads that the kernel may start for files on disks, and as many for others; kernels
     *        before 5.15 decide themselves
     */
    public static KernelRing open(RingCalls calls, int submissions, int completions, int workers)
            throws RingUnavailableException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment parameters = MemorySegment.NULL;
            int descriptor = -Errno.EINVAL;
            for (int i = 0; i < RingLayout.SETUPS.length && descriptor == -Errno.EINVAL; i++) {
                parameters = RingLayout.parameters(arena, completions, RingLayout.SETUPS[i]);
                descriptor = calls.setup(submissions, parameters);
            }
            if (descriptor < 0) {
                throw new RingUnavailableException("io_uring_setup", -descriptor);
            }
            try {
                RingLayout layout = RingLayout.read(parameters);
                checkOperations(calls, descriptor, arena);
                limitWorkers(calls, descriptor, arena, workers);
                return map(calls, descriptor, layout);
            } catch (RingUnavailableException | RuntimeException | Error e) {
                calls.close(descriptor);
                throw e;
            }
        }
    }

    private static void checkOperations(RingCalls calls, int descriptor, Arena arena) throws RingUnavailableException {
        MemorySegment probe = arena.allocate(PROBE_HEAD + PROBE_OPERATIONS * (long) PROBE_BYTES, 8);
        int result = calls.register(descriptor, REGISTER_PROBE, probe, PROBE_OPERATIONS);
        if (result < 0) {
            throw new RingUnavailableException("io_uring_register", -result);
        }
        for (RingOperation operation : RingOperation.values()) {
            long at = PROBE_HEAD + operation.number() * (long) PROBE_BYTES + PROBE_FLAGS;
            if ((probe.get(JAVA_BYTE, at) & PROBE_SUPPORTED) == 0) {
                throw new RingUnavailableException("the kernel is too old for the operation " + operation);
            }
        }
    }

    // The result does not matter: an older kernel has its own limits.
    private static void limitWorkers(RingCalls calls, int descriptor, Arena arena, int workers) {
        MemorySegment limits = arena.allocate(2L * Integer.BYTES, 8);
        limits.set(JAVA_INT, 0, workers);
        limits.set(JAVA_INT, Integer.BYTES, workers);
        calls.register(descriptor, REGISTER_IOWQ_MAX_WORKERS, limits, 2);
    }

    private static KernelRing map(RingCalls calls, int descriptor, RingLayout layout) throws RingUnavailableException {
        long queues = calls.map(descriptor, layout.queueBytes(), QUEUES_OFFSET);
        if (queues < 0) {
            throw new RingUnavailableException("mmap", (int) -queues);
        }
        long requests = calls.map(descriptor, layout.requestBytes(), REQUESTS_OFFSET);
        if (requests < 0) {
            calls.unmap(queues, layout.queueBytes());
            throw new RingUnavailableException("mmap", (int) -requests);
        }
        return new KernelRing(calls, descriptor, layout, calls.memory(queues, layout.queueBytes()),
                calls.memory(requests, layout.requestBytes()));
    }

    @Override
    public boolean put(RingOperation operation, int file, long address, int length, long offset, int flags, long tag) {
        if (tail - taken() == layout.submissions()) {
            return false;
        }
        // struct io_uring_sqe
        MemorySegment request = requests.asSlice((tail & layout.submissions() - 1) * (long) RingLayout.REQUEST_BYTES,
                RingLayout.REQUEST_BYTES);
        request.fill((byte) 0);
        request.set(JAVA_BYTE, 0, (byte) operation.number());
        request.set(JAVA_INT, 4, file);
        request.set(JAVA_LONG, 8, offset);
        request.set(JAVA_LONG, 16, address);
        request.set(JAVA_INT, 24, length);
        request.set(JAVA_INT, 28, flags);
        request.set(JAVA_LONG, 32, tag);
        tail++;
        return true;
    }

    // The kernel's position in the queue of requests.
    private int taken() {
        return (int) INT.getAcquire(queues, (long) layout.submissionHead());
    }

    // Without GETEVENTS the kernel would neither run what it deferred to this thread, nor move results that it keeps
    // for lack of room in the queue.
    @Override
    public int enter(int complete) {
        INT.setRelease(queues, (long) layout.submissionTail(), tail);
        return calls.enter(descriptor, tail - taken(), complete, ENTER_GETEVENTS);
    }

    @Override
    public int reap(Reaper reaper) {
        int head = (int) INT.get(queues, (long) layout.completionHead());
        int count = 0;
        while (head != (int) INT.getAcquire(queues, (long) layout.completionTail())) {
            long at = layout.completionEntries() + (head & layout.completions() - 1) * (long) RingLayout.RESULT_BYTES;
            long tag = queues.get(JAVA_LONG, at);
            int result = queues.get(JAVA_INT, at + 8);
            // Free before the call: a call that throws must not make the result appear twice.
            head++;
            INT.setRelease(queues, (long) layout.completionHead(), head);
            count++;
            reaper.reaped(tag, result);
        }
        return count;
    }

    @Override
    public int withdraw(int result, Reaper reaper) {
        int from = taken();
        int to = tail;
        tail = from;
        INT.setRelease(queues, (long) layout.submissionTail(), tail);
        for (int i = from; i != to; i++) {
            reaper.reaped(
                    requests.get(JAVA_LONG, (i & layout.submissions() - 1) * (long) RingLayout.REQUEST_BYTES + 32),
                    result);
        }
        return to - from;
    }

    @Override
    public void close() {
        calls.unmap(requests.address(), layout.requestBytes());
        calls.unmap(queues.address(), layout.queueBytes());
        calls.close(descriptor);
    }
}
