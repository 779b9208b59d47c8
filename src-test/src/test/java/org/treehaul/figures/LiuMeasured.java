// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import static org.treehaul.figures.LafonFigures.NOT_PRINTED;
import static org.treehaul.figures.LafonFigures.text;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.stream.Stream;

import org.treehaul.core.picture.Svg;
import org.treehaul.figures.Drawing.Beside;
import org.treehaul.figures.LiuModel.Order;
import org.treehaul.figures.LiuRuns.Outcome;
import org.treehaul.figures.LiuRuns.Run;
import org.treehaul.schedulers.stage.net.ServerSettings;

/** Figures 8 to 13 of Liu, Zhuang, Chen, measured; and a small transfer beside large ones. */
final class LiuMeasured {

    private static final long MB = 1_000_000;
    private static final String COLUMNS = "%s,here_NIO_seconds,here_SIO_seconds,here_HIO_seconds,"
            + "here_HIO_below_NIO_percent,here_HIO_below_SIO_percent,here_simulated_HIO_below_NIO_percent,"
            + "here_simulated_HIO_below_SIO_percent,here_processor_percent,paper_HIO_below_NIO_percent,"
            + "paper_HIO_below_SIO_percent";
    private static final String TRANSFERS = "large_transfers,order,here_small_seconds,here_times_alone,"
            + "here_large_mb_per_second,paper_seconds";
    private static final List<Integer> LARGE = List.of(0, 1, 4);
    private static final List<ServerSettings.Order> ORDERS = Arrays.asList(ServerSettings.Order.values());

    /** A figure that varies one number. */
    private record Sweep(int number, String caption, String across, List<Integer> values, IntFunction<Run> run,
            String paper, String paperText) {}

    private LiuMeasured() {}

    static List<Figure> all() {
        return Stream.concat(sweeps().stream().map(LiuMeasured::figure), Stream.of(transfers())).toList();
    }

    private static List<Sweep> sweeps() {
        return List.of(
                new Sweep(8, "Average execution time with concurrent applications", "applications",
                        List.of(6, 12, 24, 48), m -> new Run(m, 6, 6, 16 * MB, false, false), "up to 34.1,up to 15.2",
                        "HIO up to 34.1 % below NIO and up to 15.2 % below SIO"),
                new Sweep(9, "Speedup of HIO and SIO with different request size", "KB",
                        List.of(64, 1000, 5000, 10_000), kb -> new Run(6, 6, 6, 1000L * kb, false, false),
                        "6.8 to 18.3,not printed", "HIO 6.8 % to 18.3 % below NIO"),
                new Sweep(10, "Average execution time with different number of storage nodes", "servers",
                        List.of(2, 4, 6, 8, 16), n -> new Run(6, n, n, 15 * MB, false, false),
                        "not printed,not printed", "HIO and SIO scale better than NIO, HIO better than SIO"),
                new Sweep(11, "Average execution time with different number of aggregators", "aggregators",
                        List.of(5, 10, 15), a -> new Run(6, 5, a, 16 * MB, false, false), "not printed,not printed",
                        "HIO and SIO reduce the time"),
                new Sweep(12, "Collective write with HIO", "applications", List.of(6, 12, 24, 48),
                        m -> new Run(m, 6, 6, 16 * MB, false, true), "about 12,about 0",
                        "HIO and SIO differ little, both about 12 % below NIO"),
                new Sweep(13, "FASM with HIO", "MB", List.of(10, 20, 40, 80),
                        mb -> new Run(20, 6, 6, mb * MB, true, false), "up to 59.8,not printed",
                        "HIO up to 59.8 % below conventional collective I/O"));
    }

    /** Returns all measurements of the figures. */
    static List<Run> runs() {
        return sweeps().stream().flatMap(sweep -> sweep.values.stream().map(sweep.run::apply)).distinct().toList();
    }

    /** Returns the numbers of large transfers. */
    static List<Integer> large() {
        return LARGE;
    }

    private static Figure figure(Sweep sweep) {
        return Figure.of(text("liu-%d-measured", sweep.number),
                text("Liu et al., Fig. %d, measured. %s", sweep.number, sweep.caption), text(COLUMNS, sweep.across),
                Figure.Kind.MEASURED, results -> draw(sweep, results));
    }

