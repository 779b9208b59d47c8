// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.strategies.ranks.CommunicatorContract;
import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.RanksException;

/** MPJ Express in one process. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class OneProcessTest extends CommunicatorContract {

    @Override
    protected void run(int ranks, Consumer<Communicator> body) {
        new OneProcess(MpjInstalled.home()).run(hosts(ranks), body);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 8})
    void ranksThatAllSendMoreThanAnyTakesGetItAll(int ranks) {
        int messages = 40;
        AtomicInteger received = new AtomicInteger();
        run(ranks, c -> {
            // Each rank sends ten times what may be on its way before any rank takes a message.
            for (int i = 0; i < messages; i++) {
                for (int to = 0; to < ranks; to++) {
                    c.send(to, new byte[Communicator.LONGEST_MESSAGE]);
                }
            }
            for (int i = 0; i < messages * ranks; i++) {
                while (c.poll(Duration.ofMillis(10)).isEmpty()) {
                    // No message has come yet.
                }
                received.incrementAndGet();
            }
        });
        assertThat(received).hasValue(messages * ranks * ranks);
    }

    @Test
    void aRankThatLeavesEarlyLetsTheOthersLeave() {
        AtomicInteger ended = new AtomicInteger();
        run(3, c -> {
            if (c.rank() > 0) {
                for (int i = 0; i < 30; i++) {
                    c.send(0, new byte[Communicator.LONGEST_MESSAGE]);
                }
            }
            ended.incrementAndGet();
        });
        assertThat(ended).hasValue(3);
    }

    @Test
    void anExceptionOfOneRankIsThrownAndEndsTheOthers() {
        AtomicInteger told = new AtomicInteger();
        assertThatThrownBy(() -> run(4, c -> {
            if (c.rank() == 2) {
                throw new IllegalArgumentException("rank 2 fails");
            }
            try {
                while (true) {
                    c.poll(Duration.ofSeconds(1));
                }
            } catch (RanksException e) {
                assertThat(e).hasMessageContaining("rank 2 failed");
                told.incrementAndGet();
                throw e;
            }
        })).isInstanceOf(IllegalArgumentException.class).hasMessage("rank 2 fails");
        assertThat(told).hasValue(3);
    }

    @Test
    void groupsFollowEachOther() {
        List<Integer> sizes = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < 4; i++) {
            run(2, c -> sizes.add(c.size()));
        }
        assertThat(sizes).hasSize(8).containsOnly(2);
    }
}
