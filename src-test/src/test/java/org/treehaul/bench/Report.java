// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.treehaul.bench.Race.Outcome;
import org.treehaul.bench.Series.Spread;

/** Formats the results as Markdown and as CSV. */
final class Report {

    private final List<Outcome> outcomes = new ArrayList<>();
    private final Map<String, String> lost = new LinkedHashMap<>();
    private final List<String> leftOut = new ArrayList<>();
    private final Map<String, String> facts;
    private final Map<String, String> versions;
    private final String command;

    /**
     * Begins a report.
     *
     * @param facts the environment of the measurements
     * @param versions the versions of the programs
     * @param command the command that repeats them
     */
    Report(Map<String, String> facts, Map<String, String> versions, String command) {
        this.facts = facts;
        this.versions = versions;
        this.command = command;
    }

    void add(Outcome outcome) {
        outcomes.add(outcome);
    }

    /** Records which metadata a copying tool loses. */
    void lost(Tool tool, String words) {
        lost.put(tool.name(), words);
    }

    /** Records a measurement that was left out, and the reason. */
    void leftOut(String line) {
        leftOut.add(line);
    }

    /** Returns whether every run of our own tools was right. */
    boolean isValid() {
        return outcomes.stream()
                .flatMap(outcome -> outcome.series().stream())
                .filter(series -> series.tool().role() == Tool.Role.OURS)
                .allMatch(Series::isValid);
    }

    String markdown() {
        StringBuilder text = new StringBuilder();
        text.append("# Speed\n\n    ")
                .append(command)
                .append("\n\n")
                .append("""
                        Whole processes with their start, run in turns. `x` is the median in relation to the tool whose `x` is 1.
                        CPU is user and system time, RSS the peak of the largest process, calls are the system calls on names and
                        descriptors for each additional file, in directories of 100. [bench.md](../guide/bench.md)
                        describes the measurement. The goals apply to `--scale 1` on a quiet machine.

                        """);
        table(text, List.of("", ""), rows(facts));
        table(text, List.of("program", "version"), rows(versions));
        outcomes.forEach(outcome -> text.append(section(outcome)));
        if (!lost.isEmpty()) {
            text.append("## What copies lack\n\nMetadata of a small tree that has all kinds of them.\n\n");
            table(text, List.of("tool", "lost"), rows(lost));
        }
        if (!leftOut.isEmpty()) {
            text.append("## Left out\n\n");
            leftOut.forEach(line -> text.append("- ").append(line).append('\n'));
        }
        return text.toString().stripTrailing() + "\n";
    }

    /** Returns the part of the report that is about one outcome. */
    static String section(Outcome outcome) {
        Scenario scenario = outcome.scenario();
        StringBuilder text = new StringBuilder("## " + scenario.title());
        scenario.data().ifPresent(set -> text.append(", ").append(outcome.place().type()));
        text.append("\n\n`").append(scenario.name()).append('`');
        scenario.data().ifPresent(set -> text.append(": %s (%s)".formatted(set.description(), outcome.data())));
        text.append(".\n\n");
        boolean isCounted = outcome.series().stream().anyMatch(series -> series.calls().isPresent());
        boolean isCopy = scenario.task() == Scenario.Task.COPY;
        List<String> heads = new ArrayList<>(List.of("tool", "median s", "min-max", "x", "CPU s", "RSS MiB"));
        if (isCounted) {
            heads.add("calls");
        }
        if (isCopy) {
            heads.add("copy");
        }
        heads.add("command");
        Optional<Double> baseline = outcome.series()
                .stream()
                .filter(series -> series.tool().name().equals(scenario.baseline()) && series.failure().isEmpty())
                .map(series -> series.wall().median())
                .findFirst();
        table(text, heads, outcome.series().stream().map(series -> row(series, baseline, isCounted, isCopy)).toList());
        List<String> verdicts = outcome.series()
                .stream()
                .filter(series -> series.tool().role() == Tool.Role.OURS)
                .flatMap(ours -> scenario.goals()
                        .stream()
                        .flatMap(goal -> goal.verdict(ours, outcome.series()).stream()))
                .toList();
        verdicts.forEach(line -> text.append("- ").append(line).append('\n'));
        return text.append(verdicts.isEmpty() ? "" : "\n").toString();
    }

    private static List<String> row(Series series, Optional<Double> baseline, boolean isCounted, boolean isCopy) {
        Spread wall = series.wall();
        List<String> row = new ArrayList<>();
        row.add(series.tool().name());
        row.add("%.3f".formatted(wall.median()));
        row.add("%.3f-%.3f".formatted(wall.least(), wall.most()));
        row.add(baseline.map(base -> "%.2f".formatted(wall.median() / base)).orElse(""));
        row.add("%.2f".formatted(series.cpu().median()));
        row.add("%.0f".formatted(series.peak().median()));
        if (isCounted) {
            row.add(series.calls().isPresent() ? "%.1f".formatted(series.calls().getAsDouble()) : "");
        }
        if (isCopy) {
            row.add(series.judgement());
        }
        row.add("`" + series.tool().text() + "`" + (series.failure().isEmpty() ? "" : " **" + series.failure() + "**"));
        return row;
    }

    static List<List<String>> rows(Map<String, String> map) {
        return map.entrySet().stream().map(entry -> List.of(entry.getKey(), entry.getValue())).toList();
    }

    static void table(StringBuilder text, List<String> heads, List<List<String>> rows) {
        if (!rows.isEmpty()) {
            line(text, heads);
            line(text, heads.stream().map(head -> "---").toList());
            rows.forEach(row -> line(text, row));
            text.append('\n');
        }
    }

    private static void line(StringBuilder text, List<String> cells) {
        text.append("| ")
                .append(String.join(" | ", cells.stream().map(cell -> cell.replace("|", "\\|")).toList()))
                .append(" |\n");
    }

    /** Returns every single run, one on each line, with a header. */
    String csv() {
        StringBuilder text = new StringBuilder("scenario,place,tool,run,wall_s,user_s,system_s,peak_kib,exit_code\n");
        for (Outcome outcome : outcomes) {
            for (Series series : outcome.series()) {
                for (int i = 0; i < series.runs().size(); i++) {
                    Meter.Measurement run = series.runs().get(i);
                    text.append("%s,%s,%s,%d,%.6f,%.6f,%.6f,%d,%d%n".formatted(outcome.scenario().name(),
                            outcome.place().type(), series.tool().name(), i + 1, run.wall(), run.user(), run.system(),
                            run.peakKib(), run.code()));
                }
            }
        }
        return text.toString();
    }
}
