// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.treehaul.strategies.collective.order.CollectiveRequest;
import org.treehaul.strategies.collective.order.RequestOrder;
import org.treehaul.strategies.collective.order.ShuffleHint;

class OrderedRequestsTest {

    private static final int BYTES = 512 << 10;
    private static final long EACH = Duration.ofMillis(26).toNanos();
    private static final long DELAY = Duration.ofMillis(100).toNanos();

    private final AtomicLong clock = new AtomicLong();
    private final Queue<Runnable> thread = new ArrayDeque<>();
    private final OrderedRequests requests = new OrderedRequests(RequestOrder.hierarchical(RequestOrder.THRESHOLD), 100,
            thread::add, 1, clock::get);

    private void add(long application, ShuffleHint hint, AtomicLong begun) {
        requests.add(new CollectiveRequest(application, 1, 0, hint), BYTES, () -> {
            begun.set(clock.get());
            clock.addAndGet(EACH);
        });
    }

    /** No request has been carried out before, so that the server predicts a fifth of the real times. */
    @Test
    void anAggregatorWaitsForOthersNoLongerThanItAcceptsAlsoAtASlowServer() {
        AtomicLong begun = new AtomicLong();
        add(1, new ShuffleHint(0, DELAY, 1), begun);
        for (int application = 2; application < 48; application++) {
            add(application, ShuffleHint.NONE, new AtomicLong());
        }
        while (!thread.isEmpty()) {
            thread.remove().run();
        }
        assertThat(clock).hasValue(47 * EACH);
        // The last one that it let pass may take longer than predicted.
        assertThat(begun.get()).isBetween(DELAY / 2, DELAY + EACH);
    }
}
