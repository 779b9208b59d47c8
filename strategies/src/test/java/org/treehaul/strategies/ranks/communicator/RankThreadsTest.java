// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.communicator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

class RankThreadsTest {

    @Test
    void ranksThatHaveStartedEndIfTheLimitOfThreadsIsReached() {
        RankThreads ranks = new RankThreads(thread -> {
            if (thread.getName().endsWith("2")) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            thread.start();
        });
        CompletableFuture<Throwable> broken = new CompletableFuture<>();
        AtomicInteger ended = new AtomicInteger();
        for (int rank = 0; rank < 4; rank++) {
            ranks.add(rank, Thread.currentThread().getThreadGroup(), () -> {
                broken.join();
                ended.incrementAndGet();
            }, broken::complete);
        }
        assertThatThrownBy(() -> ranks.run(() -> false)).isInstanceOf(OutOfMemoryError.class)
                .hasMessage("unable to create native thread");
        assertThat(broken).isCompletedWithValueMatching(OutOfMemoryError.class::isInstance);
        assertThat(ended).hasValue(2);
    }
}
