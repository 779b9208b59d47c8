// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench.stage;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.Map;

import org.junit.jupiter.api.Test;

class StageTimesTest {

    private final StageTimes times = new StageTimes();

    private void add(Load load, double cp, double others) {
        Map<Way, Double> seconds = new EnumMap<>(Way.class);
        for (Way way : Way.values()) {
            seconds.put(way, way == Way.CP ? cp : others);
        }
        times.add(load, 1, new StageTimes.Turn(seconds));
    }

    @Test
    void eachLoadHasATableOfMediansAndOfTheRatiosWithinATurn() {
        add(Load.large(1024), 1, 2);
        add(Load.large(1024), 3, 4);
        add(Load.large(1024), 9, 10);
        add(Load.small(50), 1, 5);

        assertThat(times.text())
                .contains("## 1024 MiB in 8 files",
                        "| 1 | 3.00 (1.00) | 4.00 (0.75) | 4.00 (0.75) | 4.00 (0.75) | 4.00 (0.75) |",
                        "## 50 files of 4 KiB", "| 1 | 1.00 (1.00) | 5.00 (0.20) |")
                .doesNotContain("## Each GiB more");
    }

    @Test
    void theSecondsOfEachGibibyteDoNotHaveThoseOfTheStart() {
        add(Load.large(1024), 0.4, 1);
        add(Load.large(3072), 1.2, 2);

        assertThat(times.text()).contains("## Each GiB more", "| 1 | 0.40 (1.00) | 0.50 (0.80) |");
    }
}
