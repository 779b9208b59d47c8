// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Random;

import org.junit.jupiter.api.Test;

class DurationsTest {

    @Test
    void partsAndMultiplesAreThoseOfDuration() {
        Random random = new Random(5);
        for (int i = 0; i < 10_000; i++) {
            Duration time = Duration.ofSeconds(random.nextLong() >>> 28, random.nextInt(1_000_000_000));
            int number = 1 + random.nextInt(random.nextBoolean() ? 20 : 1_000_000_000);
            assertThat(Durations.part(time, number)).isEqualTo(time.dividedBy(number));
            int factor = random.nextInt(100_000);
            assertThat(Durations.multiple(time, factor)).isEqualTo(time.multipliedBy(factor));
        }
    }

    @Test
    void aMultipleBeyondTheRangeIsRefused() {
        assertThatThrownBy(() -> Durations.multiple(Duration.ofSeconds(Long.MAX_VALUE), 2))
                .isInstanceOf(ArithmeticException.class);
    }
}
