// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

class TaskWatchTest {

    @Test
    void tasksAreEndedOnceWhenTheirWorkMayNotGoOn() throws Exception {
        AtomicBoolean mayGoOn = new AtomicBoolean(true);
        CountDownLatch ended = new CountDownLatch(1);
        AtomicInteger times = new AtomicInteger();
        try (TaskWatch _ = TaskWatch.start(mayGoOn::get, () -> {
            times.incrementAndGet();
            ended.countDown();
        })) {
            mayGoOn.set(false);
            ended.await();
        }
        assertThat(times).hasValue(1);
    }

    @Test
    void aWatchThatIsClosedEndsNothing() {
        AtomicInteger times = new AtomicInteger();
        AtomicBoolean mayGoOn = new AtomicBoolean(true);
        TaskWatch.start(mayGoOn::get, times::incrementAndGet).close();
        mayGoOn.set(false);
        assertThat(times).hasValue(0);
    }
}
