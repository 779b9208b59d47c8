// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

import org.treehaul.core.event.Cancellation;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.InterceptedCalls;

/** Cancels the work after a number of removals. */
final class StoppingCalls extends InterceptedCalls {

    private final Cancellation stop;
    private final AtomicInteger left;

    StoppingCalls(FileSystemCalls calls, Cancellation stop, int removals) {
        super(calls);
        this.stop = stop;
        this.left = new AtomicInteger(removals);
    }

    @Override
    protected long around(Call call, int descriptor, MemorySegment name, LongSupplier made) {
        long result = made.getAsLong();
        if (call == Call.UNLINKAT && result == 0 && left.decrementAndGet() == 0) {
            stop.cancel();
        }
        return result;
    }
}
