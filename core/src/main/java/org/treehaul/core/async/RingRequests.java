// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.async.backend.IoThread;
import org.treehaul.core.async.backend.Request;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.ring.Ring;
import org.treehaul.core.fs.ring.RingOperation;

/**
 * The requests in a ring. Keeps each of them, and so its memory, until its result was reaped. For the thread of the
 * ring.
 *
 * <p>
 * A read of the counter is always among them, so that another thread can end the wait for a result.
 */
final class RingRequests {

    private static final long WAKE = -1; // the tag of that read; others are indexes
    private static final int FSYNC_DATASYNC = 1;

    // The kernel refuses requests while it lacks memory: so often without any result in between, then they fail.
    private static final int REFUSALS = 100;

    /**
     * Memory of requests in rings that failed: the kernel may still read or fill it, and does not report when it has
     * finished, so it is never freed.
     */
    private static final Set<Object> ABANDONED = ConcurrentHashMap.newKeySet();

    private final Ring ring;
    private final RingSource source;
    private final int counter;
    private final MemorySegment count = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);
    private final @Nullable Request[] requests;
    private final int[] free;
    private int freeCount;
    private int refusals;
    private boolean isListening;

    RingRequests(Ring ring, RingSource source, int counter, int depth) {
        this.ring = ring;
        this.source = source;
        this.counter = counter;
        this.requests = new Request[depth];
        this.free = new int[depth];
        for (int i = 0; i < depth; i++) {
            free[i] = depth - 1 - i;
        }
        this.freeCount = depth;
    }

    /** Returns whether no request of others is in the ring. */
    boolean isIdle() {
        return freeCount == requests.length;
    }

    /** Returns whether there is room for a request. */
    boolean mayAdd() {
        return freeCount > 0;
    }

    /** Puts a request into the ring, if it has room. */
    boolean add(Request request) {
        if (freeCount == 0 || !put(request, free[freeCount - 1])) {
            return false;
        }
        requests[free[--freeCount]] = request;
        return true;
    }

    private boolean put(Request request, long tag) {
        MemorySegment memory = request.memory();
        int file = request.descriptor();
        return switch (request.kind()) {
            case NONE -> ring.put(RingOperation.NOP, -1, 0, 0, 0, 0, tag);
            case OPEN -> ring.put(RingOperation.OPENAT, file, memory.address(), request.mode(), 0,
                    request.flags() | LinuxConstants.O_CLOEXEC, tag);
            case CLOSE -> ring.put(RingOperation.CLOSE, file, 0, 0, 0, 0, tag);
            case READ ->
                ring.put(RingOperation.READ, file, memory.address(), (int) memory.byteSize(), request.offset(), 0, tag);
            case WRITE -> ring.put(RingOperation.WRITE, file, memory.address(), (int) memory.byteSize(),
                    request.offset(), 0, tag);
            case REMOVE -> ring.put(RingOperation.UNLINKAT, file, memory.address(), 0, 0, 0, tag);
            case STATUS -> ring.put(RingOperation.STATX, file, memory.address(), request.flags(),
                    request.status().address(), request.mode(), tag);
            case SYNC -> ring.put(RingOperation.FSYNC, file, 0, 0, 0, FSYNC_DATASYNC, tag);
        };
    }

    /**
     * Lets the kernel take the requests.
     *
     * @param complete the number of results to wait for
     * @return the number of requests, or {@code -errno}
     */
    int enter(int complete) {
        if (!isListening) {
            isListening = ring.put(RingOperation.READ, counter, count.address(), Long.BYTES, 0, 0, WAKE);
        }
        // Without it no other thread could end the wait.
        return ring.enter(isListening ? complete : 0);
    }

    /** Answers the requests whose results are available. Returns the number of results. */
    int reap() {
        int reaped = ring.reap(this::reaped);
        refusals = reaped > 0 ? 0 : refusals;
        return reaped;
    }

    private void reaped(long tag, int result) {
        if (tag == WAKE) {
            isListening = false;
            return;
        }
        int index = (int) tag;
        Request request = requests[index];
        if (request == null) {
            return; // a result that comes twice answers nothing
        }
        requests[index] = null;
        free[freeCount++] = index;
        IoThread.runSafely(() -> request.answered().answered(result));
    }

    // The kernel has not seen the request. A close is not repeated, so without this the descriptor would stay open.
    private void withdrawn(long tag, int result) {
        Request request = tag == WAKE ? null : requests[(int) tag];
        if (request != null && request.kind() == Request.Kind.CLOSE) {
            reaped(tag, source.close(request.descriptor()));
        } else {
            reaped(tag, result);
        }
    }

    /**
     * Counts a refusal of the kernel. After many, the requests that it has not taken fail; returns whether they did.
     */
    boolean refused(int result) {
        if (++refusals < REFUSALS) {
            return false;
        }
        refusals = 0;
        return ring.withdraw(result, this::withdrawn) > 0;
    }

    /** Waits for all results after the thread has failed; returns whether the kernel has finished with all memory. */
    boolean drain() {
        try {
            ring.withdraw(-Errno.EIO, this::withdrawn);
            while (!isIdle()) {
                int result = ring.enter(1);
                if (ring.reap(this::reaped) == 0 && result < 0 && result != -Errno.EINTR) {
                    return false;
                }
            }
            return true;
        } catch (RuntimeException | Error e) {
            return false;
        }
    }

    /** Answers all requests without knowing their outcome, and never frees their memory. */
    void abandon(int result) {
        ABANDONED.add(this);
        for (Request request : requests) {
            if (request != null) {
                IoThread.runSafely(() -> request.answered().answered(result));
            }
        }
    }

    /** Releases the ring, in which no request of others is left. */
    void close() {
        if (isListening) {
            ABANDONED.add(count); // the kernel ends the read some time later
        }
        ring.close();
    }
}
