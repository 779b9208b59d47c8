// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The division of memory among connections. */
class BudgetTest {

    private static final class Counted extends Budget.Account {
        int granted;

        @Override
        void granted() {
            granted++;
        }
    }

    private final Budget budget = new Budget(100);

    private Counted joined() {
        budget.join();
        return new Counted();
    }

    @Test
    void eachMayHaveItsShare() {
        Counted first = joined();
        Counted second = joined();
        assertThat(budget.take(first, 50)).isTrue();
        assertThat(budget.take(first, 1)).isFalse();
        assertThat(budget.take(second, 50)).isTrue();
        budget.giveBack(second, 50);
        assertThat(first.granted).isZero();
        budget.giveBack(first, 50);
        assertThat(first.granted).isEqualTo(1);
        assertThat(budget.free()).isEqualTo(99);
    }

    @Test
    void oneWithoutMemoryMayHaveMoreThanItsShare() {
        Counted first = joined();
        joined();
        assertThat(budget.take(first, 90)).isTrue();
    }

    @Test
    void thoseThatWaitAreServedInTheirOrder() {
        Counted first = joined();
        Counted second = joined();
        Counted third = joined();
        assertThat(budget.take(first, 80)).isTrue();
        assertThat(budget.take(second, 60)).isFalse();
        assertThat(budget.take(third, 10)).as("it would pass by the second for ever").isFalse();
        budget.giveBack(first, 80);
        assertThat(second.granted).isEqualTo(1);
        assertThat(third.granted).isEqualTo(1);
    }

    @Test
    void oneThatLeavesDoesNotWaitAnyMore() {
        Counted first = joined();
        Counted second = joined();
        Counted third = joined();
        assertThat(budget.take(first, 80)).isTrue();
        assertThat(budget.take(second, 60)).isFalse();
        assertThat(budget.take(third, 10)).isFalse();
        budget.leave(second);
        assertThat(third.granted).isEqualTo(1);
        budget.giveBack(first, 80);
        assertThat(second.granted).isZero();
        assertThat(budget.free()).isEqualTo(90);
    }
}
