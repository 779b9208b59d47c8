// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.walk.Walks.path;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.options.WalkOptions;

class WorkerTimesTest {

    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

    private final WalkedTree tree = new WalkedTree();
    private final List<WalkWorker<Object>> workers = new CopyOnWriteArrayList<>();

    @BeforeEach
    void makeTree() {
        tree.make(w -> {
            for (int i = 0; i < 30; i++) {
                w.file(path("d" + i % 5 + "/f" + i), 1, 1);
            }
        });
    }

    @AfterEach
    void removeTree() {
        tree.close();
    }

    /** Takes a while for each entry. */
    private static final class Slow implements WalkHandler<Object> {
        @Override
        public Step entry(FoundEntry<Object> found) {
            long end = System.nanoTime() + PAUSE;
            while (System.nanoTime() < end) {
                LockSupport.parkNanos(end - System.nanoTime());
            }
            return Step.CONTINUE;
        }

        @Override
        public Object enter(WalkDirectory<Object> directory, WalkWorker<Object> worker) {
            return this;
        }

        @Override
        public void leave(WalkDirectory<Object> directory, WalkWorker<Object> worker) {
            worker.fork(null, w -> assertThat(w.handler()).isInstanceOf(Slow.class));
        }

        @Override
        public void failed(EntryFailure failure) {
            throw new AssertionError(failure);
        }
    }

    private WalkResult<Slow> walk(FaultInjectingCalls calls, WalkOptions options) {
        return TreeWalker.of(calls, options).walkWith(List.of(tree.root()), (WalkWorker<Object> worker) -> {
            workers.add(worker);
            return new Slow();
        }, new Cancellation(), all -> {
        });
    }

    @Test
    void timesOfAWalkAreDividedBetweenCallsHandlerAndWaiting() {
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
        assertThat(walk(calls, WalkOptions.defaults().withThreads(3).withTimes(true)).workers()).hasSize(3);
        List<WorkerTimes> times = workers.stream().flatMap(worker -> worker.times().stream()).toList();
        assertThat(times).hasSize(3);
        for (Call call : List.of(Call.STATX, Call.GETDENTS64, Call.OPENAT)) {
            assertThat(times.stream().mapToLong(t -> t.calls().count(call)).sum()).isEqualTo(calls.count(call));
        }
        assertThat(times.stream().mapToLong(WorkerTimes::callbackNanos).sum()).isGreaterThanOrEqualTo(36 * PAUSE);
        assertThat(times).allSatisfy(t -> assertThat(t.callbackNanos() + t.waitingNanos() + t.calls().nanos())
                .isLessThanOrEqualTo(t.nanos()));
    }

    @Test
    void timesAreMeasuredOnRequestOnly() {
        walk(FaultInjectingCalls.over(Linux.calls()), WalkOptions.defaults().withThreads(2));
        assertThat(workers).hasSize(2).allSatisfy(worker -> assertThat(worker.times()).isEmpty());
    }
}
