// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What TreeHaul wants to reach in a scenario.
 *
 * @param against the tool it is compared with, {@link #FASTEST_PEER} or {@link #SAME_METADATA}
 * @param factor the most that it may take of that one's time
 */
record Goal(String against, double factor) {

    static final String FASTEST_PEER = "the fastest peer";
    static final String SAME_METADATA = "the fastest peer that keeps the same metadata";

    static Goal below(String against) {
        return new Goal(against, 1);
    }

    /** Returns a sentence that says whether one of our tools reached it; empty where the other one did not run. */
    Optional<String> verdict(Series ours, List<Series> all) {
        return all.stream()
                .filter(other -> other != ours && other.isValid())
                .filter(this::isMeant)
                .min(Comparator.comparingDouble(series -> series.wall().median()))
                .map(other -> {
                    double ratio = ours.wall().median() / other.wall().median();
                    String met = !ours.isValid() || ratio > factor ? "**not reached**" : "reached";
                    String whom = against.equals(other.tool().name())
                            ? against
                            : against + " (" + other.tool().name() + ")";
                    return String.format(Locale.ROOT, "%s: at most %.2f of %s: %.2f, %s", ours.tool().name(), factor,
                            whom, ratio, met);
                });
    }

    private boolean isMeant(Series series) {
        return switch (against) {
            case FASTEST_PEER -> series.tool().role() == Tool.Role.PEER;
            case SAME_METADATA -> series.tool().role() == Tool.Role.PEER && series.judgement().equals(Judge.EXACT);
            default -> series.tool().name().equals(against);
        };
    }
}
