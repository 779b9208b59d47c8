// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/** Reads the text format of Prometheus, version 0.0.4, and refuses what a strict reader would refuse. */
public final class MetricsParser {

    private static final Pattern HELP = Pattern.compile("# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)");
    private static final Pattern TYPE = Pattern.compile("# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge)");
    private static final Pattern SAMPLE = Pattern
            .compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)\\})? (-?[0-9]+(?:\\.[0-9]+)?(?:E-?[0-9]+)?)");
    private static final Pattern LABEL = Pattern
            .compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\\n]|\\\\[\\\\\"n])*)\"(,|$)");

    /** One sample. */
    public record Sample(String name, Map<String, String> labels) {}

    private MetricsParser() {}

    /**
     * Returns the value of each sample.
     *
     * @throws IllegalArgumentException if the text breaks a rule of the format
     */
    public static Map<Sample, Double> parse(String text) {
        require(text.endsWith("\n"), "the last line has no end");
        Map<Sample, Double> samples = new LinkedHashMap<>();
        Set<String> described = new HashSet<>();
        Map<String, String> types = new HashMap<>();
        String current = "";
        for (String line : text.lines().toList()) {
            Matcher help = HELP.matcher(line);
            Matcher type = TYPE.matcher(line);
            Matcher sample = SAMPLE.matcher(line);
            if (help.matches()) {
                require(described.add(help.group(1)), line);
            } else if (type.matches()) {
                require(types.put(type.group(1), type.group(2)) == null && described.contains(type.group(1)), line);
                current = type.group(1);
            } else {
                require(sample.matches(), line);
                // All samples of a metric come as one group after its type.
                require(sample.group(1).equals(current), line);
                require("gauge".equals(types.get(current)) || current.endsWith("_total"), line);
                require(samples.put(new Sample(current, labels(sample.group(2))),
                        Double.valueOf(sample.group(3))) == null, line);
            }
        }
        return samples;
    }

    private static Map<String, String> labels(@Nullable String text) {
        Map<String, String> labels = new LinkedHashMap<>();
        int at = 0;
        Matcher label = LABEL.matcher(text == null ? "" : text);
        while (text != null && at < text.length()) {
            require(label.find(at) && label.start() == at, text);
            String value = label.group(2).replaceAll("\\\\n", "\n").replaceAll("\\\\([\\\\\"])", "$1");
            require(labels.put(label.group(1), value) == null, text);
            at = label.end();
        }
        return labels;
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
