// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.strategies.ranks.communicator.RanksException;
import org.treehaul.strategies.ranks.communicator.Received;

/** A rank whose threads end without an answer from the others. */
class MpjCommunicatorTest {

    /** A channel of two ranks on which one of the calls finds no memory, and the other waits. */
    private record WithoutMemory(boolean toSend) implements FrameChannel {

        @Override
        public int rank() {
            return 0;
        }

        @Override
        public void send(byte[] frame, int to) {
            call(toSend);
        }

        @Override
        public Received receive() {
            call(!toSend);
            return new Received(1, Frame.of(Frame.Kind.BEAT));
        }

        private static void call(boolean fails) {
            if (fails) {
                throw new OutOfMemoryError("Java heap space");
            }
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void finish() {
            // The test ends before.
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aThreadThatEndsByAnErrorBreaksTheGroup(boolean toSend) {
        MpjCommunicator rank = new MpjCommunicator(new WithoutMemory(toSend), Members.here(List.of(0, 0)),
                new Lifeline(), Duration.ZERO);
        assertThatThrownBy(() -> {
            rank.send(1, new byte[1]);
            rank.poll(Duration.ofMinutes(1));
        }).isInstanceOf(RanksException.class).hasMessage("rank 0 failed: java.lang.OutOfMemoryError: Java heap space");
    }
}
