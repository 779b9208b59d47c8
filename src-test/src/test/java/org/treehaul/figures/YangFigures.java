// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import static org.treehaul.figures.LafonFigures.text;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.treehaul.core.picture.Svg;
import org.treehaul.figures.Drawing.Beside;

/**
 * Figures 4.5 and 4.6 of Yang, A Persistent Storage Model for Extreme Computing.
 *
 * @param points what was measured
 * @param partitions the numbers of partitions in figure 4.5
 * @param clients the numbers of clients in figure 4.6
 * @param over the number of partitions in figure 4.6
 * @param cap the part of a processor of each server in the series {@link #CAPPED}
 */
public record YangFigures(List<Point> points, List<Integer> partitions, List<Integer> clients, int over, double cap) {

    /** The stores that are compared with those of the paper, each of which has processors of its own. */
    public static final String CAPPED = "capped";

    private static final List<String> COLUMNS = List.of("stores", "partitions", "clients", "here_created",
            "here_removed", "here_created_ratio", "here_removed_ratio", "paper");
    private static final String CAPTION = "Yang, A Persistent Storage Model for Extreme Computing, Figure 4.";
    /** The paper's numbers: files in a second by 128 clients on 64 servers. */
    private static final double CREATED = 8000;
    private static final double REMOVED = 11_000;
    private static final int SERVERS = 64;

    /**
     * The rates measured in one case.
     *
     * @param stores the name of the kind of stores
     * @param partitions number of partitions; 0 for a space in one store that has none
     * @param isOneDirectory whether all clients work in one directory, else each in its own
     * @param created creations in a second
     * @param removed removals in a second
     */
    public record Point(String stores, int partitions, int clients, boolean isOneDirectory, double created,
            double removed) {}

    /** Points along an axis. */
    private record Series(String name, List<Optional<Point>> points) {
        double[] values(ToDoubleFunction<Point> value) {
            return points.stream()
                    .mapToDouble(point -> point.isPresent() ? value.applyAsDouble(point.get()) : Double.NaN)
                    .toArray();
        }
    }

    /** Writes the figures that have points into a directory, each as a picture and a table. */
    public void write(Path directory) throws IOException {
        write(directory, "yang-4.5", CAPTION
                + "5: Scale and performance of scalable distributed directory implementation on OrangeFS with different number of OrangeFS servers",
                scale());
        if (hasLoad()) {
            write(directory, "yang-4.6", CAPTION
                    + "6: Scale and performance of 64 servers scalable distributed directory implementation on OrangeFS with different number of clients",
                    load());
        }
    }

    /** Returns the names of the figures that have points. */
    public List<String> names() {
        return hasLoad() ? List.of("yang-4.5", "yang-4.6") : List.of("yang-4.5");
    }

    private boolean hasLoad() {
        return !load().rows().isEmpty();
    }

    private static void write(Path directory, String name, String caption, Drawing drawing) throws IOException {
        Files.writeString(directory.resolve(name + ".csv"), drawing.table(COLUMNS));
        Files.writeString(directory.resolve(name + ".svg"), drawing.picture(caption));
    }

    /** Returns the statements of the paper with our results, as a table in Markdown. */
    public String beside() {
        List<String> lines = new ArrayList<>(List.of("| figure | the paper says | here |", "| --- | --- | --- |"));
        scale().beside().forEach(one -> lines.add("| 4.5 | " + one.paper() + " | " + one.here() + " |"));
        load().beside().forEach(one -> lines.add("| 4.6 | " + one.paper() + " | " + one.here() + " |"));
        return String.join("\n", lines) + "\n";
    }

    private Optional<Point> point(String stores, int partitions, int clients, boolean isOneDirectory) {
        return points.stream()
                .filter(point -> point.stores.equals(stores) && point.partitions == partitions
                        && point.clients == clients && point.isOneDirectory == isOneDirectory)
                .findFirst();
    }

    private List<String> stores() {
        return points.stream().map(Point::stores).distinct().toList();
    }

