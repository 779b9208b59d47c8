// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import static org.treehaul.figures.LafonFigures.NOT_PRINTED;
import static org.treehaul.figures.LafonFigures.text;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToIntFunction;

import org.jspecify.annotations.Nullable;
import org.treehaul.bench.ThesisCopies.Raced;
import org.treehaul.bench.ThesisCopies.Ranks;
import org.treehaul.bench.ThesisCopies.Time;
import org.treehaul.core.picture.Svg;
import org.treehaul.figures.Drawing.Beside;

/** Tables 3.6 to 3.10 and figures 3.1 to 3.8 of Nuss: the time of pct and of other copying tools. */
final class NussPct {

    /** The cell of a number that was not measured here. */
    static final String NOT_MEASURED = "not measured";

    private static final String COLUMNS = "tool,nodes,cores,paper_seconds,paper_speedup,here_seconds,here_least_seconds,"
            + "here_most_seconds,here_speedup";

    private NussPct() {}

    static List<Figure> tables() {
        return Arrays.stream(PctTable.values())
                .map(table -> Figure.of("nuss-table-" + table.number(),
                        "Nuss, Table " + table.number() + ": Time/Speedup for " + table.title(), COLUMNS,
                        Figure.Kind.MEASURED, results -> table(table, results)))
                .toList();
    }

    static List<Figure> figures() {
        return List.of(figure("3.1", ": Graphed by Nodes", PctTable.T3_6, true),
                figure("3.2", ": Cores Per Node", PctTable.T3_6, false),
                figure("3.3", ": Graphed by Nodes", PctTable.T3_7, true),
                figure("3.4", ": Cores Per Node", PctTable.T3_7, false),
                Figure.of("nuss-figure-3.5",
                        "Nuss, Figure 3.5: pct on Icestorm and Fission Clusters Copying “Few Large Files” and “Many Small "
                                + "Files” Sets Using a Single Node",
                        COLUMNS, Figure.Kind.MEASURED, NussPct::single),
                figure("3.6", "", PctTable.T3_8, true), figure("3.7", "", PctTable.T3_9, true),
                figure("3.8", "", PctTable.T3_10, true));
    }

    private static Figure figure(String number, String end, PctTable table, boolean isByNodes) {
        return Figure.of("nuss-figure-" + number, "Nuss, Figure " + number + ": " + table.title() + end, COLUMNS,
                Figure.Kind.MEASURED, results -> figure(table, isByNodes, results));
    }

    private static Drawing table(PctTable table, Results results) throws IOException, InterruptedException {
        Raced raced = results.raced(table.set());
        List<List<String>> rows = new ArrayList<>(List.of(cp(table, raced)));
        table.seconds().forEach((ranks, seconds) -> rows.add(pct(table, ranks, raced)));
        rows.addAll(others(raced));
        return new Drawing(rows,
                List.of(Panels.table("Seconds, and speed-up over cp", List.of(COLUMNS.split(",", -1)), rows)), 1,
                statements(table, raced), assumptions(table, raced, results));
    }

    private static Drawing figure(PctTable table, boolean isByNodes, Results results)
            throws IOException, InterruptedException {
        Raced raced = results.raced(table.set());
        Map<Ranks, Double> theirs = new LinkedHashMap<>();
        Map<Ranks, Double> ours = new LinkedHashMap<>();
        List<List<String>> rows = new ArrayList<>(List.of(cp(table, raced)));
        table.seconds().forEach((ranks, seconds) -> {
            rows.add(pct(table, ranks, raced));
            theirs.put(ranks, (double) seconds / table.cp());
            if (raced.ranks().containsKey(ranks)) {
                ours.put(ranks, 1 / speedUp(raced, raced.ranks().get(ranks)));
            }
        });
        return new Drawing(rows, List.of(groups("The paper", isByNodes, theirs), groups("Here", isByNodes, ours)), 0.65,
                statements(table, raced), assumptions(table, raced, results));
    }

