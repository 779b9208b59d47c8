// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

import org.treehaul.bench.Meter.Measurement;
import org.treehaul.programs.Median;

/** The runs of one tool in one scenario. */
final class Series {

    private final Tool tool;
    private final List<Measurement> runs = new ArrayList<>();
    private String judgement = "";
    private String failure = "";
    private OptionalDouble calls = OptionalDouble.empty();

    /**
     * A median and its range.
     *
     * @param median the middle value, or the mean of the two middle ones
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
            return new Spread(Median.of(Arrays.stream(sorted)), sorted[0], sorted[sorted.length - 1]);
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

    /** Adds a run; a failed run makes the series invalid. */
    void add(Measurement run) {
        runs.add(run);
        check(run);
    }

    /** Checks a run that does not count. */
    void check(Measurement run) {
        if (run.code() != 0 && failure.isEmpty()) {
            failure = "exit code " + run.code() + ": " + run.error().lines().findFirst().orElse("");
        }
    }

    /** Returns whether every run was right. */
    boolean isValid() {
        return failure.isEmpty() && !runs.isEmpty() && !judgement.startsWith(Judge.WRONG);
    }

    /** Returns the failure, empty if there was none. */
    String failure() {
        return failure;
    }

    /** Returns the judge's opinion of a copy, empty if there was no copy. */
    String judgement() {
        return judgement;
    }

    void judge(String words) {
        judgement = words;
    }

    /** Returns the system calls for each file, if they were counted. */
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

    /** Returns the peak memory of the largest process in MiB. */
    Spread peak() {
        return spread(run -> run.peakKib() / 1024.0);
    }

    private Spread spread(ToDoubleFunction<Measurement> value) {
        return Spread.of(runs.stream().mapToDouble(value).toArray());
    }
}
