// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** A goal of TreeHaul in a scenario. */
sealed interface Goal {

    /** Denotes the peer with the smallest median. */
    String FASTEST_PEER = "the fastest peer";
    /** Denotes the fastest of the peers whose copies lack nothing either. */
    String SAME_METADATA = "the fastest peer that keeps the same metadata";

    /** Returns a sentence whether a tool of ours reached the goal; empty if there is nothing to compare with. */
    Optional<String> verdict(Series ours, List<Series> all);

    /** Returns the goal to take at most this fraction of another tool's time. */
    static Goal ratio(String against, double factor) {
        return new Ratio(against, factor);
    }

    /** Returns the goal to be no slower than another tool. */
    static Goal below(String against) {
        return new Ratio(against, 1);
    }

    /** Returns the goal to take at most this many seconds. */
    static Goal seconds(double most) {
        return new Limit("s", most);
    }

    /** Returns the goal to take at most this many seconds of CPU time. */
    static Goal cpu(double most) {
        return new Limit("s of CPU", most);
    }

    /** Returns the goal to take at most this multiple of another tool's CPU time, and some seconds for the start. */
    static Goal cpu(String against, double factor, double start) {
        return new Cpu(against, factor, start);
    }

    /** Returns the goal to use at most this many MiB of memory. */
    static Goal peak(double most) {
        return new Limit("MiB", most);
    }

    /** Returns the goal to make at most this many system calls for each file more than the floor. */
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

    /** See {@link #cpu(String, double, double)}. */
    record Cpu(String against, double factor, double start) implements Goal {
        @Override
        public Optional<String> verdict(Series ours, List<Series> all) {
            return all.stream()
                    .filter(other -> other != ours && other.isValid() && other.tool().name().equals(against))
                    .findFirst()
                    .map(other -> {
                        double above = ours.cpu().median() - start;
                        double ratio = above / other.cpu().median();
                        return sentence(ours,
                                "CPU time less %.1f s at most %.2f of %s".formatted(start, factor, against), ratio,
                                ratio <= factor);
                    });
        }
    }

    /** See {@link #seconds}, {@link #cpu(double)} and {@link #peak}. */
    record Limit(String unit, double most) implements Goal {
        @Override
        public Optional<String> verdict(Series ours, List<Series> all) {
            double found = switch (unit) {
                case "s" -> ours.wall().median();
                case "s of CPU" -> ours.cpu().median();
                default -> ours.peak().median();
            };
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

    /** The cost of a directory is divided among its files, which makes fractions of calls. */
    double ROUNDING = 0.2;
}
