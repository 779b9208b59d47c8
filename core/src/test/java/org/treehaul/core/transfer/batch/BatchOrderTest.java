// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.treehaul.core.plan.servers.OwnHost;

class BatchOrderTest {

    // Three servers, and no server, take turns.
    private static List<String> servers(int batch) {
        return batch % 4 == 3 ? List.of() : List.of("node" + batch % 4);
    }

    private static int[] order(int index, String host) {
        return new BatchOrder(index, () -> OwnHost.named(host), false).byServers(BatchOrderTest::servers, 16);
    }

    @Test
    void batchesOfTheOwnHostComeFirstAndThoseOfOthersLast() {
        int[] order = order(0, "node1");
        assertThat(order).hasSize(16).containsOnly(IntStream.range(0, 16).toArray());
        assertThat(IntStream.of(order).limit(4)).allMatch(batch -> batch % 4 == 1);
        assertThat(IntStream.of(order).skip(4).limit(4)).allMatch(batch -> batch % 4 == 3);
    }

    @Test
    void workersOnOtherHostsBeginAtDifferentServers() {
        Set<Integer> servers = new HashSet<>();
        for (int index = 0; index < 4; index++) {
            int[] order = order(index, "client");
            assertThat(order).containsOnly(IntStream.range(0, 16).toArray());
            servers.add(order[0] % 4);
        }
        // One of them begins with the batches of no server.
        assertThat(servers).containsExactlyInAnyOrder(0, 1, 2, 3);
    }

    @Test
    void workersOfOneHostBeginWithDifferentBatches() {
        assertThat(IntStream.range(0, 4).map(index -> order(index, "node1")[0]).distinct().count()).isGreaterThan(1);
    }
}