    private Drawing scale() {
        List<Series> all = stores().stream()
                .map(stores -> new Series(stores,
                        partitions.stream().map(number -> point(stores, number, 2 * number, true)).toList()))
                .toList();
        List<Beside> beside = new ArrayList<>();
        all.forEach(
                series -> beside.add(new Beside("more servers are faster, in curves without numbers; two clients each",
                        series.name + ": " + ratios(series, partitions, "partitions"))));
        int last = partitions.getLast();
        point(CAPPED, last, 2 * last, true).ifPresent(point -> beside.add(new Beside(text(
                "64 servers: more than 8,000 creations and over 11,000 removals in a second, so %.0f and %.0f for each server",
                CREATED / SERVERS, REMOVED / SERVERS),
                text("capped, %d servers: %.0f and %.0f for each server", last, point.created / last,
                        point.removed / last))));
        return drawing(all, "partitions", partitions, beside);
    }

    private Drawing load() {
        List<Series> all = stores().stream()
                .flatMap(stores -> List.of(over, 0)
                        .stream()
                        .map(number -> new Series(number == 0 ? stores : stores + "/" + number,
                                clients.stream().map(client -> point(stores, number, client, true)).toList())))
                .filter(series -> series.points.stream().filter(Optional::isPresent).count() > 1)
                .toList();
        List<Beside> beside = new ArrayList<>();
        for (Series series : all) {
            boolean isPartitioned = series.name.endsWith("/" + over);
            beside.add(new Beside(isPartitioned
                    ? "grows until the clients are twice the servers; with three and four times as many clients, creations stay above 8,000, removals drop from 11,000 to above 8,000 (0.73)"
                    : "one server of OrangeFS for a directory: does not grow with the clients",
                    series.name + ": " + ratios(series, clients, "clients")));
        }
        return drawing(all, "clients", clients, beside);
    }

    /** Returns the ratios to the first number along the axis, in words. */
    private static String ratios(Series series, List<Integer> labels, String what) {
        double[] created = series.values(Point::created);
        double[] removed = series.values(Point::removed);
        return IntStream.range(1, labels.size())
                .filter(i -> !Double.isNaN(created[i] / created[0]))
                .mapToObj(i -> text("%d %s: %.2f and %.2f", labels.get(i), what, created[i] / created[0],
                        removed[i] / removed[0]))
                .collect(Collectors.joining(", ", "",
                        text(" times the creations and removals of %d", labels.getFirst())));
    }

    private Drawing drawing(List<Series> all, String across, List<Integer> labels, List<Beside> beside) {
        List<List<String>> rows = new ArrayList<>();
        for (Series series : all) {
            double[] created = series.values(Point::created);
            double[] removed = series.values(Point::removed);
            for (int i = 0; i < labels.size(); i++) {
                if (!Double.isNaN(created[i])) {
                    Point point = series.points.get(i).orElseThrow();
                    rows.add(List.of(series.name, point.partitions == 0 ? "none" : text("%d", point.partitions),
                            text("%d", point.clients), text("%.0f", created[i]), text("%.0f", removed[i]),
                            text("%.2f", created[i] / created[0]), text("%.2f", removed[i] / removed[0]),
                            LafonFigures.NOT_PRINTED));
                }
            }
        }
        List<String> names = labels.stream().map(String::valueOf).toList();
        return new Drawing(rows,
                List.of(panel("(a) Creations", across, names, all, Point::created),
                        panel("(b) Removals", across, names, all, Point::removed)),
                0.65, beside,
                List.of("A name of a file is a tuple, created or removed in a durable commit of its own. All clients work in one directory.",
                        text("SQLite: a file for each partition. PostgreSQL: a server for each; capped: to %s of a processor each.",
                                cap),
                        text("In figure 4.6, /%d means %d partitions; without it, the space is not partitioned.", over,
                                over),
                        "Measured on one machine, whose processors and disk the clients and the stores share; the paper's servers and clients are nodes of a cluster."));
    }

    private static Svg panel(String title, String across, List<String> labels, List<Series> all,
            ToDoubleFunction<Point> value) {
        return Panels.groups(title, across, "operations in a second", labels, all.stream().map(Series::name).toList(),
                all.stream().map(series -> series.values(value)).toArray(double[][]::new));
    }
}
