// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** What TreeHaul wants to reach in a scenario. */
sealed interface Goal {

    /** Stands for a tool: the peer with the smallest median. */
    String FASTEST_PEER = "the fastest peer";
    /** Stands for a tool: the fastest of the peers whose copy lacks nothing either. */
    String SAME_METADATA = "the fastest peer that keeps the same metadata";

    /** Returns a sentence that says whether a tool of ours reached it; empty where nobody is there to compare with. */
    Optional<String> verdict(Series ours, List<Series> all);

    /** At most so much of the time that another takes. */
    static Goal ratio(String against, double factor) {
        return new Ratio(against, factor);
    }

    /** Not slower than another. */
    static Goal below(String against) {
        return new Ratio(against, 1);
    }

    /** So many seconds at most. */
    static Goal seconds(double most) {
        return new Limit("s", most);
    }

    /** So many MiB of memory at most. */
    static Goal peak(double most) {
        return new Limit("MiB", most);
    }

    /** So many system calls for each file more than the floor makes at most. */
    static Goal callsAboveFloor(double most) {
        return new Calls(most);
    }

    private static String sentence(Series ours, String what, double found, boolean isMet) {
        return "%s: %s: %.2f, %s".formatted(ours.tool().name(), what, found,
                isMet && ours.isValid() ? "reached" : "**not reached**");
    }

    /** See {@link #ratio}. */
    record Ratio(String against, double factor) implements Goal {
        @Override
        public Optional<String> verdict(Series ours, List<Series> all) {
            return all.stream()
                    .filter(other -> other != ours && other.isValid() && isMeant(other))
                    .min(Comparator.comparingDouble(series -> series.wall().median()))
                    .map(other -> {
                        double ratio = ours.wall().median() / other.wall().median();
                        String name = other.tool().name();
                        String whom = against.equals(name) ? name : against + " (" + name + ")";
                        return sentence(ours, "at most %.2f of %s".formatted(factor, whom), ratio, ratio <= factor);
                    });
        }

        private boolean isMeant(Series series) {
            boolean isPeer = series.tool().role() == Tool.Role.PEER;
            return switch (against) {
                case FASTEST_PEER -> isPeer;
                case SAME_METADATA -> isPeer && series.judgement().equals(Judge.EXACT);
                default -> series.tool().name().equals(against);
            };
        }
    }

    /** See {@link #seconds} and {@link #peak}. */
    record Limit(String unit, double most) implements Goal {
        @Override
        public Optional<String> verdict(Series ours, List<Series> all) {
            double found = unit.equals("s") ? ours.wall().median() : ours.peak().median();
            return Optional.of(sentence(ours, "at most %.1f %s".formatted(most, unit), found, found <= most));
        }
    }

    /** See {@link #callsAboveFloor}. */
    record Calls(double more) implements Goal {
        @Override
        public Optional<String> verdict(Series ours, List<Series> all) {
            return all.stream()
                    .filter(series -> series.tool().role() == Tool.Role.FLOOR && series.calls().isPresent()
                            && ours.calls().isPresent())
                    .findFirst()
                    .map(floor -> {
                        double above = ours.calls().getAsDouble() - floor.calls().getAsDouble();
                        return sentence(ours,
                                "at most %.1f system calls for each file more than the floor".formatted(more), above,
                                above <= more + ROUNDING);
                    });
        }
    }

    /** What a directory takes is shared among its files: parts of calls. */
    double ROUNDING = 0.2;
}
