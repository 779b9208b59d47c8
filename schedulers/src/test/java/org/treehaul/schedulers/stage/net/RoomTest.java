// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

/** Room for which threads wait, and work that is left behind. */
class RoomTest {

    @Test
    void workThatIsLeftBehindIsDoneInItsOrderOnceThereIsRoom() {
        Room room = new Room();
        room.give(10);
        List<String> done = new ArrayList<>();
        assertThat(room.takeOrLater(6, () -> done.add("never"))).isTrue();
        assertThat(room.takeOrLater(6, () -> done.add("six"))).isFalse();
        assertThat(room.takeOrLater(1, () -> done.add("one"))).as("not before that of six").isFalse();
        assertThat(done).isEmpty();
        room.give(6);
        assertThat(done).containsExactly("six", "one");
        assertThat(room.tryTake(3)).isTrue();
        assertThat(room.tryTake(1)).isFalse();
    }

    @Test
    void workMayGiveRoomItselfHoweverMuchWaits() {
        Room room = new Room();
        AtomicInteger done = new AtomicInteger();
        for (int i = 0; i < 100_000; i++) {
            assertThat(room.takeOrLater(1, () -> {
                done.incrementAndGet();
                room.give(1);
            })).isFalse();
        }
        room.give(1);
        assertThat(done).hasValue(100_000);
    }

    @Test
    void manyThreadsLeaveNothingUndone() throws Exception {
        Room room = new Room();
        room.give(3);
        int each = 2000;
        CountDownLatch done = new CountDownLatch(4 * each);
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            boolean waits = t == 3;
            threads.add(Thread.ofPlatform().start(() -> {
                for (int i = 0; i < each; i++) {
                    int cost = 1 + i % 3;
                    Runnable work = () -> {
                        done.countDown();
                        room.give(cost);
                    };
                    if (waits) {
                        room.take(cost);
                        work.run();
                    } else if (room.takeOrLater(cost, work)) {
                        work.run();
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        done.await();
        assertThat(room.tryTake(3)).isTrue();
        assertThat(room.tryTake(1)).isFalse();
    }
}
