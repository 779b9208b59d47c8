// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.treehaul.strategies.ranks.CommunicatorContract;
import org.treehaul.strategies.ranks.communicator.Communicator;

class SimulatedNetworkTest extends CommunicatorContract {

    @Override
    protected void run(int ranks, Consumer<Communicator> body) {
        List<Thread> threads = new ArrayList<>();
        List<Throwable> thrown = new java.util.concurrent.CopyOnWriteArrayList<>();
        for (Communicator c : SimulatedNetwork.of(hosts(ranks), Costs.defaults()).communicators()) {
            threads.add(Thread.ofPlatform().start(() -> {
                try {
                    body.accept(c);
                } catch (Throwable e) {
                    thrown.add(e);
                }
            }));
        }
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
        assertThat(thrown).isEmpty();
    }

    @Test
    void aMessageTakesItsLatencyAndItsBytes() {
        SimulatedNetwork network = SimulatedNetwork.of(List.of(0, 0, 1), new Costs(100, 1, 5000, 2, 0, 0));
        List<Communicator> ranks = network.communicators();
        ranks.get(0).send(2, new byte[50]);
        ranks.get(0).send(1, new byte[50]);
        assertThat(ranks.get(1).poll(Duration.ZERO)).isEmpty();
        assertThat(ranks.get(1).poll(Duration.ofSeconds(1))).isPresent();
        assertThat(network.nanos()).isEqualTo(150);
        assertThat(ranks.get(2).poll(Duration.ofNanos(4949))).isEmpty();
        assertThat(network.nanos()).isEqualTo(5099);
        assertThat(ranks.get(2).poll(Duration.ofNanos(1))).isPresent();
    }
}
