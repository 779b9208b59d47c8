// SPDX-License-Identifier: Apache-2.0
package org.treehaul.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;

class MedianTest {

    @Test
    void theMedianIsTheMiddleValueOrTheMeanOfTheTwoInTheMiddle() {
        assertThat(Median.of(List.of(9.0, 1.0, 2.0))).isEqualTo(2);
        assertThat(Median.of(List.of(3.0, 1.0))).isEqualTo(2);
        assertThat(Median.of(List.of(9.0, 1.0, 2.0, 4.0))).isEqualTo(3);
        assertThat(Median.of(List.of())).isNaN();
    }
}
