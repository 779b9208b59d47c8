// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.treehaul.core.plan.Batching;

class StrategiesTest {

    @Test
    void eachIsFoundByItsName() {
        for (Batching strategy : new Batching[]{Strategies.sizeBalanced(), Strategies.directoryGrouped(),
                Strategies.streaming()}) {
            assertThat(Strategies.named(strategy.name()).getClass()).isEqualTo(strategy.getClass());
        }
    }

    @Test
    void thoseOfOtherJarsAreFound() {
        assertThat(Strategies.named("every-other")).isInstanceOf(EveryOther.class);
    }

    @Test
    void aNameThatNoneHasIsRefusedWithThoseThereAre() {
        assertThatThrownBy(() -> Strategies.named("round\nrobin")).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("unknown strategy 'round\\nrobin'; choose one of directory-grouped, every-other, "
                        + "size-balanced, streaming");
    }
}
