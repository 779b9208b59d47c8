// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import org.treehaul.core.async.AsyncFaultsContract.Fault;
import org.treehaul.core.fs.ring.Ring;
import org.treehaul.core.fs.ring.RingOperation;
import org.treehaul.core.fs.ring.RingUnavailableException;

/** A ring whose requests fail: before the kernel sees them, or after it has carried them out. */
final class FaultyRing extends SameRing {

    private static final long WAKE = -1;

    private final List<Fault> faults;
    private final Map<Fault, Integer> met;
    private final Deque<long[]> invented = new ArrayDeque<>();
    private final Map<Long, Integer> replaced = new HashMap<>();

    /**
     * Makes requests fail.
     *
     * @param met how often each fault was met, by all rings
     */
    FaultyRing(Ring ring, List<Fault> faults, Map<Fault, Integer> met) {
        super(ring);
        this.faults = faults;
        this.met = met;
    }

    /** Makes rings of another source different. */
    record Source(RingSource source, UnaryOperator<Ring> change) implements RingSource {

        @Override
        public Ring open() throws RingUnavailableException {
            return change.apply(source.open());
        }

        @Override
        public int counter() {
            return source.counter();
        }

        @Override
        public void wake(int counter) {
            source.wake(counter);
        }

        @Override
        public int close(int descriptor) {
            return source.close(descriptor);
        }

        @Override
        public void pause() {}
    }

    private static RingOperation operation(Fault fault) {
        return switch (fault.kind()) {
            case NONE -> RingOperation.NOP;
            case OPEN -> RingOperation.OPENAT;
            case CLOSE -> RingOperation.CLOSE;
            case READ -> RingOperation.READ;
            case WRITE -> RingOperation.WRITE;
            case REMOVE -> RingOperation.UNLINKAT;
            case STATUS -> RingOperation.STATX;
            case SYNC -> RingOperation.FSYNC;
        };
    }

    @Override
    public boolean put(RingOperation operation, int descriptor, long address, int length, long offset, int flags,
            long tag) {
        int left = length;
        for (Fault fault : faults) {
            if (tag == WAKE || operation(fault) != operation
                    || met.merge(fault, 1, Integer::sum) != fault.nth() && fault.nth() != 0) {
                continue;
            }
            switch (fault.effect()) {
                case FALLS_SHORT -> left = Math.min(left, fault.number());
                case SEEMS_TO_FAIL -> replaced.put(tag, -fault.number());
                case FAILS -> {
                    // Closed in any case, as the kernel does.
                    if (operation == RingOperation.CLOSE) {
                        replaced.put(tag, -fault.number());
                    } else {
                        invented.add(new long[]{tag, -fault.number()});
                        return true;
                    }
                }
            }
        }
        return ring.put(operation, descriptor, address, left, offset, flags, tag);
    }

    @Override
    public int enter(int complete) {
        return ring.enter(invented.isEmpty() ? complete : 0);
    }

    @Override
    public int reap(Reaper reaper) {
        int count = 0;
        for (long[] result = invented.poll(); result != null; result = invented.poll()) {
            count++;
            reaper.reaped(result[0], (int) result[1]);
        }
        return count + ring.reap((tag, result) -> {
            Integer other = replaced.remove(tag);
            reaper.reaped(tag, other == null ? result : other);
        });
    }
}