    private static Drawing draw(Sweep sweep, Results results) throws IOException, InterruptedException {
        List<List<String>> rows = new ArrayList<>();
        List<Outcome> all = new ArrayList<>();
        for (int value : sweep.values) {
            Outcome outcome = LiuRuns.of(results, sweep.run.apply(value));
            all.add(outcome);
            List<String> row = new ArrayList<>(List.of(text("%d", value)));
            for (Order order : LiuRuns.ORDERS) {
                row.add(text("%.4f", seconds(outcome.seconds(), order)));
            }
            for (Map<Order, Double> times : List.of(outcome.seconds(), outcome.simulated())) {
                row.add(text("%.1f", Outcome.below(times, Order.NIO)));
                row.add(text("%.1f", Outcome.below(times, Order.SIO)));
            }
            row.add(text("%.0f", outcome.processor()));
            row.addAll(Arrays.asList(sweep.paper.split(",", -1)));
            rows.add(row);
        }
        List<Svg> panels = List.of(panel("Measured", sweep, all.stream().map(Outcome::seconds).toList()),
                panel("Simulated, the same accesses", sweep, all.stream().map(Outcome::simulated).toList()));
        return new Drawing(rows, panels, 0.65,
                List.of(new Beside(sweep.paperText,
                        text("%s below NIO, %s below SIO; simulated %s, %s",
                                range(all.stream().map(Outcome::seconds).toList(), Order.NIO),
                                range(all.stream().map(Outcome::seconds).toList(), Order.SIO),
                                range(all.stream().map(Outcome::simulated).toList(), Order.NIO),
                                range(all.stream().map(Outcome::simulated).toList(), Order.SIO)))),
                assumptions(results, sweep.run.apply(sweep.values.getLast())));
    }

    private static double seconds(Map<Order, Double> times, Order order) {
        return Objects.requireNonNull(times.get(order));
    }

    private static Svg panel(String title, Sweep sweep, List<Map<Order, Double>> times) {
        return Panels.groups(title, sweep.across, "mean seconds of an access",
                sweep.values.stream().map(String::valueOf).toList(),
                LiuRuns.ORDERS.stream().map(order -> order.text).toList(),
                LiuRuns.ORDERS.stream()
                        .map(order -> times.stream().mapToDouble(one -> seconds(one, order)).toArray())
                        .toArray(double[][]::new));
    }

    private static String range(List<Map<Order, Double>> times, Order than) {
        return text("%.1f %% to %.1f %%", times.stream().mapToDouble(one -> Outcome.below(one, than)).min().orElse(0),
                times.stream().mapToDouble(one -> Outcome.below(one, than)).max().orElse(0));
    }

    private static String machine(Results results) throws IOException, InterruptedException {
        return "Measured on one machine, not on a cluster: " + String.join("; ",
                results.machine().entrySet().stream().map(fact -> fact.getKey() + " " + fact.getValue()).toList())
                + ".";
    }

    private static String added(String threads) {
        return text(
                "Added, because the machine has none: each read and write takes %d ms at its server, and each server moves %d MB in a second; %s. Clients and servers are threads of one process, over loopback.",
                IoStage.DELAY_MILLIS, IoStage.RATE / MB, threads);
    }

    private static List<String> assumptions(Results results, Run last) throws IOException, InterruptedException {
        return List.of(machine(results),
                added(text("one thread serves one request at a time, and a rank sends %.1f MB in a second",
                        LiuRuns.LINK_RATE / (double) MB)),
                text("Scale %s of the sizes of the paper (the last one: %d bytes for each aggregator), in requests of at most 512 KiB; %d rounds with seeds from 1; means.",
                        results.scale(), Math.round(last.bytes() * results.scale()), results.settings().rounds()),
                "An application has two ranks for each aggregator. One of them wants none, one to three quarters or all of the data of the aggregator, drawn; the aggregator wants the rest. Requests leave an aggregator within the time of one service.",
                "The simulation has the same draws, requests of the size of an aggregator's data, and no processor.");
    }

    private static Figure transfers() {
        return Figure.of("liu-transfers", "Liu et al., orders of requests: a small transfer beside large ones",
                TRANSFERS, Figure.Kind.MEASURED, results -> {
                    List<List<String>> rows = new ArrayList<>();
                    double[][] seconds = new double[ORDERS.size()][LARGE.size()];
                    for (int i = 0; i < LARGE.size(); i++) {
                        for (int o = 0; o < ORDERS.size(); o++) {
                            TransferRuns.Outcome found = TransferRuns.of(results, LARGE.get(i), ORDERS.get(o));
                            seconds[o][i] = found.seconds();
                            rows.add(List.of(text("%d", LARGE.get(i)), word(ORDERS.get(o)),
                                    text("%.3f", found.seconds()), text("%.2f", found.seconds() / seconds[o][0]),
                                    text("%.1f", found.rate()), NOT_PRINTED));
                        }
                    }
                    int last = LARGE.size() - 1;
                    return new Drawing(rows,
                            List.of(Panels.groups("A small transfer", "large transfers at the same time", "seconds",
                                    LARGE.stream().map(String::valueOf).toList(),
                                    ORDERS.stream().map(LiuMeasured::word).toList(), seconds)),
                            1,
                            List.of(new Beside("windows keep requests from starving (4.3)", text(
                                    "beside %d large transfers a small one takes %.1f times its time alone by arrival, %.1f times by application",
                                    LARGE.get(last), seconds[0][last] / seconds[0][0],
                                    seconds[1][last] / seconds[1][0]))),
                            List.of(machine(results), added("2 servers with 4 threads"), text(
                                    "The small transfer writes %d files of 64 KiB, one after another; a large one has 2 threads, which each write 4 MiB again and again. No scale and no seed matter. %s.",
                                    TransferRuns.FILES, results.rounds())));
                });
    }

    private static String word(ServerSettings.Order order) {
        return order.name().toLowerCase(Locale.ROOT);
    }
}
