// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench.growth;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

import org.treehaul.bench.Meter.Measurement;
import org.treehaul.core.picture.Svg;

/** The measurements of {@link Growth} as Markdown and as pictures. Used by one thread. */
final class GrowthReport {

    private static final String TIME = "growth-time";
    private static final String MEMORY = "growth-memory";
    private static final double MICROS = 1e6;
    private static final double MIB = 1 << 20;
    private static final int KIB = 1024;

    private final List<Row> rows = new ArrayList<>();
    private final String command;
    private final Map<String, String> facts;

    /**
     * A step on one number of entries.
     *
     * @param run the measurement of its process
     * @param data the bytes of its state directory or index afterwards, 0 if it has none
     */
    record Row(GrowthStep step, long entries, Measurement run, long data) {

        /** Returns the row of the table. */
        String line() {
            return "| %s | %,d | %.2f | %.2f | %.2f | %.0f | %s |%s".formatted(step.label(), entries, run.wall(),
                    run.cpu(), run.cpu() * MICROS / entries, peak() / MIB,
                    data == 0 ? "" : "%.1f".formatted((double) data / entries),
                    run.code() == 0 ? "" : " **exit code " + run.code() + "**: " + run.error().replace('\n', ' '));
        }

        /** Returns the most memory of the process in bytes. */
        double peak() {
            return (double) run.peakKib() * KIB;
        }
    }

    /**
     * Begins a report.
     *
     * @param command the command that repeats it
     * @param facts names and values that describe the machine
     */
    GrowthReport(String command, Map<String, String> facts) {
        this.command = command;
        this.facts = new LinkedHashMap<>(facts);
    }

    void add(Row row) {
        rows.add(row);
    }

    /** Returns whether each step did what it must. */
    boolean isValid() {
        return !rows.isEmpty() && rows.stream().allMatch(row -> row.run().code() == 0);
    }

    private List<Row> of(GrowthStep step) {
        return rows.stream().filter(row -> row.step() == step && row.run().code() == 0).toList();
    }

    /**
     * Returns the power of the number of entries with which a value grows between two numbers of entries: 1 is
     * proportional, 0 constant.
     */
    static double exponent(long fewer, double smaller, long more, double larger) {
        return Math.log(larger / smaller) / Math.log((double) more / fewer);
    }

    /**
     * Returns the report.
     *
     * @param pictures the path of the pictures from the directory of the report; empty if there are none
     */
    String text(String pictures) {
        StringBuilder text = new StringBuilder("# Growth with the number of entries\n\n    " + command + "\n\n"
                + """
                        Each step is a process with a heap of its own; time, CPU time and the peak of its memory are those of `wait4`, from start to end. The start takes most of the
                        time with few entries. "bytes" are those of the state directory, or of the index, after the step, for each entry.
                        [bench.md](../guide/bench.md#growth) describes the steps.

                        |  |  |
                        | --- | --- |
                        """);
        facts.forEach((name, value) -> text.append("| ").append(name).append(" | ").append(value).append(" |\n"));
        if (!pictures.isEmpty()) {
            text.append("\n![CPU time over entries](" + pictures + "/" + TIME + ".svg)\n![Memory over entries]("
                    + pictures + "/" + MEMORY + ".svg)\n");
        }
        text.append(
                """

                        ## From the second largest number of entries to the largest

                        The power of the number of entries with which time grows (1: proportional), and what each further entry takes.

                        | step | from | to | power of elapsed time | of CPU time | CPU µs for each further entry | bytes of memory for each further entry |
                        | --- | --- | --- | --- | --- | --- | --- |
                        """);
        for (GrowthStep step : GrowthStep.values()) {
            List<Row> all = of(step);
            if (all.size() > 1) {
                text.append(growth(all.get(all.size() - 2), all.getLast()));
            }
        }
        text.append("""

                ## All measurements

                | step | entries | s | CPU s | CPU µs for each entry | MiB of memory | bytes |
                | --- | --- | --- | --- | --- | --- | --- |
                """);
        for (GrowthStep step : GrowthStep.values()) {
            rows.stream().filter(row -> row.step() == step).forEach(row -> text.append(row.line()).append('\n'));
        }
        text.append('\n');
        Stream.of(GrowthStep.values())
                .filter(step -> rows.stream().anyMatch(row -> row.step() == step))
                .forEach(step -> text.append("- `" + step.label() + "`: " + step.title() + ".\n"));
        return text.toString();
    }

    private static String growth(Row from, Row to) {
        long more = to.entries() - from.entries();
        return "| %s | %,d | %,d | %.2f | %.2f | %.2f | %.1f |%n".formatted(to.step().label(), from.entries(),
                to.entries(), exponent(from.entries(), from.run().wall(), to.entries(), to.run().wall()),
                exponent(from.entries(), from.run().cpu(), to.entries(), to.run().cpu()),
                (to.run().cpu() - from.run().cpu()) * MICROS / more, (to.peak() - from.peak()) / more);
    }

    /** Draws the pictures in a directory. */
    void draw(Path directory) throws IOException {
        Files.writeString(directory.resolve(TIME + ".svg"),
                chart("CPU time over the number of entries", "seconds", row -> row.run().cpu()).finish());
        Files.writeString(directory.resolve(MEMORY + ".svg"),
                chart("Memory over the number of entries", "MiB", row -> row.peak() / MIB).finish());
    }

    private Svg chart(String title, String up, ToDoubleFunction<Row> value) {
        Map<String, TreeMap<Double, Double>> series = new LinkedHashMap<>();
        for (GrowthStep step : GrowthStep.values()) {
            TreeMap<Double, Double> points = new TreeMap<>();
            of(step).forEach(row -> points.put((double) row.entries(), value.applyAsDouble(row)));
            if (!points.isEmpty()) {
                series.put(step.label().toLowerCase(Locale.ROOT), points);
            }
        }
        return GrowthChart.draw(title, "entries", up, series);
    }
}
