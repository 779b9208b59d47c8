// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.treehaul.core.transfer.directory.SharedBandwidth;

/** The share of a limit that each process takes. */
class BandwidthShareTest {

    @Test
    void anIdleProcessLeavesItsShareToTheOthers() {
        double busy = Double.POSITIVE_INFINITY;
        assertThat(SharedBandwidth.share(1000, busy, List.of())).isEqualTo(1000);
        assertThat(SharedBandwidth.share(1000, busy, List.of(busy, busy, busy))).isEqualTo(250);
        assertThat(SharedBandwidth.share(1000, busy, List.of(100.0))).isEqualTo(900);
        assertThat(SharedBandwidth.share(1000, 100, List.of(busy))).isEqualTo(100);
        assertThat(SharedBandwidth.share(1000, 100, List.of(200.0))).isEqualTo(100 + 350);
        assertThat(SharedBandwidth.share(1600, 0, List.of(busy))).isEqualTo(100);
    }

    @Property(tries = 200)
    void theSharesOfAllAreTheLimit(@ForAll @LongRange(min = 1, max = 1L << 40) long limit,
            @ForAll @Size(min = 1, max = 40) List<@DoubleRange(max = 1e12) Double> demands) {
        double sum = 0;
        double[] sorted = demands.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        double[] shares = new double[sorted.length];
        for (int i = 0; i < sorted.length; i++) {
            List<Double> others = new ArrayList<>(Arrays.stream(sorted).boxed().toList());
            others.remove(i);
            shares[i] = SharedBandwidth.share(limit, sorted[i], others);
            sum += shares[i];
        }
        assertThat(sum).isCloseTo((double) limit, within(limit * 1e-6));
        assertThat(shares).isSorted();
    }
}
