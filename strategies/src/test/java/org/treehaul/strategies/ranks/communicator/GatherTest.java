// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.communicator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.event.Cancellation;

class GatherTest {

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 99_992, 99_993, 350_000})
    void rankZeroReceivesTheBytesOfEachRank(int length) {
        Transport.threads().run(Collections.nCopies(3, 0), c -> {
            byte[] mine = new byte[length + c.rank()];
            Arrays.fill(mine, (byte) (c.rank() + 1));
            List<byte[]> all = Gather.inFirst(c, mine, new Cancellation());
            if (c.rank() > 0) {
                assertThat(all).isEmpty();
                return;
            }
            assertThat(all).hasSize(3);
            for (int rank = 0; rank < 3; rank++) {
                byte[] expected = new byte[length + rank];
                Arrays.fill(expected, (byte) (rank + 1));
                assertThat(all.get(rank)).isEqualTo(expected);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aCancelledGatherWaitsForNoRank(int stopped) {
        assertThatThrownBy(() -> Transport.threads().run(Collections.nCopies(2, 0), c -> {
            if (c.rank() == stopped) {
                Cancellation cancellation = new Cancellation();
                cancellation.cancel();
                Gather.inFirst(c, new byte[1], cancellation);
            }
        })).isInstanceOf(RanksException.class).hasMessageContaining("was stopped");
    }

    @ParameterizedTest
    @CsvSource({"100, 1", "101, 2", "200, 2", "201, 3"})
    void rankZeroAnswersEachHundredPartsOfALongMessage(int parts, int answers) {
        Transport.threads().run(Collections.nCopies(3, 0), c -> {
            byte[] mine = new byte[parts * (Communicator.LONGEST_MESSAGE - 8)];
            Arrays.fill(mine, (byte) c.rank());
            List<byte[]> all = Gather.inFirst(c, mine, new Cancellation());
            if (c.rank() > 0) {
                assertThat(c.traffic().messages().getFirst()).isEqualTo(parts);
                return;
            }
            for (int rank = 1; rank < 3; rank++) {
                byte[] expected = new byte[mine.length];
                Arrays.fill(expected, (byte) rank);
                assertThat(Arrays.equals(all.get(rank), expected)).isTrue();
            }
            assertThat(c.traffic().messages()).containsExactly(0L, (long) answers, (long) answers);
        });
    }

    @Test
    void consecutiveGathersAreNotMixed() {
        Transport.threads().run(Collections.nCopies(4, 0), c -> {
            for (byte round = 0; round < 50; round++) {
                List<byte[]> all = Gather.inFirst(c, new byte[]{round}, new Cancellation());
                byte now = round;
                assertThat(all).hasSize(c.rank() == 0 ? 4 : 0).allSatisfy(b -> assertThat(b).containsExactly(now));
            }
        });
    }
}
