// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.treehaul.spaces.ServerRace.Times;
import org.treehaul.spaces.SharedSpaceReport.Goal;

/** The goals of spaces on a server, and whether the measured times reach them. */
final class ServerGoals {
    private static final double GROUPS = 1.3;
    private static final double RATE = 10_000;
    private static final double LOAD = 3;
    private static final double QUERIES = 1.5;

    private final List<Goal> goals = new ArrayList<>();

    /** Judges the rates of writes and takes, of which the first two are those in groups. */
    void groups(Map<String, Times> rates) {
        List<Times> groups = rates.values().stream().limit(2).toList();
        List<Double> ours = groups.stream().map(Times::own).toList();
        goals.add(new Goal("writes and takes in groups: at least 10,000 tuples in a second", list("%,.0f", ours),
                ours.stream().allMatch(rate -> rate >= RATE)));
        List<Double> ratios = groups.stream().map(times -> times.ratio(true)).toList();
        goals.add(new Goal("the same: at most 1.3 times as long as plain statements", list("%.2f", ratios),
                ratios.stream().allMatch(ratio -> ratio <= GROUPS)));
    }

    /** Judges the times of loads. */
    void loads(Map<String, Times> times) {
        List<Double> ratios = times.values().stream().map(one -> one.ratio(false)).toList();
        goals.add(new Goal("load: at most 3 times as long as SQLite", list("%.2f", ratios),
                ratios.stream().allMatch(ratio -> ratio <= LOAD)));
    }

    /** Judges the times of queries. */
    void queries(Map<String, Times> times) {
        List<String> slow = new ArrayList<>();
        times.forEach((question, one) -> {
            if (one.ratio(false) > QUERIES) {
                slow.add(question + " " + String.format(Locale.ROOT, "%.2f", one.ratio(false)));
            }
        });
        String most = String.format(Locale.ROOT, "%.2f",
                times.values().stream().mapToDouble(one -> one.ratio(false)).max().orElse(0));
        goals.add(new Goal(
                "queries: each at most 1.5 times as long as plain SQL", (times.size() - slow.size()) + " of "
                        + times.size() + (slow.isEmpty() ? ", at most " + most : "; not " + String.join(", ", slow)),
                slow.isEmpty()));
    }

    private static String list(String format, List<Double> numbers) {
        return String.join(" and ",
                numbers.stream().map(number -> String.format(Locale.ROOT, format, number)).toList());
    }

    /** Returns the goals of what was measured. */
    List<Goal> all() {
        return goals;
    }
}
