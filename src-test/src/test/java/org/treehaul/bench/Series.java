// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

import org.treehaul.bench.Meter.Measurement;

/** The runs of one tool in one scenario. */
final class Series {

    private final Tool tool;
    private final List<Measurement> runs = new ArrayList<>();
    private String judgement = "";
    private String failure = "";
    private OptionalDouble calls = OptionalDouble.empty();

    /**
     * A median and what it lies between.
     *
     * @param median the middle, of an even number the mean of the two in the middle
     * @param least the smallest
     * @param most the largest
     */
    record Spread(double median, double least, double most) {
        static Spread of(double[] values) {
            if (values.length == 0) {
                return new Spread(Double.NaN, Double.NaN, Double.NaN);
            }
            double[] sorted = values.clone();
            Arrays.sort(sorted);
            int middle = sorted.length / 2;
            double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
            return new Spread(median, sorted[0], sorted[sorted.length - 1]);
        }
    }

    Series(Tool tool) {
        this.tool = tool;
    }

    Tool tool() {
        return tool;
    }

    List<Measurement> runs() {
        return runs;
    }

    /** Takes a run; one that failed spoils the series. */
    void add(Measurement run) {
        runs.add(run);
        check(run);
    }

    /** Looks at a run that does not count. */
    void check(Measurement run) {
        if (run.code() != 0 && failure.isEmpty()) {
            failure = "exit code " + run.code() + ": " + run.error().lines().findFirst().orElse("");
        }
    }

    /** Whether every run did what it should. */
    boolean isValid() {
        return failure.isEmpty() && !runs.isEmpty() && !judgement.startsWith(Judge.WRONG);
    }

    /** What failed, empty if nothing. */
    String failure() {
        return failure;
    }

    /** What the judge said of a copy, empty where there was nothing to judge. */
    String judgement() {
        return judgement;
    }

    void judge(String words) {
        judgement = words;
    }

    /** System calls for each file, where they were counted. */
    OptionalDouble calls() {
        return calls;
    }

    void calls(OptionalDouble perFile) {
        calls = perFile;
    }

    Spread wall() {
        return spread(Measurement::wall);
    }

    Spread cpu() {
        return spread(Measurement::cpu);
    }

    /** MiB, of the largest process. */
    Spread peak() {
        return spread(run -> run.peakKib() / 1024.0);
    }

    private Spread spread(ToDoubleFunction<Measurement> value) {
        return Spread.of(runs.stream().mapToDouble(value).toArray());
    }
}
