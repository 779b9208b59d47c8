// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

import org.treehaul.core.async.AsyncFaultsContract.Effect;
import org.treehaul.core.async.AsyncFaultsContract.Fault;
import org.treehaul.core.async.backend.Request;
import org.treehaul.core.fs.linux.LinuxRingCalls;
import org.treehaul.core.fs.ring.Ring;
import org.treehaul.core.fs.ring.RingUnavailableException;

/** Asynchronous files by a ring that fails, for tests of what uses them. */
public final class FaultyFiles {

    private FaultyFiles() {}

    /** Returns a request that fails before the kernel sees it. */
    public static Fault fails(Request.Kind kind, int nth, int errno) {
        return new Fault(kind, nth, Effect.FAILS, errno);
    }

    /** Returns requests that each move at most so many bytes. */
    public static Fault fallsShort(Request.Kind kind, int bytes) {
        return new Fault(kind, 0, Effect.FALLS_SHORT, bytes);
    }

    /** Returns files by a ring with faults. */
    public static AsyncFiles byRing(Fault... faults) throws RingUnavailableException {
        Map<Fault, Integer> met = new ConcurrentHashMap<>();
        return over(ring -> new FaultyRing(ring, List.of(faults), met));
    }

    /** Returns files by a ring whose results come late, and the last of them first. */
    public static AsyncFiles byLateRing() throws RingUnavailableException {
        return over(ring -> new SameRing(ring) {
            private final List<long[]> late = new ArrayList<>();

            @Override
            public int enter(int complete) {
                return super.enter(late.isEmpty() ? complete : 0);
            }

            @Override
            public int reap(Reaper reaper) {
                List<long[]> now = List.copyOf(late);
                late.clear();
                super.reap((tag, result) -> late.add(new long[]{tag, result}));
                now.reversed().forEach(one -> reaper.reaped(one[0], (int) one[1]));
                return now.size();
            }
        });
    }

    private static AsyncFiles over(UnaryOperator<Ring> change) throws RingUnavailableException {
        AsyncSettings settings = AsyncSettings.defaults().with(AsyncSettings.Means.RING);
        return LocalFiles.overRings(settings, new FaultyRing.Source(
                RingSource.of(LinuxRingCalls.calls(), settings.depth(), settings.kernelWorkers()), change));
    }
}
