// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import static org.treehaul.figures.LafonFigures.NOT_PRINTED;
import static org.treehaul.figures.LafonFigures.text;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.stream.Stream;

import org.treehaul.core.picture.Svg;
import org.treehaul.figures.Drawing.Beside;
import org.treehaul.figures.LiuModel.Order;
import org.treehaul.figures.LiuModel.Outcome;

/** Figures 8 to 13 of Liu, Zhuang, Chen, simulated; and where the hierarchical order helps. */
final class LiuFigures {

    private static final List<Double> SLOWER = List.of(1.0, 16.0);
    private static final double MB = 1e6;
    private static final int DRAWS = 200;
    private static final String COLUMNS = "%s,shuffle_slower,here_NIO_seconds,here_SIO_seconds,here_HIO_seconds,"
            + "here_as_printed_seconds,here_shuffle_percent_of_NIO,here_HIO_below_NIO_percent,"
            + "here_HIO_below_SIO_percent,paper_HIO_below_NIO_percent,paper_HIO_below_SIO_percent";

    /**
     * A figure that varies one number.
     *
     * @param across the number that varies, as a column
     * @param values its values
     * @param model the applications with a value
     * @param paper the paper's percentages of HIO below NIO, and below SIO
     * @param paperText its statements, the first about HIO, the second about the share of the shuffle
     */
    private record Sweep(int number, String caption, String across, List<Integer> values, IntFunction<LiuModel> model,
            String paper, List<String> paperText) {}

    private LiuFigures() {}

    static List<Figure> all() {
        return Stream.concat(sweeps().stream().map(LiuFigures::figure), Stream.of(helps())).toList();
    }

    private static List<Sweep> sweeps() {
        return List.of(new Sweep(8, "Average execution time with concurrent applications", "applications",
                List.of(6, 12, 24, 48), m -> new LiuModel(m, 6, 6, 16 * MB, 0, 1, false), "up to 34.1,up to 15.2",
                List.of("HIO up to 34.1 % below NIO and up to 15.2 % below SIO; the gain grows with the applications")),
                new Sweep(9, "Speedup of HIO and SIO with different request size", "KB",
                        List.of(64, 1000, 5000, 10_000), kb -> new LiuModel(6, 6, 6, 1000 * kb, 0, 1, false),
                        "6.8 to 18.3,not printed",
                        List.of("HIO 6.8 % to 18.3 % below NIO, more with larger requests",
                                "the share of the shuffle in the time grows from 0.7 % to 5.6 %")),
                new Sweep(10, "Average execution time with different number of storage nodes", "servers",
                        List.of(2, 4, 6, 8, 16), n -> new LiuModel(6, n, n, 15 * MB, 0, 1, false),
                        "not printed,not printed", List.of("HIO and SIO scale better than NIO, HIO better than SIO")),
                new Sweep(11, "Average execution time with different number of aggregators", "aggregators",
                        List.of(5, 10, 15), a -> new LiuModel(6, 5, a, 16 * MB, 0, 1, false), "not printed,not printed",
                        List.of("NIO grows linearly; HIO and SIO reduce the time")),
                new Sweep(12, "Collective write with HIO", "applications", List.of(6, 12, 24, 48),
                        m -> new LiuModel(m, 6, 6, 16 * MB, 0, 1, true), "about 12,about 0",
                        List.of("HIO and SIO differ little, both about 12 % below NIO on average")),
                new Sweep(13, "FASM with HIO", "MB", List.of(10, 20, 40, 80),
                        mb -> new LiuModel(20, 6, 6, mb * MB, mb * MB / 3, 1, false), "up to 59.8,not printed",
                        List.of("HIO up to 59.8 % below conventional collective I/O (the order alone cannot save more than half: equation 8)")));
    }

    private static Figure figure(Sweep sweep) {
        return Figure.of("liu-" + sweep.number, "Liu et al., Fig. " + sweep.number + ". " + sweep.caption,
                text(COLUMNS, sweep.across), Figure.Kind.COMPUTED, results -> draw(sweep, results.scale()));
    }

    private static int draws(double scale) {
        return (int) Math.max(2, DRAWS * scale);
    }