    private static Svg groups(String title, boolean isByNodes, Map<Ranks, Double> times) {
        ToIntFunction<Ranks> group = isByNodes ? Ranks::nodes : Ranks::cores;
        ToIntFunction<Ranks> each = isByNodes ? Ranks::cores : Ranks::nodes;
        List<Integer> labels = times.keySet().stream().mapToInt(group).distinct().sorted().boxed().toList();
        List<Integer> series = times.keySet().stream().mapToInt(each).distinct().sorted().boxed().toList();
        double[][] values = new double[series.size()][labels.size()];
        Arrays.stream(values).forEach(row -> Arrays.fill(row, Double.NaN));
        times.forEach((ranks, time) -> values[series.indexOf(each.applyAsInt(ranks))][labels
                .indexOf(group.applyAsInt(ranks))] = time);
        String unit = isByNodes ? "core" : "node";
        return Panels.groups(title, isByNodes ? "nodes" : "cores of each node", "time, of that of cp",
                labels.stream().map(String::valueOf).toList(),
                series.stream().map(number -> number + " " + unit + (number == 1 ? "" : "s")).toList(), values);
    }

    private static Drawing single(Results results) throws IOException, InterruptedException {
        List<List<String>> rows = new ArrayList<>();
        List<Svg> panels = new ArrayList<>();
        List<Beside> beside = new ArrayList<>();
        List<String> assumptions = new ArrayList<>();
        for (PctTable table : List.of(PctTable.T3_8, PctTable.T3_9, PctTable.T3_10)) {
            Raced raced = results.raced(table.set());
            String where = table.title().replaceFirst("pct on (\\w+) Copying ", "$1, ");
            Map<Ranks, Double> theirs = new LinkedHashMap<>();
            rows.add(cp(table, raced));
            table.seconds().forEach((ranks, seconds) -> {
                if (ranks.nodes() == 1) {
                    rows.add(pct(table, ranks, raced));
                    theirs.put(ranks, (double) seconds / table.cp());
                }
            });
            panels.add(groups("The paper: " + where, false, theirs));
        }
        for (PctTable table : List.of(PctTable.T3_8, PctTable.T3_9)) {
            Raced raced = results.raced(table.set());
            Map<Ranks, Double> ours = new LinkedHashMap<>();
            raced.ranks().forEach((ranks, time) -> {
                if (ranks.nodes() == 1) {
                    ours.put(ranks, 1 / speedUp(raced, time));
                    if (!table.seconds().containsKey(ranks)) {
                        rows.add(row("pct", ranks, NOT_PRINTED, NOT_PRINTED, time, raced));
                    }
                }
            });
            panels.add(groups("Here: " + table.set().title(), false, ours));
            Ranks best = ours.entrySet().stream().min(Map.Entry.comparingByValue()).orElseThrow().getKey();
            beside.add(new Beside(
                    table == PctTable.T3_8
                            ? "many small files: best with about 6 cores on Fission, with all 8 on Icestorm"
                            : "few large files: best with 2 cores on Icestorm, with 32 on Fission",
                    text("%s: best with %d of up to %d threads", table.set().title(), best.cores(),
                            results.processes())));
            assumptions.addAll(assumptions(table, raced, results));
        }
        assumptions.add(
                "The paper prints its curves as a picture; its bars here are the cells of tables 3.8 to 3.10 for one node.");
        return new Drawing(rows, panels, 0.65, beside, assumptions.stream().distinct().toList());
    }

    private static List<String> cp(PctTable table, Raced raced) {
        return row("cp; here cp -a", new Ranks(1, 1), text("%d", table.cp()), "1.00", raced.cp(), raced);
    }

    private static List<String> pct(PctTable table, Ranks ranks, Raced raced) {
        int seconds = Objects.requireNonNull(table.seconds().get(ranks));
        return row("pct", ranks, text("%d", seconds), text("%.2f", (double) table.cp() / seconds),
                raced.ranks().get(ranks), raced);
    }

