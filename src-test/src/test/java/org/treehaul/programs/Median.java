// SPDX-License-Identifier: Apache-2.0
package org.treehaul.programs;

import java.util.Collection;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/** The median of measured values. */
public final class Median {

    private Median() {}

    /** Returns the middle value, or the mean of the two middle ones; NaN if there is none. */
    public static double of(DoubleStream values) {
        double[] sorted = values.sorted().toArray();
        return sorted.length == 0 ? Double.NaN : (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    /** Returns the median as {@link #of(DoubleStream)} does. */
    public static double of(Collection<Double> values) {
        return of(values, Double::doubleValue);
    }

    /** Returns the median of one value of each element, as {@link #of(DoubleStream)} does. */
    public static <T> double of(Collection<T> all, ToDoubleFunction<? super T> value) {
        return of(all.stream().mapToDouble(value));
    }
}
