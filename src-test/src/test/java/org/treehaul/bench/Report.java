// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

import org.jspecify.annotations.Nullable;
import org.treehaul.bench.Race.Outcome;
import org.treehaul.bench.Series.Spread;

/** What was found, as Markdown and as CSV. */
final class Report {

    private final List<Outcome> outcomes = new ArrayList<>();
    private final Map<List<String>, OptionalDouble> calls = new HashMap<>();
    private final Map<String, String> lost = new LinkedHashMap<>();
    private final List<String> leftOut = new ArrayList<>();
    private final Map<String, String> facts;
    private final Map<String, String> versions;
    private final String command;

    /**
     * Begins a report.
     *
     * @param command what repeats it
     */
    Report(Map<String, String> facts, Map<String, String> versions, String command) {
        this.facts = facts;
        this.versions = versions;
        this.command = command;
    }

    void add(Outcome outcome) {
        outcomes.add(outcome);
    }

    void calls(Tool tool, OptionalDouble perFile) {
        calls.put(tool.command(), perFile);
    }

    void lost(Tool tool, String words) {
        lost.put(tool.name(), words);
    }

    void leftOut(String line) {
        leftOut.add(line);
    }

    /** Whether every run of our own did what it should. */
    boolean isValid() {
        return outcomes.stream()
                .flatMap(outcome -> outcome.series().stream())
                .filter(series -> series.tool().role() == Tool.Role.OURS)
                .allMatch(Series::isValid);
    }

    String markdown() {
        StringBuilder text = new StringBuilder("# Speed\n\n");
        text.append("    ").append(command).append("\n\n");
        text.append(
                "Times are medians of whole processes with their start, run in turns; `x` is the median in relation to the "
                        + "tool whose `x` is 1.\nCPU is user and system time, RSS the peak of the largest process, calls the "
                        + "system calls on names and descriptors for each\nadditional file (directories of 100 files included). "
                        + "What guide and options mean: [bench.md](../guide/bench.md).\n\n");
        table(text, List.of("", ""),
                facts.entrySet().stream().map(fact -> List.of(fact.getKey(), fact.getValue())).toList());
        table(text, List.of("program", "version"),
                versions.entrySet().stream().map(version -> List.of(version.getKey(), version.getValue())).toList());
        for (Outcome outcome : outcomes) {
            text.append(section(outcome));
        }
        if (!lost.isEmpty()) {
            text.append("## What copies lack\n\n");
            table(text, List.of("tool", "lost of a file, a directory, a link, a hard link, holes, xattrs"),
                    lost.entrySet().stream().map(entry -> List.of(entry.getKey(), entry.getValue())).toList());
        }
        if (!leftOut.isEmpty()) {
            text.append("## Left out\n\n");
            leftOut.forEach(line -> text.append("- ").append(line).append('\n'));
            text.append('\n');
        }
        return text.toString().stripTrailing() + "\n";
    }

    /** Returns the part of the report that is about one outcome. */
    String section(Outcome outcome) {
        Scenario scenario = outcome.scenario();
        StringBuilder text = new StringBuilder("## " + scenario.title());
        scenario.data().ifPresent(set -> text.append(", ").append(outcome.place().type()));
        text.append(" (`").append(scenario.name()).append("`)\n\n");
        scenario.data()
                .ifPresent(set -> text.append(outcome.data()).append(": ").append(set.description()).append(".\n\n"));
        boolean counts = outcome.series().stream().anyMatch(series -> calls.containsKey(series.tool().command()));
        boolean copies = scenario.task() == Scenario.Task.COPY;
        List<String> heads = new ArrayList<>(List.of("tool", "median s", "min-max", "x", "CPU s", "RSS MiB"));
        if (counts) {
            heads.add("calls");
        }
        if (copies) {
            heads.add("copy");
        }
        heads.add("command");
        @Nullable Series baseline = outcome.series()
                .stream()
                .filter(series -> series.tool().name().equals(scenario.baseline()) && series.failure().isEmpty())
                .findFirst()
                .orElse(null);
        List<List<String>> rows = new ArrayList<>();
        for (Series series : outcome.series()) {
            rows.add(row(series, baseline, counts, copies));
        }
        table(text, heads, rows);
        List<String> verdicts = verdicts(outcome);
        verdicts.forEach(line -> text.append("- ").append(line).append('\n'));
        return text.append(verdicts.isEmpty() ? "" : "\n").toString();
    }

    private List<String> row(Series series, @Nullable Series baseline, boolean counts, boolean copies) {
        Spread wall = series.wall();
        List<String> row = new ArrayList<>(List.of(series.tool().name(), "%.3f".formatted(wall.median()),
                "%.3f-%.3f".formatted(wall.least(), wall.most()),
                baseline == null ? "" : "%.2f".formatted(wall.median() / baseline.wall().median()),
                "%.2f".formatted(series.cpu().median()), "%.0f".formatted(series.peak().median())));
        if (counts) {
            OptionalDouble perFile = calls.getOrDefault(series.tool().command(), OptionalDouble.empty());
            row.add(perFile.isPresent() ? "%.1f".formatted(perFile.getAsDouble()) : "");
        }
        if (copies) {
            row.add(series.judgement());
        }
        row.add("`" + series.tool().text() + "`"
                + (series.failure().isEmpty() ? "" : " **" + series.failure().replace('|', '/') + "**"));
        return row;
    }

    private static List<String> verdicts(Outcome outcome) {
        List<String> lines = new ArrayList<>();
        for (Series ours : outcome.series()) {
            if (ours.tool().role() == Tool.Role.OURS) {
                outcome.scenario()
                        .goals()
                        .stream()
                        .map(goal -> goal.verdict(ours, outcome.series()))
                        .flatMap(Optional::stream)
                        .forEach(lines::add);
                int most = outcome.scenario().mostMib();
                if (most > 0 && ours.isValid()) {
                    double peak = ours.peak().median();
                    lines.add("%s: peak memory below %d MiB: %.0f, %s".formatted(ours.tool().name(), most, peak,
                            peak < most ? "reached" : "**not reached**"));
                }
            }
        }
        return lines;
    }

    private static void table(StringBuilder text, List<String> heads, List<List<String>> rows) {
        if (rows.isEmpty()) {
            return;
        }
        line(text, heads);
        line(text, heads.stream().map(head -> "---").toList());
        rows.forEach(row -> line(text, row));
        text.append('\n');
    }

    private static void line(StringBuilder text, List<String> cells) {
        text.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }

    /** Every single run, a line each, with a head. */
    String csv() {
        StringBuilder text = new StringBuilder("scenario,place,tool,run,wall_s,user_s,system_s,peak_kib,exit_code\n");
        for (Outcome outcome : outcomes) {
            for (Series series : outcome.series()) {
                for (int i = 0; i < series.runs().size(); i++) {
                    Meter.Measurement run = series.runs().get(i);
                    text.append(String.format(Locale.ROOT, "%s,%s,%s,%d,%.6f,%.6f,%.6f,%d,%d%n",
                            outcome.scenario().name(), outcome.place().type(), series.tool().name(), i + 1, run.wall(),
                            run.user(), run.system(), run.peakKib(), run.code()));
                }
            }
        }
        return text.toString();
    }
}