    // Tools that the thesis does not measure.
    private static List<List<String>> others(Raced raced) {
        List<List<String>> rows = new ArrayList<>();
        raced.tools().forEach((name, time) -> {
            if (!name.equals("cp -a")) {
                rows.add(row(name, new Ranks(1, 1), NOT_PRINTED, NOT_PRINTED, time, raced));
            }
        });
        raced.absent().forEach(name -> rows.add(row(name, new Ranks(1, 1), NOT_PRINTED, NOT_PRINTED, null, raced)));
        return rows;
    }

    private static List<String> row(String tool, Ranks ranks, String seconds, String speedUp, @Nullable Time time,
            Raced raced) {
        List<String> row = new ArrayList<>(
                List.of(tool, text("%d", ranks.nodes()), text("%d", ranks.cores()), seconds, speedUp));
        row.addAll(time == null || !time.failure().isEmpty()
                ? Collections.nCopies(4, NOT_MEASURED)
                : List.of(text("%.3f", time.median()), text("%.3f", time.least()), text("%.3f", time.most()),
                        text("%.2f", speedUp(raced, time))));
        return row;
    }

    private static double speedUp(Raced raced, Time time) {
        return raced.cp().median() / time.median();
    }

    private static List<Beside> statements(PctTable table, Raced raced) {
        Map.Entry<Ranks, Integer> fastest = table.seconds()
                .entrySet()
                .stream()
                .min(Map.Entry.comparingByValue())
                .orElseThrow();
        Map.Entry<Ranks, Time> here = raced.ranks()
                .entrySet()
                .stream()
                .min(Comparator.comparingDouble(one -> one.getValue().median()))
                .orElseThrow();
        Time cp = raced.cp();
        String tools = String.join(", ",
                raced.tools()
                        .entrySet()
                        .stream()
                        .filter(tool -> !tool.getKey().equals("cp -a"))
                        .map(tool -> text("%s %.2f", tool.getKey(), speedUp(raced, tool.getValue())))
                        .toList());
        return List.of(
                new Beside(text("cp takes %d s", table.cp()),
                        text("cp -a takes %.3f s (%.3f to %.3f)", cp.median(), cp.least(), cp.most())),
                new Beside(
                        text("largest speed-up: %.2f with %s", (double) table.cp() / fastest.getValue(),
                                words(fastest.getKey())),
                        text("%.2f with %s", speedUp(raced, here.getValue()), words(here.getKey()))),
                new Beside("no tools but cp, pct and Bpct",
                        "speed-up over cp -a of other tools: " + tools
                                + (raced.absent().isEmpty()
                                        ? ""
                                        : "; not measured, as not installed: " + String.join(", ", raced.absent()))));
    }

    private static String words(Ranks ranks) {
        return text("%d %s of %d %s", ranks.nodes(), ranks.nodes() == 1 ? "node" : "nodes", ranks.cores(),
                ranks.cores() == 1 ? "core" : "cores");
    }

    private static List<String> assumptions(PctTable table, Raced raced, Results results)
            throws IOException, InterruptedException {
        List<String> failures = raced.tools()
                .entrySet()
                .stream()
                .filter(tool -> !tool.getValue().failure().isEmpty())
                .map(tool -> tool.getKey() + ": " + tool.getValue().failure())
                .toList();
        List<String> all = new ArrayList<>(results.assumptions(table.set(),
                results.rounds() + ", after a run that does not count. Caches are warm.",
                "pct itself is not measured: it is not on this machine. In its place: treehaul cp -a --distribution pct --ranks NODES --threads CORES, all in one process.",
                "The time of treehaul includes the start of a JVM, some 0.2 s. All share the cores of one machine, so more processes than cores are not faster; his nodes had their own.",
                "His file system was a parallel one of many servers."));
        all.addAll(failures);
        return all;
    }
}
