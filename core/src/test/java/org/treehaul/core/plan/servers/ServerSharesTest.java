// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.Campaign;

class ServerSharesTest {

    private static ServerTable table(int servers) {
        ServerTable table = new ServerTable();
        for (int i = 1; i <= servers; i++) {
            table.number(List.of("s" + i));
        }
        return table;
    }

    private static List<Integer> batches(ServerShares shares) {
        return IntStream.range(0, shares.parts()).map(shares::batches).boxed().toList();
    }

    @Test
    void eachServerGetsBatchesByItsWorkAndTheRestComesLast() {
        ServerShares shares = ServerShares.of(table(2), new double[]{100, 500, 200}, 8);
        assertThat(shares.parts()).isEqualTo(3);
        assertThat(shares.servers(0)).containsExactly("s1");
        assertThat(shares.servers(1)).containsExactly("s2");
        assertThat(shares.servers(2)).isEmpty();
        assertThat(batches(shares)).containsExactly(5, 2, 1);
        assertThat(IntStream.range(0, 3).map(shares::part)).containsExactly(2, 0, 1);
    }

    @Test
    void serversWithLessThanHalfABatchShareTheRest() {
        ServerShares shares = ServerShares.of(table(3), new double[]{0, 900, 40, 60}, 8);
        assertThat(batches(shares)).containsExactly(7, 1);
        assertThat(shares.servers(1)).isEmpty();
        assertThat(shares.part(2)).isEqualTo(shares.part(3)).isEqualTo(1);
    }

    @Test
    void oneBatchIsForAllServers() {
        ServerShares shares = ServerShares.of(table(2), new double[]{1, 5, 2}, 1);
        assertThat(batches(shares)).containsExactly(1);
        assertThat(shares.servers(0)).isEmpty();
    }

    @Test
    void withoutANumberOfBatchesEachServerIsAPartOfItsOwn() {
        ServerShares shares = ServerShares.of(table(2), new double[]{1, 5, 2}, 0);
        assertThat(batches(shares)).containsExactly(0, 0, 0);
    }

    @Test
    void theOrderInWhichThreadsNumberedTheServersDoesNotMatter() {
        ServerTable other = new ServerTable();
        other.number(List.of("s2"));
        other.number(List.of("s1"));
        ServerShares a = ServerShares.of(table(2), new double[]{1, 5, 5}, 4);
        ServerShares b = ServerShares.of(other, new double[]{1, 5, 5}, 4);
        assertThat(IntStream.range(0, b.parts()).mapToObj(b::servers).toList())
                .isEqualTo(IntStream.range(0, a.parts()).mapToObj(a::servers).toList());
        assertThat(batches(b)).isEqualTo(batches(a));
    }

    @Test
    void thereAreAsManyBatchesAsWantedAndEachPartHasOne() throws Exception {
        Campaign.each(1, 2000, seed -> {
            Random random = new Random(seed);
            double[] work = new double[1 + random.nextInt(20)];
            for (int i = 0; i < work.length; i++) {
                work[i] = random.nextInt(4) == 0 ? 0 : Math.pow(2, random.nextInt(20));
            }
            work[random.nextInt(work.length)] = 7;
            int wanted = 1 + random.nextInt(40);
            ServerShares shares = ServerShares.of(table(work.length - 1), work, wanted);
            assertThat(batches(shares)).allMatch(batches -> batches >= 1);
            assertThat(batches(shares).stream().mapToInt(Integer::intValue).sum()).isEqualTo(wanted);
            for (int i = 0; i < work.length; i++) {
                if (work[i] > 0) {
                    assertThat(shares.part(i)).isBetween(0, shares.parts() - 1);
                }
            }
        });
    }

    @Test
    void batchesOfDifferentPartsAlternate() {
        assertThat(ServerShares.alternate(new int[]{2, 2, 2})).containsExactly(0, 1, 2, 0, 1, 2);
        assertThat(ServerShares.alternate(new int[]{4, 2, 0, 1})).containsExactly(0, 1, 0, 3, 0, 1, 0);
        assertThat(ServerShares.alternate(new int[]{0})).isEmpty();
    }
}
