// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import static org.treehaul.figures.LafonFigures.NOT_PRINTED;
import static org.treehaul.figures.LafonFigures.text;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

import org.treehaul.bench.ThesisCopies.ByJobs;
import org.treehaul.bench.ThesisCopies.Jobs;
import org.treehaul.bench.ThesisRuns;
import org.treehaul.bench.ThesisRuns.Row;
import org.treehaul.core.picture.Svg;
import org.treehaul.figures.Drawing.Beside;

/** Tables 3.11 to 3.15 and figures 3.9 to 3.13 of Nuss: copies by jobs of Bpct. */
final class NussBpct {

    /**
     * A column of a table.
     *
     * @param name its name
     * @param paper the value in the thesis; NaN where it is not printed
     * @param here our value, given the seconds of {@code cp -a}
     */
    private record Column(String name, ToDoubleFunction<Row> paper, Ours here) {}

    /** Computes our value of a column. */
    private interface Ours {
        double of(Jobs jobs, double cp);
    }

    private static final Column TRAVERSAL = new Column("traversal", Row::traversal, (jobs, cp) -> jobs.traversal());
    private static final Column SUBMISSION = new Column("submission", Row::submission, (jobs, cp) -> jobs.submission());
    private static final Column TRAVERSE_AND_SUBMIT = new Column("traverse_and_submit", Row::traversal,
            (jobs, cp) -> jobs.traversal() + jobs.submission());
    private static final Column BEST = new Column("best_time", Row::first, (jobs, cp) -> jobs.firstEnd());
    private static final Column WORST = new Column("worst_time", Row::last, (jobs, cp) -> jobs.lastEnd());
    private static final Column SPEED_UP = new Column("speedup", Row::speedUp, (jobs, cp) -> cp / jobs.lastEnd());
    private static final Column BEST_SCRIPT = new Column("best_script", Row::bestScript,
            (jobs, cp) -> jobs.traversal() + jobs.submission() + jobs.bestBatch());
    private static final Column WORST_SCRIPT = new Column("worst_script", Row::worstScript,
            (jobs, cp) -> jobs.traversal() + jobs.submission() + jobs.worstBatch());
    private static final Column SCRIPT_SPEED_UP = new Column("script_speedup", Row::scriptSpeedUp,
            (jobs, cp) -> cp / WORST_SCRIPT.here.of(jobs, cp));

    private NussBpct() {}

    private static List<Column> columns(ThesisRuns runs) {
        return switch (runs) {
            case T3_12 -> List.of(BEST, WORST, SPEED_UP);
            case T3_15 ->
                List.of(TRAVERSE_AND_SUBMIT, BEST_SCRIPT, WORST_SCRIPT, SCRIPT_SPEED_UP, BEST, WORST, SPEED_UP);
            default -> List.of(TRAVERSAL, SUBMISSION, BEST, WORST, SPEED_UP);
        };
    }

    private static String names(ThesisRuns runs) {
        return Stream
                .concat(Stream.of("jobs"),
                        columns(runs).stream().flatMap(one -> Stream.of("paper_" + one.name, "here_" + one.name)))
                .reduce((all, one) -> all + "," + one)
                .orElseThrow();
    }

    private static String cluster(ThesisRuns runs) {
        return runs.where().split(",", 2)[0];
    }

