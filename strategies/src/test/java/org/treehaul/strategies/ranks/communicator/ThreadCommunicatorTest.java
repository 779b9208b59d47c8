// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.communicator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.treehaul.strategies.ranks.CommunicatorContract;

class ThreadCommunicatorTest extends CommunicatorContract {

    @Override
    protected void run(int ranks, Consumer<Communicator> body) {
        Transport.threads().run(hosts(ranks), body);
    }

    @Test
    void exceptionsOfRanksAreThrown() {
        assertThatThrownBy(() -> Transport.threads().run(List.of(0, 0), c -> {
            if (c.rank() == 1) {
                throw new IllegalArgumentException("rank 1 fails");
            }
        })).isInstanceOf(IllegalArgumentException.class).hasMessage("rank 1 fails");
    }

    @Test
    void ranksThatWaitForAFailedRankEndWithItsNumberAndTheReason() {
        List<String> messages = Collections.synchronizedList(new ArrayList<>());
        assertThatThrownBy(() -> Transport.threads().run(List.of(0, 0, 0), c -> {
            if (c.rank() == 1) {
                c.send(2, new byte[]{1});
                throw new OutOfMemoryError("Java heap space");
            }
            if (c.rank() == 2) {
                Optional<Received> sentBefore;
                do {
                    sentBefore = c.poll(Duration.ofSeconds(1));
                } while (sentBefore.isEmpty());
            }
            try {
                while (true) {
                    c.poll(Duration.ofSeconds(1));
                }
            } catch (RanksException e) {
                messages.add(e.getMessage());
                throw e;
            }
        })).isInstanceOf(OutOfMemoryError.class);
        assertThat(messages).hasSize(2).containsOnly("rank 1 failed: java.lang.OutOfMemoryError: Java heap space");
    }
}
