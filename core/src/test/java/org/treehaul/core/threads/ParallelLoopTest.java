// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.threads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.treehaul.core.fs.linux.Linux;

class ParallelLoopTest {

    private final ParallelLoop loop = new ParallelLoop(Linux.calls(), 4);
    private final Set<Integer> seen = ConcurrentHashMap.newKeySet();
    private final AtomicInteger open = new AtomicInteger();

    private ParallelLoop.Worker<Integer> worker(Consumer<Integer> work) {
        open.incrementAndGet();
        return new ParallelLoop.Worker<>() {
            @Override
            public void process(Integer item) {
                work.accept(item);
            }

            @Override
            public void close() {
                open.decrementAndGet();
            }
        };
    }

    @Test
    void eachItemIsProcessedOnceByAllThreads() throws IOException {
        // No thread continues before all have an item.
        CountDownLatch all = new CountDownLatch(loop.threads());
        Iterator<Integer> items = IntStream.range(0, 1000).iterator();
        loop.each(() -> items.hasNext() ? items.next() : null, () -> worker(item -> {
            assertThat(seen.add(item)).isTrue();
            all.countDown();
            await(all);
        }));
        assertThat(seen).hasSize(1000);
        assertThat(open).hasValue(0);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void theThreadsThatCanBeStartedProcessAllItems() throws IOException {
        for (int most = 0; most < 3; most++) {
            seen.clear();
            AtomicInteger left = new AtomicInteger(most);
            Iterator<Integer> items = IntStream.range(0, 1000).iterator();
            ParallelLoop.each(() -> items.hasNext() ? items.next() : null, 8,
                    () -> worker(item -> assertThat(seen.add(item)).isTrue()), thread -> {
                        if (left.getAndDecrement() <= 0) {
                            throw new OutOfMemoryError("unable to create native thread");
                        }
                        thread.start();
                    });
            assertThat(seen).hasSize(1000);
            assertThat(open).hasValue(0);
        }
    }

    @Test
    void fewItemsOfAListHaveOneThread() {
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        loop.each(List.of(1, 2, 3), 4, access -> item -> threads.add(Thread.currentThread()));
        assertThat(threads).containsExactly(Thread.currentThread());
    }

    @Test
    void afterAFaultNoItemIsTakenAndTheFaultReachesTheCaller() {
        AtomicInteger taken = new AtomicInteger();
        assertThatThrownBy(() -> loop.each(taken::incrementAndGet, () -> worker(item -> {
            if (item == 10) {
                throw new IllegalArgumentException("ten");
            }
        }))).isInstanceOf(IllegalArgumentException.class).hasMessage("ten");
        assertThat(taken.get()).isGreaterThanOrEqualTo(10);
        assertThat(open).hasValue(0);
    }

    @Test
    void anErrorOfTheSourceReachesTheCallerAfterTheItemsThatWereTaken() {
        AtomicInteger taken = new AtomicInteger();
        assertThatThrownBy(() -> loop.each(() -> {
            if (taken.get() == 5) {
                throw new IOException("unreadable");
            }
            return taken.incrementAndGet();
        }, () -> worker(seen::add))).isInstanceOf(IOException.class).hasMessage("unreadable");
        assertThat(seen).containsExactlyInAnyOrder(1, 2, 3, 4, 5);
        assertThat(open).hasValue(0);
    }

    @Test
    void anInterruptOfTheCallerIsDeferred() throws IOException {
        CountDownLatch two = new CountDownLatch(2);
        Thread caller = Thread.currentThread();
        Iterator<Integer> items = List.of(1, 2).iterator();
        loop.each(() -> items.hasNext() ? items.next() : null, () -> worker(item -> {
            two.countDown();
            if (Thread.currentThread().equals(caller)) {
                caller.interrupt();
            } else {
                await(two);
            }
            seen.add(item);
        }));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(seen).hasSize(2);
    }
}
