// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import static org.treehaul.figures.LafonFigures.text;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

import org.treehaul.core.picture.Svg;
import org.treehaul.figures.Drawing.Beside;
import org.treehaul.strategies.ranks.RankReport;
import org.treehaul.strategies.ranks.profile.Plot;

/** Figures 3 and 4 of LaFon, Misra, Bringham, and the first part of Figure 6. */
final class LafonCharts {

    private static final List<Integer> PROCESSES = List.of(10, 20, 30, 40);
    private static final int TRANSFER_PROCESSES = 40;
    /** With up to this many processes the centralized walk takes too long for the graph of the paper. */
    private static final int FEWEST_SHOWN = 15;
    private static final List<String> COLOURS = List.of("#b2182b", "#ef8a62", "#2166ac", "#67a9cf", "#1b7837",
            "#762a83");
    private static final int LEGEND = 100;
    private static final double NANOS = 1e9;

    private LafonCharts() {}

    /** How all processes of a run spent their time. */
    private record Times(double status, double listing, double communication, double waiting) {
        static Times of(LafonRun run) {
            double busy = run.busySeconds();
            double listing = busy * run.prediction().listing();
            double communication = run.prediction()
                    .reports(run.parameters())
                    .stream()
                    .map(RankReport::communication)
                    .mapToDouble(time -> time.toNanos() / NANOS)
                    .sum();
            double all = run.prediction().seconds() * run.prediction().ranks() * run.prediction().threads();
            return new Times(busy - listing, listing, communication, Math.max(0, all - busy));
        }
    }