    private static Drawing draw(Sweep sweep, double scale) {
        List<List<String>> rows = new ArrayList<>();
        List<Svg> panels = new ArrayList<>();
        List<Outcome> all = new ArrayList<>();
        for (double slower : SLOWER) {
            List<Outcome> outcomes = sweep.values.stream()
                    .map(value -> sweep.model.apply(value).slower(slower).run(draws(scale)))
                    .toList();
            all.addAll(outcomes);
            for (int i = 0; i < outcomes.size(); i++) {
                rows.add(row(sweep.values.get(i), slower, outcomes.get(i), sweep.paper));
            }
            panels.add(
                    panel(text("Shuffle: Gigabit Ethernet%s", slower == 1 ? "" : text(", %.0f times slower", slower)),
                            sweep.across, sweep.values, outcomes));
        }
        List<Beside> beside = new ArrayList<>();
        beside.add(new Beside(sweep.paperText.getFirst(),
                text("HIO %s below NIO, %s below SIO; with the slower shuffle %s, %s",
                        range(all, 0, Order.HIO, Order.NIO), range(all, 0, Order.HIO, Order.SIO),
                        range(all, 1, Order.HIO, Order.NIO), range(all, 1, Order.HIO, Order.SIO))));
        for (String statement : sweep.paperText.subList(1, sweep.paperText.size())) {
            beside.add(new Beside(statement, text("%.1f %% to %.1f %%", all.getFirst().shuffleShare(),
                    all.get(sweep.values.size() - 1).shuffleShare())));
        }
        beside.add(new Beside("Algorithm 1 is never worse than SIO (equation 7)",
                text("as printed: %s below SIO; with the slower shuffle %s (above, if negative)",
                        range(all, 0, Order.PRINTED, Order.SIO), range(all, 1, Order.PRINTED, Order.SIO))));
        return new Drawing(rows, panels, 0.65, beside, assumptions(scale));
    }

    private static List<String> assumptions(double scale) {
        return Stream.concat(LiuModel.ASSUMPTIONS.stream(),
                Stream.of(text(
                        "Scale %s of %d draws of each point, seeds from 1; means; the same picture on every machine.",
                        scale, DRAWS)))
                .toList();
    }

    private static List<String> row(int value, double slower, Outcome outcome, String paper) {
        List<String> row = new ArrayList<>(List.of(text("%d", value), text("%.0f", slower)));
        for (Order order : Order.values()) {
            row.add(text("%.4f", outcome.seconds(order)));
        }
        row.add(text("%.1f", outcome.shuffleShare()));
        row.add(text("%s", percent(outcome.below(Order.HIO, Order.NIO))));
        row.add(text("%s", percent(outcome.below(Order.HIO, Order.SIO))));
        row.addAll(Arrays.asList(paper.split(",", -1)));
        return row;
    }

    private static Svg panel(String title, String across, List<Integer> values, List<Outcome> outcomes) {
        return Panels.groups(title, across, "mean seconds of an access", values.stream().map(String::valueOf).toList(),
                Arrays.stream(Order.values()).map(order -> order.text).toList(),
                Arrays.stream(Order.values())
                        .map(order -> outcomes.stream().mapToDouble(outcome -> outcome.seconds(order)).toArray())
                        .toArray(double[][]::new));
    }

    /** Returns the least and the greatest reduction in one half of the outcomes. */
    private static String range(List<Outcome> all, int half, Order order, Order than) {
        List<Outcome> some = all.subList(half * all.size() / 2, (half + 1) * all.size() / 2);
        return percent(some.stream().mapToDouble(one -> one.below(order, than)).min().orElse(0)) + " % to "
                + percent(some.stream().mapToDouble(one -> one.below(order, than)).max().orElse(0)) + " %";
    }

    /** Returns a number with one digit, and no sign if it is 0. */
    private static String percent(double value) {
        return text("%.1f", Math.abs(value) < 0.05 ? 0 : value);
    }

    private static String above(Map<Integer, Outcome> found, Order order) {
        return percent(-found.values().stream().mapToDouble(one -> one.below(order, Order.SIO)).min().orElse(0));
    }

    private static Figure helps() {
        return Figure.of("liu-equations",
                "Liu et al., equations 4 to 9: where the hierarchical order is better than the order by application",
                text(COLUMNS, "applications"), Figure.Kind.COMPUTED, results -> {
                    List<Integer> times = List.of(1, 4, 16, 64, 256);
                    Map<Integer, Outcome> found = new TreeMap<>();
                    List<List<String>> rows = new ArrayList<>();
                    for (int slower : times) {
                        Outcome outcome = new LiuModel(12, 12, 12, 16 * MB, 0, slower, false)
                                .run(draws(results.scale()));
                        found.put(slower, outcome);
                        rows.add(row(12, slower, outcome, NOT_PRINTED + "," + NOT_PRINTED));
                    }
                    double best = found.values()
                            .stream()
                            .mapToDouble(one -> one.below(Order.HIO, Order.SIO))
                            .max()
                            .orElse(0);
                    return new Drawing(rows,
                            List.of(panel("12 applications, 12 servers", "times slower than Gigabit Ethernet", times,
                                    List.copyOf(found.values()))),
                            1,
                            List.of(new Beside(
                                    "equation 9: HIO is (m-1)/2 t below SIO if shuffle costs differ by more than (m-1) t",
                                    text("at most %.1f %% below SIO, where the shuffle is neither small nor all",
                                            best)),
                                    new Beside("equation 7: HIO is at least as good as SIO",
                                            text("as printed up to %s %% above SIO; with the guarantee %s %%",
                                                    above(found, Order.PRINTED), above(found, Order.HIO)))),
                            assumptions(results.scale()));
                });
    }
}
