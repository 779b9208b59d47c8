// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench.stage;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.treehaul.programs.Median;

/** The seconds of all turns, by what was copied and by the number of servers, as tables of a report. */
final class StageTimes {

    /** The seconds of each way in one turn. */
    record Turn(Map<Way, Double> seconds) {
        double of(Way way) {
            return Objects.requireNonNull(seconds.get(way));
        }

        double ratio(Way way) {
            return of(Way.CP) / of(way);
        }
    }

    private final Map<Load, Map<Integer, List<Turn>>> all = new LinkedHashMap<>();

    void add(Load load, int servers, Turn turn) {
        all.computeIfAbsent(load, first -> new LinkedHashMap<>())
                .computeIfAbsent(servers, first -> new ArrayList<>())
                .add(turn);
    }

    /** Returns a table for each load, and one of the seconds for each GiB more, if there are two sizes. */
    String text() {
        StringBuilder text = new StringBuilder();
        all.forEach((load, byServers) -> {
            text.append("\n## " + load + "\n\n").append(head());
            byServers.forEach((servers, turns) -> {
                text.append("| " + servers + " |");
                for (Way way : Way.values()) {
                    text.append(String.format(" %.2f (%.2f) |", Median.of(turns, turn -> turn.of(way)),
                            Median.of(turns, turn -> turn.ratio(way))));
                }
                text.append('\n');
            });
        });
        List<Load> large = all.keySet().stream().filter(load -> !load.isSmall()).toList();
        if (large.size() > 1) {
            slopes(text, large.getFirst(), large.getLast());
        }
        return text.toString();
    }

    private static String head() {
        StringBuilder head = new StringBuilder("| servers |");
        for (Way way : Way.values()) {
            head.append(' ').append(way.title()).append(" |");
        }
        return head.append("\n|").append(" --- |".repeat(Way.values().length + 1)).append('\n').toString();
    }

    // The turns of different sizes do not follow each other, so that only their medians are compared.
    private void slopes(StringBuilder text, Load less, Load more) {
        text.append("\n## Each GiB more\n\nThe seconds between " + less + " and " + more
                + ", for each GiB: the start of a command and of its Java does not count. In brackets, those of `cp -r`"
                + " divided by them.\n\n").append(head());
        Objects.requireNonNull(all.get(less)).forEach((servers, turns) -> {
            List<Turn> others = Objects.requireNonNull(Objects.requireNonNull(all.get(more)).get(servers));
            text.append("| " + servers + " |");
            double cp = slope(turns, others, Way.CP, less, more);
            for (Way way : Way.values()) {
                double slope = slope(turns, others, way, less, more);
                text.append(String.format(" %.2f (%.2f) |", slope, cp / slope));
            }
            text.append('\n');
        });
    }

    private static double slope(List<Turn> turns, List<Turn> others, Way way, Load less, Load more) {
        return (Median.of(others, turn -> turn.of(way)) - Median.of(turns, turn -> turn.of(way)))
                / (more.gibibytes() - less.gibibytes());
    }
}