    static Drawing runningTime(double scale) {
        List<LafonRun.Algorithm> algorithms = new ArrayList<>(List.of(LafonRun.CENTRALIZED, LafonRun.CENTRALIZED_EACH));
        algorithms.addAll(LafonRun.WITHOUT_MASTER);
        List<List<LafonRun>> runs = PROCESSES.stream()
                .map(processes -> algorithms.stream().map(one -> one.run(LafonRun.SMALL * scale, processes)).toList())
                .toList();
        List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < runs.size(); i++) {
            for (LafonRun run : runs.get(i)) {
                Times times = Times.of(run);
                rows.add(List.of(run.name(), text("%d", PROCESSES.get(i)), text("%.3f", run.prediction().seconds()),
                        text("%.3f", times.status), text("%.3f", times.listing), text("%.3f", times.communication),
                        text("%.3f", times.waiting), paper(run.name(), PROCESSES.get(i))));
            }
        }
        List<LafonRun> first = runs.getFirst();
        List<LafonRun> last = runs.getLast();
        LafonRun hybrid = last.getLast();
        Times profile = Times.of(hybrid);
        List<Svg> panels = List.of(grouped("(a) Running time", "processes", "seconds",
                PROCESSES.stream().map(String::valueOf).toList(), runs, run -> run.prediction().seconds()),
                profile(runs.stream().map(List::getLast).toList()));
        return new Drawing(
                rows, panels, 0.65, List.of(
                        new Beside("DRQS and DEQS outperform CP by more than 300 % in time",
                                text("with %d processes CP takes %.1f times as long as DRQS, %.1f times where all list",
                                        PROCESSES.getLast(), ratio(last, 0, 2), ratio(last, 1, 2))),
                        new Beside("with 15 or less processes CP took so long that it is not in the graph",
                                text("with %d processes %.1f times DRQS, %.1f where all list", PROCESSES.getFirst(),
                                        ratio(first, 0, 2), ratio(first, 1, 2))),
                        new Beside("H-DRQS performs the best among all the DRQS/DEQS algorithms",
                                text("with %d processes: DRQS %.1f s, DEQS %.1f s, PA-DRQS %.1f s, H-DRQS %.1f s",
                                        PROCESSES.getLast(), seconds(last, 2), seconds(last, 3), seconds(last, 4),
                                        seconds(last, 5))),
                        new Beside(
                                "lstat() and readdir() dominate the time of H-DRQS",
                                text("with %d processes lstat() %.0f s, readdir() %.0f s, communication %.1f s",
                                        PROCESSES.getLast(), profile.status, profile.listing, profile.communication)),
                        new Beside("communication does not increase with the number of processes",
                                text("%.2f s with %d processes, %.2f s with %d",
                                        Times.of(first.getLast()).communication, PROCESSES.getFirst(),
                                        profile.communication, PROCESSES.getLast()))),
                LafonRun.assumptions(last, "CP: rank 1 alone lists directories (II.B); CP (all list): each rank does.",
                        "The paper prints its curves as a picture without numbers. The user's function takes no time here."));
    }

    private static String paper(String distribution, int processes) {
        return switch (distribution) {
            case "CP" -> processes <= FEWEST_SHOWN ? "too long for the graph" : LafonFigures.NOT_PRINTED;
            case "CP (all list)" -> "not in the paper";
            case "H-DRQS" -> "over 300 % faster than CP; the best";
            default -> "over 300 % faster than CP";
        };
    }

    private static double seconds(List<LafonRun> runs, int at) {
        return runs.get(at).prediction().seconds();
    }

    private static double ratio(List<LafonRun> runs, int one, int other) {
        return seconds(runs, one) / seconds(runs, other);
    }

    private static Svg profile(List<LafonRun> runs) {
        List<Times> all = runs.stream().map(Times::of).toList();
        double most = all.stream().mapToDouble(t -> t.status + t.listing + t.communication + t.waiting).max().orElse(0);
        Plot plot = new Plot("(b) Profile of H-DRQS", "processes", "seconds of all processes", runs.size(), most);
        List<String> parts = List.of("lstat()", "readdir()", "communication", "waiting");
        List<String> colours = List.of("#2166ac", "#67a9cf", "#d6604d", "#e0e0e0");
        for (int i = 0; i < parts.size(); i++) {
            plot.legend(i * LEGEND, colours.get(i), parts.get(i));
        }
        for (int column = 0; column < runs.size(); column++) {
            Times t = all.get(column);
            double[] values = {t.status, t.listing, t.communication, t.waiting};
            double at = 0;
            for (int i = 0; i < values.length; i++) {
                plot.bar(column, at, at + values[i], colours.get(i), text("%s: %.3f s", parts.get(i), values[i]));
                at += values[i];
            }
            plot.label(column, String.valueOf(PROCESSES.get(column)));
        }
        return plot.svg();
    }

    static Drawing transferred(double scale) {
        List<LafonRun.Algorithm> algorithms = List.of(LafonRun.CENTRALIZED, LafonRun.PROXIMITY, LafonRun.HYBRID);
        List<List<LafonRun>> runs = new ArrayList<>();
        List<List<String>> rows = new ArrayList<>();
        List<String> sizes = new ArrayList<>();
        List<Beside> beside = new ArrayList<>();
        for (double entries : new double[]{LafonRun.SMALL, LafonRun.MIDDLE, LafonRun.LARGE}) {
            List<LafonRun> some = algorithms.stream().map(one -> one.run(entries * scale, TRANSFER_PROCESSES)).toList();
            runs.add(some);
            sizes.add(Svg.brief((double) some.getFirst().entries()));
            for (int i = 0; i < some.size(); i++) {
                LafonRun run = some.get(i);
                rows.add(List.of(text("%d", run.entries()), run.name(), text("%d", run.prediction().messages()),
                        text("%d", run.prediction().bytes()), text("%.6f", messages(some, i) / messages(some, 0)),
                        text("%.6f", bytes(some, i) / bytes(some, 0)), i == 0 ? "1" : "1/10",
                        i == 0 ? "1" : "below 1/100"));
            }
        }
        for (int i = 0; i < runs.size(); i++) {
            List<LafonRun> some = runs.get(i);
            beside.add(new Beside(i > 0
                    ? ""
                    : "H-DRQS and PA-DRQS: an order of magnitude fewer messages than CP, more than two orders of magnitude fewer bytes",
                    text("%s files: messages 1/%.0f (H-DRQS) and 1/%.0f (PA-DRQS), bytes 1/%.0f and 1/%.0f of CP",
                            sizes.get(i), messages(some, 0) / messages(some, 2), messages(some, 0) / messages(some, 1),
                            bytes(some, 0) / bytes(some, 2), bytes(some, 0) / bytes(some, 1))));
        }
        List<LafonRun> last = runs.getLast();
        beside.add(new Beside("H-DRQS and PA-DRQS perform similarly",
                text("PA-DRQS: %.1f times the messages of H-DRQS, %.1f times the bytes",
                        messages(last, 1) / messages(last, 2), bytes(last, 1) / bytes(last, 2))));
        return new Drawing(rows,
                List.of(grouped("Messages", "files", "messages", sizes, runs, run -> run.prediction().messages()),
                        grouped("Bytes", "files", "bytes", sizes, runs, run -> run.prediction().bytes())),
                0.65, beside,
                LafonRun.assumptions(runs.stream().flatMap(List::stream).toList(),
                        "CP: rank 1 alone lists directories (II.B).", TRANSFER_PROCESSES
                                + " processes, 2 on a host, as the paper's runs; it does not say which two file systems its figure shows."));
    }

    private static double messages(List<LafonRun> runs, int at) {
        return runs.get(at).prediction().messages();
    }

    private static double bytes(List<LafonRun> runs, int at) {
        return runs.get(at).prediction().bytes();
    }

    // Draws a group of columns for each size, one for each algorithm, on a logarithmic scale.
    private static Svg grouped(String title, String across, String up, List<String> sizes, List<List<LafonRun>> runs,
            ToDoubleFunction<LafonRun> value) {
        int each = runs.getFirst().size();
        double[] values = runs.stream().flatMap(List::stream).mapToDouble(value).sorted().toArray();
        Plot plot = Plot.logarithmic(title, across, up, sizes.size() * (each + 1), values[0],
                values[values.length - 1]);
        for (int i = 0; i < each; i++) {
            plot.legend(i * LEGEND, COLOURS.get(i), runs.getFirst().get(i).name());
        }
        for (int size = 0; size < sizes.size(); size++) {
            for (int i = 0; i < each; i++) {
                LafonRun run = runs.get(size).get(i);
                plot.bar(size * (each + 1) + i, 0, value.applyAsDouble(run), COLOURS.get(i),
                        text("%s, %s: %.3f", run.name(), sizes.get(size), value.applyAsDouble(run)));
            }
            plot.middle(size * (each + 1), size * (each + 1) + each - 1, sizes.get(size));
        }
        return plot.svg();
    }

    /** Draws the range of the ranks' shares of the work in each run. */
    static Svg spans(List<LafonRun> runs) {
        double most = runs.stream().mapToDouble(run -> run.prediction().largestShare()).max().orElse(1);
        Plot plot = new Plot("Span of the work", "", "share of a rank, of an equal one", runs.size(), most);
        for (int i = 0; i < runs.size(); i++) {
            double least = runs.get(i).prediction().smallestShare();
            double largest = runs.get(i).prediction().largestShare();
            plot.bar(i, least, largest, COLOURS.get(2), text("%s: %.4f to %.4f", runs.get(i).name(), least, largest));
            plot.label(i, runs.get(i).name());
        }
        return plot.svg();
    }
}
