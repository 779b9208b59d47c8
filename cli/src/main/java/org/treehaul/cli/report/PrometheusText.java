// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Metrics in the text format of Prometheus, version 0.0.4, as the textfile collector of node_exporter reads it
 * (https://prometheus.io/docs/instrumenting/exposition_formats/). Used by one thread.
 */
public final class PrometheusText {

    /** The type of a metric. */
    public enum Type {
        /** It only grows during a run. */
        counter,
        /** It may grow and shrink. */
        gauge
    }

    private record Family(Type type, String help, List<String> samples) {}

    private final Map<String, Family> families = new LinkedHashMap<>();

    /**
     * Adds a sample.
     *
     * @param name the name of the metric, with its unit
     * @param help its description; that of the first sample counts
     * @param labels the labels, in the order of their output
     */
    public PrometheusText add(String name, Type type, String help, Map<String, String> labels, double value) {
        return add(name, type, help, labels, number(value));
    }

    /** Adds one sample as the other method does, exactly. */
    public PrometheusText add(String name, Type type, String help, Map<String, String> labels, long value) {
        return add(name, type, help, labels, Long.toString(value));
    }

    private PrometheusText add(String name, Type type, String help, Map<String, String> labels, String value) {
        String shown = labels.entrySet()
                .stream()
                .map(label -> label.getKey() + "=\"" + escaped(label.getValue()).replace("\"", "\\\"") + "\"")
                .collect(Collectors.joining(","));
        families.computeIfAbsent(name, n -> new Family(type, help, new ArrayList<>()))
                .samples()
                .add(name + (shown.isEmpty() ? "" : "{" + shown + "}") + " " + value);
        return this;
    }

    private static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1L << 53
                ? String.valueOf((long) value)
                : String.valueOf(value);
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\\\").replace("\n", "\\n");
    }

    /** Returns the text of all metrics. */
    public String finish() {
        StringBuilder text = new StringBuilder();
        families.forEach((name, family) -> {
            text.append("# HELP ").append(name).append(' ').append(escaped(family.help())).append('\n');
            text.append("# TYPE ").append(name).append(' ').append(family.type()).append('\n');
            family.samples().forEach(sample -> text.append(sample).append('\n'));
        });
        return text.toString();
    }
}
