// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.communicator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;
import org.treehaul.core.event.Cancellation;

class BroadcastTest {

    @Test
    void allRanksReceiveABroadcastOfRankZeroAndLoseNoEarlierMessage() {
        CountDownLatch sent = new CountDownLatch(2);
        Transport.threads().run(Collections.nCopies(3, 0), communicator -> {
            // A rank sends this when it has delivered the announcement before the others.
            if (communicator.rank() > 0) {
                communicator.send(3 - communicator.rank(), new byte[]{'q', (byte) communicator.rank()});
            }
            sent.countDown();
            if (communicator.rank() == 0) {
                await(sent);
            }
            Broadcast.Delivered delivered = Broadcast.fromFirst(communicator,
                    communicator.rank() == 0 ? "this" : "that", new Cancellation());
            assertThat(delivered.text()).isEqualTo("this");
            if (communicator.rank() > 0) {
                Received early = delivered.communicator().poll(Duration.ofMinutes(1)).orElseThrow();
                assertThat(early.bytes()).containsExactly('q', 3 - communicator.rank());
            }
        });
    }

    @Test
    void oneThatIsStoppedWaitsForNothing() {
        Cancellation cancellation = new Cancellation();
        cancellation.cancel();
        assertThatThrownBy(() -> Transport.threads().run(Collections.nCopies(2, 0), communicator -> {
            if (communicator.rank() == 1) {
                Broadcast.fromFirst(communicator, "", cancellation);
            }
        })).isInstanceOf(RanksException.class).hasMessageContaining("was stopped");
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