    private static String set(ThesisRuns runs) {
        return "“" + Stream.of(runs.set().title().split(" ", -1))
                .map(word -> word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1))
                .reduce((all, word) -> all + " " + word)
                .orElseThrow() + "”";
    }

    static List<Figure> tables() {
        return Arrays.stream(ThesisRuns.values())
                .map(runs -> Figure.of("nuss-table-" + runs.table(),
                        text("Nuss, Table %s: Using Bpct on %s to Copy %s Set", runs.table(), cluster(runs), set(runs)),
                        names(runs), Figure.Kind.MEASURED, results -> table(runs, results)))
                .toList();
    }

    static List<Figure> figures() {
        return Arrays.stream(ThesisRuns.values())
                .map(runs -> Figure.of("nuss-figure-3." + number(runs),
                        text("Nuss, Figure 3.%d: %sBpct Jobs on %s Copying %s%s", number(runs),
                                runs == ThesisRuns.T3_15 ? "" : "Best and Worst ", cluster(runs), set(runs),
                                runs == ThesisRuns.T3_12 ? "" : " Set"),
                        names(runs), Figure.Kind.MEASURED, results -> figure(runs, results)))
                .toList();
    }

    // The figure of table 3.11 is 3.9, and so on.
    private static int number(ThesisRuns runs) {
        return Integer.parseInt(runs.table().substring(2)) - 2;
    }

    private static List<List<String>> rows(ThesisRuns runs, ByJobs measured) {
        List<List<String>> rows = new ArrayList<>();
        for (Row row : runs.rows()) {
            List<String> cells = new ArrayList<>(List.of(text("%d", row.jobs())));
            Jobs here = measured.jobs().get(row.jobs());
            for (Column column : columns(runs)) {
                boolean isRatio = column.name.endsWith("speedup");
                double paper = column.paper.applyAsDouble(row);
                cells.add(Double.isNaN(paper) ? NOT_PRINTED : text(isRatio ? "%.2f" : "%.0f", paper));
                cells.add(here == null
                        ? NussPct.NOT_MEASURED
                        : text(isRatio ? "%.2f" : "%.3f", column.here.of(here, measured.cp().median())));
            }
            rows.add(cells);
        }
        return rows;
    }

    private static Drawing table(ThesisRuns runs, Results results) throws IOException, InterruptedException {
        ByJobs measured = results.byJobs(runs.set());
        List<List<String>> rows = rows(runs, measured);
        return new Drawing(rows,
                List.of(Panels.table("Seconds, and speed-up over cp", List.of(names(runs).split(",", -1)), rows)), 1,
                statements(runs, measured), assumptions(runs, results));
    }

    private static Drawing figure(ThesisRuns runs, Results results) throws IOException, InterruptedException {
        ByJobs measured = results.byJobs(runs.set());
        List<Column> lines = runs == ThesisRuns.T3_15
                ? List.of(BEST_SCRIPT, WORST_SCRIPT, BEST, WORST)
                : List.of(BEST, WORST);
        List<Row> rows = runs.rows();
        List<Map.Entry<Integer, Jobs>> ours = List.copyOf(measured.jobs().entrySet());
        double cp = Double.isNaN(runs.cp()) ? rows.getFirst().speedUp() * rows.getFirst().last() : runs.cp();
        double ownCp = measured.cp().median();
        List<String> names = lines.stream().map(one -> one.name.replace('_', ' ')).toList();
        Svg theirs = Panels.groups("The paper", "jobs", "time, of that of cp",
                rows.stream().map(row -> text("%d", row.jobs())).toList(), names,
                lines.stream()
                        .map(one -> rows.stream().mapToDouble(row -> one.paper.applyAsDouble(row) / cp).toArray())
                        .toArray(double[][]::new));
        Svg here = Panels.groups("Here", "jobs", "time, of that of cp",
                ours.stream().map(one -> text("%d", one.getKey())).toList(), names,
                lines.stream()
                        .map(one -> ours.stream()
                                .mapToDouble(jobs -> one.here.of(jobs.getValue(), ownCp) / ownCp)
                                .toArray())
                        .toArray(double[][]::new));
        return new Drawing(rows(runs, measured), List.of(theirs, here), 0.65, statements(runs, measured),
                assumptions(runs, results));
    }

    private static List<Beside> statements(ThesisRuns runs, ByJobs measured) {
        double cp = measured.cp().median();
        Row best = runs.rows().stream().max(Comparator.comparingDouble(Row::speedUp)).orElseThrow();
        Map.Entry<Integer, Jobs> here = measured.jobs()
                .entrySet()
                .stream()
                .min(Comparator.comparingDouble(one -> one.getValue().lastEnd()))
                .orElseThrow();
        Map.Entry<Integer, Jobs> most = measured.jobs().entrySet().stream().reduce((a, b) -> b).orElseThrow();
        Row same = runs.rows().stream().filter(row -> row.jobs() <= most.getKey()).reduce((a, b) -> b).orElseThrow();
        return List.of(
                new Beside(Double.isNaN(runs.cp()) ? "cp: not printed" : text("cp takes %.0f s", runs.cp()),
                        text("cp -a takes %.3f s (%.3f to %.3f)", cp, measured.cp().least(), measured.cp().most())),
                new Beside(
                        Double.isNaN(same.first())
                                ? text("first end of %s: not printed", jobs(same.jobs()))
                                : text("the last of %s ends after %.2f times the time of the first", jobs(same.jobs()),
                                        same.last() / same.first()),
                        text("the last of %s: %.2f times", jobs(most.getKey()),
                                most.getValue().lastEnd() / most.getValue().firstEnd())),
                new Beside(text("largest speed-up: %.2f with %s", best.speedUp(), jobs(best.jobs())),
                        text("%.2f with %s", cp / here.getValue().lastEnd(), jobs(here.getKey()))));
    }

    private static String jobs(int number) {
        return number + (number == 1 ? " job" : " jobs");
    }

    private static List<String> assumptions(ThesisRuns runs, Results results) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(results.assumptions(runs.set(), results.rounds() + ". Caches are warm.",
                "Bpct itself is not measured: it is not on this machine. In its place: treehaul cp -a --scheduler "
                        + results.settings().scheduler()
                        + " --jobs N --batches N --strategy size-balanced --threads 1, no file divided.",
                "All jobs share the cores of one machine, and each starts a JVM, which counts at this size; his jobs had a node each.",
                "A job ends with its last batch; what finishing takes afterwards (times of directories) is left out, as Bpct had none."));
        if (Double.isNaN(runs.cp())) {
            all.add("The time of cp is not printed; in the picture it is that of one job times its speed-up.");
        }
        return all;
    }
}
