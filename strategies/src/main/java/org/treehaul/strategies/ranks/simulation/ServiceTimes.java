// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import java.util.List;

/**
 * How long calls take: a distribution as it was measured.
 *
 * @param quantiles nanoseconds at equal steps from the shortest to the longest, two or more, ascending
 */
public record ServiceTimes(List<Long> quantiles) {

    // From so many on a sum is drawn at once, as that of so many independent times: nearly a normal distribution.
    private static final int MANY = 12;

    /** Makes a distribution. */
    public ServiceTimes {
        quantiles = List.copyOf(quantiles);
        if (quantiles.size() < 2 || quantiles.getFirst() < 0 || !quantiles.stream().sorted().toList().equals(quantiles)) {
            throw new IllegalArgumentException("not quantiles: " + quantiles);
        }
    }

    /** Returns the mean, in nanoseconds. */
    public double mean() {
        double sum = 0;
        for (int i = 1; i < quantiles.size(); i++) {
            sum += (quantiles.get(i) + quantiles.get(i - 1)) / 2.0;
        }
        return sum / (quantiles.size() - 1);
    }

    /** Returns the same distribution stretched to another mean. */
    public ServiceTimes withMean(double nanos) {
        double factor = nanos / Math.max(1, mean());
        return new ServiceTimes(quantiles.stream().map(q -> Math.round(q * factor)).toList());
    }

    /** Draws from the distribution. */
    static final class Sampler {
        private final double[] quantiles;
        private final double mean;
        private final double deviation;

        Sampler(ServiceTimes times) {
            quantiles = times.quantiles().stream().mapToDouble(Long::doubleValue).toArray();
            mean = times.mean();
            double square = 0;
            for (int i = 1; i < quantiles.length; i++) {
                double low = quantiles[i - 1] - mean;
                double high = quantiles[i] - mean;
                square += (low * low + low * high + high * high) / 3;
            }
            deviation = Math.sqrt(square / (quantiles.length - 1));
        }

        double mean() {
            return mean;
        }

        /** Returns how long so many calls take one after the other. */
        double sum(long calls, Chance chance) {
            if (calls >= MANY) {
                double sum = calls * mean + Math.sqrt(calls) * deviation * chance.gaussian();
                return Math.max(calls * quantiles[0], sum);
            }
            double sum = 0;
            for (long i = 0; i < calls; i++) {
                double at = chance.fraction() * (quantiles.length - 1);
                int below = (int) at;
                sum += quantiles[below] + (quantiles[below + 1] - quantiles[below]) * (at - below);
            }
            return sum;
        }
    }
}
