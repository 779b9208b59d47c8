// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

class PeriodicTest {

    private static final Duration SOON = Duration.ofMillis(1);
    private static final Duration NEVER = Duration.ofDays(1000);

    @Test
    void anActionThatFailsIsRepeated() throws InterruptedException {
        CountDownLatch twice = new CountDownLatch(2);
        try (Periodic periodic = Periodic.of("test", SOON, () -> {
            twice.countDown();
            throw new IllegalStateException("for this test");
        })) {
            periodic.start();
            twice.await();
        }
    }

    @Test
    void eachIntervalIsAskedForAnew() throws InterruptedException {
        Queue<Duration> intervals = new ArrayDeque<>();
        intervals.add(SOON);
        intervals.add(SOON);
        CountDownLatch twice = new CountDownLatch(2);
        AtomicInteger actions = new AtomicInteger();
        try (Periodic periodic = Periodic.of("test", () -> intervals.isEmpty() ? NEVER : intervals.remove(), () -> {
            actions.incrementAndGet();
            twice.countDown();
        })) {
            periodic.start();
            twice.await();
        }
        assertThat(actions).hasValue(2);
    }

    @Test
    void closingWaitsForTheActionButNotForTheInterval() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicBoolean ended = new AtomicBoolean();
        Periodic periodic = Periodic.of("test", SOON, () -> NEVER, () -> {
            begun.countDown();
            try {
                mayEnd.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            ended.set(true);
        }).start();
        begun.await();
        Thread closing = Thread.ofPlatform().start(periodic::close);
        while (closing.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        assertThat(ended).isFalse();
        mayEnd.countDown();
        closing.join();
        assertThat(ended).isTrue();
        Periodic.of("test", NEVER, () -> {}).start().close();
    }

    @Test
    void anUnstartedOneIsClosedWithoutAnAction() {
        AtomicInteger actions = new AtomicInteger();
        Periodic.of("test", SOON, actions::incrementAndGet).close();
        assertThat(actions).hasValue(0);
    }
}
