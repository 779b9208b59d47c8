// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;

import org.junit.jupiter.api.Test;
import org.treehaul.core.async.AsyncSettings.Means;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.fs.linux.LinuxRingCalls;

/** Asynchronous files by threads. */
class ThreadFilesTest extends AsyncFilesContract {

    @Override
    AsyncFiles files(AsyncSettings settings, Fault... faults) {
        FileSystemCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Arrays.stream(faults).map(ThreadFilesTest::rule).toArray(org.treehaul.core.fs.Fault[]::new));
        return LocalFiles.open(settings.with(Means.THREADS), calls, LinuxRingCalls.calls());
    }

    private static org.treehaul.core.fs.Fault rule(Fault fault) {
        org.treehaul.core.fs.Fault rule = org.treehaul.core.fs.Fault.on(switch (fault.kind()) {
            case NONE -> throw new IllegalArgumentException("no call");
            case OPEN -> Call.OPENAT;
            case CLOSE -> Call.CLOSE;
            case READ -> Call.PREAD;
            case WRITE -> Call.PWRITE;
            case REMOVE -> Call.UNLINKAT;
            case STATUS -> Call.STATX;
            case SYNC -> Call.FDATASYNC;
        });
        rule = fault.nth() == 0 ? rule : rule.nth(fault.nth());
        return fault.effect() == Effect.FALLS_SHORT ? rule.atMost(fault.number()) : rule.returns(-fault.number());
    }

    @Test
    void theNumberOfThreadsIsThatOfTheSettings() {
        AsyncSettings settings = AsyncSettings.defaults().with(Means.THREADS);
        try (AsyncFiles three = LocalFiles.overThreads(settings.withThreads(3), Linux.calls());
                AsyncFiles one = AsyncFiles.open(settings.withThreads(1))) {
            assertThat(three.means()).isEqualTo("3 threads");
            assertThat(one.means()).isEqualTo("1 thread");
            assertThat(Thread.getAllStackTraces().keySet().stream().filter(IoThread.class::isInstance))
                    .as("with those of the fixture")
                    .hasSize(8);
        }
    }
}
