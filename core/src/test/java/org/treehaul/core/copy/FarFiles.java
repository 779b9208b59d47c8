// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;

/** Calls whose statuses take long, and which count the threads that wait for one at the same time. */
public final class FarFiles {

    private FarFiles() {}

    /**
     * Returns calls that wait in Java, where no one sees that a thread waits for a file system.
     *
     * @param most becomes the largest number of threads that waited at the same time
     */
    public static FileSystemCalls of(FileSystemCalls calls, AtomicInteger most) {
        AtomicInteger waiting = new AtomicInteger();
        return FaultInjectingCalls.over(calls, List.of(Fault.on(Call.STATX).delays(Duration.ofMillis(4))), time -> {
            most.accumulateAndGet(waiting.incrementAndGet(), Math::max);
            try {
                Thread.sleep(time);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            } finally {
                waiting.decrementAndGet();
            }
        });
    }
}
