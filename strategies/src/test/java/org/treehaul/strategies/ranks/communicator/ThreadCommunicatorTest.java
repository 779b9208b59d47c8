// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.communicator;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
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
}
