// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import java.util.List;

/**
 * The measured distribution of the duration of calls. The calls are sorted by duration and divided into parts of equal
 * number; the mean of each part is kept, so that a few very long calls keep their weight.
 *
 * @param means nanoseconds, ascending, one or more
 */
public record ServiceTimes(List<Long> means) {

    // For this many calls or more the sum is drawn at once: the sum of as many independent times is nearly normal.
    private static final int MANY = 12;

    /** Checks that the means are ascending. */
    public ServiceTimes {
        means = List.copyOf(means);
        if (means.isEmpty() || means.getFirst() < 0 || !means.stream().sorted().toList().equals(means)) {
            throw new IllegalArgumentException("not ascending times: " + means);
        }
    }

    /** Returns the mean, in nanoseconds. */
    public double mean() {
        return means.stream().mapToLong(Long::longValue).average().orElseThrow();
    }

    /** Returns the same distribution multiplied by a factor. */
    public ServiceTimes times(double factor) {
        return new ServiceTimes(means.stream().map(m -> Math.round(m * factor)).toList());
    }

    /** Draws from the distribution. */
    static final class Sampler {
        private final double[] means;
        private final double mean;
        private final double deviation;

        Sampler(ServiceTimes times) {
            means = times.means().stream().mapToDouble(Long::doubleValue).toArray();
            mean = times.mean();
            double square = 0;
            for (double one : means) {
                square += (one - mean) * (one - mean);
            }
            deviation = Math.sqrt(square / means.length);
        }

        double mean() {
            return mean;
        }

        /** Returns the duration of this many calls, one after the other. */
        double sum(long calls, Chance chance) {
            if (calls >= MANY) {
                double sum = (double) calls * mean + Math.sqrt((double) calls) * deviation * chance.gaussian();
                return Math.max((double) calls * means[0], sum);
            }
            double sum = 0;
            for (long i = 0; i < calls; i++) {
                sum += means[(int) (chance.fraction() * means.length)];
            }
            return sum;
        }
    }
}
