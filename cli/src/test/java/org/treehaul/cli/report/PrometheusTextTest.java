// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;

import org.junit.jupiter.api.Test;

class PrometheusTextTest {

    private static final String HOSTILE = "a\"b\nc} 7";

    @Test
    void samplesOfAMetricAreOneGroupAndLabelsAreEscaped() {
        String text = new PrometheusText()
                .add("x_total", PrometheusText.Type.counter, "Counts\nx\\.", Map.of("path", HOSTILE), 12)
                .add("y_seconds", PrometheusText.Type.gauge, "Time.", Map.of(), 1.5)
                .add("x_total", PrometheusText.Type.counter, "Counts x.", Map.of("path", "other"), 1e12)
                .finish();
        assertThat(text).isEqualTo("""
                # HELP x_total Counts\\nx\\\\.
                # TYPE x_total counter
                x_total{path="a\\"b\\nc} 7"} 12
                x_total{path="other"} 1000000000000
                # HELP y_seconds Time.
                # TYPE y_seconds gauge
                y_seconds 1.5
                """);
        assertThat(MetricsParser.parse(text)).hasSize(3)
                .containsEntry(new MetricsParser.Sample("x_total", Map.of("path", HOSTILE)), 12.0);
    }
}
