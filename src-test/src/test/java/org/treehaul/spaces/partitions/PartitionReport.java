// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces.partitions;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.treehaul.figures.YangFigures;
import org.treehaul.programs.Median;
import org.treehaul.spaces.SharedSpaceReport;
import org.treehaul.spaces.SharedSpaceReport.Goal;
import org.treehaul.spaces.partitions.Case.Rates;
import org.treehaul.spaces.partitions.Case.Spread;
import org.treehaul.spaces.partitions.Case.Stores;

/**
 * The part of the report that {@link PartitionRace} makes.
 *
 * @param measured what each round has measured, by case
 * @param absent kinds of stores that could not be measured, with the reason
 * @param facts names and values that describe the machine
 * @param cap the part of a processor that a capped server may use
 * @param partitions the numbers of partitions in the series over them
 * @param clients the numbers of clients in the series over them
 * @param over the number of partitions there
 * @param load the number of clients in the series of equal load over the partitions
 */
record PartitionReport(Map<Case, List<Rates>> measured, Map<Stores, String> absent, Map<String, String> facts,
        double cap, List<Integer> partitions, List<Integer> clients, int over, int load) {

    /** By how many times the partitions have to be as fast as one, if their servers are capped to this or less. */
    private static final Map<Integer, Double> GOALS = Map.of(2, 1.6, 4, 2.8);
    private static final double GOAL_CAP = 0.25;

    /** Returns the part of the report, in Markdown. */
    String text(String command) {
        StringBuilder text = new StringBuilder("    " + command
                + "\n\nClients create names of files as tuples and then remove them, as the benchmark metarates does. Each client has connections of its own, and each tuple is durable before the next.\n"
                + "The tables show medians of the rounds in operations in a second, and in brackets the ratio to the first row. The last columns show the processor time of one operation in microseconds: that of\n"
                + "the client, and that of all processes of the servers, or a dash where it is unknown. The measurements are described in [bench.md](../guide/bench.md#partitions).\n\n"
                + SharedSpaceReport.table(facts));
        absent.forEach((kind, reason) -> text.append("| ")
                .append(kind.title)
                .append(" | not measured: ")
                .append(reason)
                .append(" |\n"));
        if (!goals().isEmpty()) {
            text.append(String.format(Locale.ROOT,
                    "%nThe goals are of servers that are capped to %s of a processor, with %d clients; in brackets the least and the most of a round.%n",
                    cap, load));
            costs(text);
            separate(text);
        }
        for (Stores kind : Stores.values()) {
            if (measured.keySet().stream().anyMatch(one -> one.stores() == kind)) {
                text.append("\n### ").append(title(kind)).append('\n');
                overPartitions(text, kind, true);
                overPartitions(text, kind, false);
                equalLoad(text, kind);
                overClients(text, kind);
            }
        }
        text.append(
                """

                        ### Beside the paper

                        Yang (*A Persistent Storage Model for Extreme Computing*, chapter 4.3) measured OrangeFS on a cluster, with a server for each partition, and without splits.
                        Its figures are curves without numbers; the text gives a few.

                        """)
                .append(figures().beside())
                .append("\nPictures: ")
                .append(figures().names()
                        .stream()
                        .map(name -> "[" + name + "](figures/" + name + ".svg)")
                        .collect(Collectors.joining(", ")))
                .append("""
                        .

                        There, each server adds processors and a disk. Here, all servers and clients share the processors of one machine, so only capped servers show what more of them add.
                        """);
        return text.toString();
    }

    private String title(Stores kind) {
        return switch (kind) {
            case SQLITE -> "SQLite: a file for each partition";
            case POSTGRESQL -> "PostgreSQL: a server for each partition, all on the same processors";
            case CAPPED ->
                String.format(Locale.ROOT, "PostgreSQL: a server for each partition, capped to %s of a processor", cap);
        };
    }

    /** Returns the goals, for each phase; none if servers were not capped as they say. */
    List<Goal> goals() {
        List<Goal> goals = new ArrayList<>();
        if (cap <= GOAL_CAP && !absent.containsKey(Stores.CAPPED)) {
            for (Spread spread : List.of(Spread.ONE_DIRECTORY, Spread.DIRECTORIES)) {
                for (int number : partitions) {
                    Double goal = GOALS.get(number);
                    if (goal != null) {
                        goal(goals, number, spread, "creations", goal, Rates::created);
                        goal(goals, number, spread, "removals", goal, Rates::removed);
                    }
                }
            }
        }
        return goals;
    }

    /** Compares with separate spaces on the same servers, so that the reader sees what is the machine's. */
    private void separate(StringBuilder text) {
        List<Integer> several = partitions.stream()
                .filter(number -> measured.containsKey(loaded(number, Spread.SEPARATE_SPACES)))
                .toList();
        if (several.isEmpty()) {
            return;
        }
        text.append(
                """

                        The same with separate spaces, one on each server: the client chooses the space by the hash of the name, as a partitioned one does. No operation knows of the other servers, so
                        that these are as many times as fast as one space is the limit that this machine sets; [0062](../decisions/0062-partitions-on-one-machine.md) says why. Medians of the rounds.

                        | spaces | creations, of one | removals, of one | server µs of an operation | creations by partitions, of separate spaces | removals by partitions, of separate spaces |
                        | --- | --- | --- | --- | --- | --- |
                        """);
        Case one = loaded(1, Spread.ONE_DIRECTORY);
        for (int number : several) {
            Case spaces = loaded(number, Spread.SEPARATE_SPACES);
            Case together = loaded(number, Spread.ONE_DIRECTORY);
            text.append(String.format(Locale.ROOT, "| %d | %.2f | %.2f | %.0f | %.2f | %.2f |%n", number,
                    ratio(spaces, one, Rates::created), ratio(spaces, one, Rates::removed),
                    Median.of(measured.getOrDefault(spaces, List.of()), Rates::serverMicros),
                    ratio(together, spaces, Rates::created), ratio(together, spaces, Rates::removed)));
        }
    }

    /** Returns the median of the ratios of two capped cases, which took turns in each round. */
    private double ratio(Case one, Case other, ToDoubleFunction<Rates> rate) {
        return Median.of(Arrays.stream(ratios(one, other, rate)));
    }

    private double[] ratios(Case one, Case other, ToDoubleFunction<Rates> rate) {
        List<Rates> ones = measured.getOrDefault(one, List.of());
        List<Rates> others = measured.getOrDefault(other, List.of());
        return IntStream.range(0, Math.min(ones.size(), others.size()))
                .mapToDouble(i -> rate.applyAsDouble(ones.get(i)) / rate.applyAsDouble(others.get(i)))
                .sorted()
                .toArray();
    }

    private Case loaded(int number, Spread spread) {
        return new Case(Stores.CAPPED, number, load, spread);
    }

    /** Says what decides about the goals: the cost of an operation, and the processor time that is used. */
    private void costs(StringBuilder text) {
        text.append(
                """

                        Partitions are as many times as fast as one as their servers have processor time, unless an operation costs them more, or they do not use all that they may.

                        | partitions | server µs of an operation | of one partition | used by the servers of what they may | processors used by servers and clients |
                        | --- | --- | --- | --- | --- |
                        """);
        Rates one = median(measured.getOrDefault(loaded(1, Spread.ONE_DIRECTORY), List.of()));
        for (int number : partitions) {
            List<Rates> all = measured.getOrDefault(loaded(number, Spread.ONE_DIRECTORY), List.of());
            if (!all.isEmpty()) {
                Rates rates = median(all);
                // Both phases take the same time.
                double rate = (rates.created() + rates.removed()) / 2;
                double servers = rate * rates.serverMicros() / 1e6;
                text.append(String.format(Locale.ROOT, "| %d | %.0f | %.2f | %.0f %% | %.2f |%n", number,
                        rates.serverMicros(), rates.serverMicros() / one.serverMicros(), 100 * servers / number / cap,
                        servers + rate * rates.clientMicros() / 1e6));
            }
        }
    }

    private void goal(List<Goal> goals, int number, Spread spread, String what, double goal,
            ToDoubleFunction<Rates> rate) {
        Case more = loaded(number, spread);
        Case one = loaded(1, spread);
        double[] ratios = ratios(more, one, rate);
        if (ratios.length > 0) {
            double ratio = rate.applyAsDouble(median(measured.getOrDefault(more, List.of())))
                    / rate.applyAsDouble(median(measured.getOrDefault(one, List.of())));
            goals.add(new Goal(
                    String.format(Locale.ROOT, "%d partitions, %s in %s: at least %.1f times one", number, what,
                            spread == Spread.ONE_DIRECTORY ? "one directory" : "a directory for each client", goal),
                    String.format(Locale.ROOT, "%.2f (%.2f to %.2f)", ratio, ratios[0], ratios[ratios.length - 1]),
                    ratio >= goal));
        }
    }

    private static Case scaled(Stores kind, int number, boolean isOneDirectory) {
        return new Case(kind, number, 2 * number, isOneDirectory ? Spread.ONE_DIRECTORY : Spread.DIRECTORIES);
    }

    private Case loaded(Stores kind, int number) {
        return new Case(kind, number, load, Spread.ONE_DIRECTORY);
    }

    private void equalLoad(StringBuilder text, Stores kind) {
        List<Case> cases = partitions.stream()
                .map(number -> loaded(kind, number))
                .filter(measured::containsKey)
                .toList();
        if (cases.size() > 1) {
            table(text, "One directory, with the same clients", "partitions", cases);
        }
    }

    private void overPartitions(StringBuilder text, Stores kind, boolean isOneDirectory) {
        List<Case> cases = partitions.stream()
                .map(number -> scaled(kind, number, isOneDirectory))
                .filter(measured::containsKey)
                .toList();
        table(text,
                (isOneDirectory ? "One directory" : "A directory for each client, evenly spread over the partitions")
                        + ", twice as many clients as partitions" + (isOneDirectory ? " (figure 4.5)" : ""),
                "partitions", cases);
    }

    private void overClients(StringBuilder text, Stores kind) {
        for (int number : new int[]{over, 0}) {
            List<Case> cases = clients.stream()
                    .map(client -> new Case(kind, number, client, Spread.ONE_DIRECTORY))
                    .filter(measured::containsKey)
                    .toList();
            // A single case belongs to the series over the partitions.
            if (cases.size() > 1) {
                table(text,
                        "One directory, over the clients, "
                                + (number == 0 ? "in a space that is not partitioned" : "on " + number + " partitions")
                                + " (figure 4.6)",
                        "partitions", cases);
            }
        }
    }

    private void table(StringBuilder text, String title, String first, List<Case> cases) {
        if (cases.isEmpty()) {
            return;
        }
        text.append("\n#### ")
                .append(title)
                .append("\n\n| ")
                .append(first)
                .append(" | clients | created | removed | client µs | server µs |\n| --- | --- | --- | --- | --- | --- |\n");
        Rates base = median(measured.getOrDefault(cases.getFirst(), List.of()));
        for (Case one : cases) {
            Rates rates = median(measured.getOrDefault(one, List.of()));
            text.append(String.format(Locale.ROOT, "| %s | %d | %,.0f (%.2f) | %,.0f (%.2f) | %.0f | %s |%n",
                    one.partitions() == 0 ? "none" : one.partitions(), one.clients(), rates.created(),
                    rates.created() / base.created(), rates.removed(), rates.removed() / base.removed(),
                    rates.clientMicros(),
                    rates.serverMicros() > 0 ? String.format(Locale.ROOT, "%.0f", rates.serverMicros()) : "-"));
        }
    }

    /** Returns the figures of the paper with these numbers. */
    YangFigures figures() {
        List<YangFigures.Point> points = new ArrayList<>();
        measured.forEach((one, all) -> {
            if (one.spread() == Spread.SEPARATE_SPACES) {
                return;
            }
            Rates rates = median(all);
            points.add(new YangFigures.Point(one.stores() == Stores.CAPPED ? YangFigures.CAPPED : one.stores().title,
                    one.partitions(), one.clients(), one.isOneDirectory(), rates.created(), rates.removed()));
        });
        return new YangFigures(points, partitions, clients, over, cap);
    }

    private static Rates median(List<Rates> all) {
        return new Rates(Median.of(all, Rates::created), Median.of(all, Rates::removed),
                Median.of(all, Rates::clientMicros), Median.of(all, Rates::serverMicros));
    }
}
