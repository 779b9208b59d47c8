// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

class RateLimiterTest {

    @Test
    void anInterruptedThreadSleepsWhileItWaitsAndStaysInterrupted() {
        RateLimiter limiter = RateLimiter.of(10);
        AtomicInteger looks = new AtomicInteger();
        RateLimiter.Work work = () -> {
            looks.incrementAndGet();
            return false;
        };
        limiter.acquire(3, work);
        Thread.currentThread().interrupt();
        // Waits until the limit allows three units: about 0.3 s, with a look every 0.05 s.
        limiter.acquire(1, work);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(looks).hasPositiveValue().hasValueLessThan(100);
    }
}
