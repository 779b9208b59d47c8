// SPDX-License-Identifier: Apache-2.0
package org.treehaul.nodes;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.treehaul.programs.Median;

/**
 * The times of the {@link Application} over a number of servers.
 *
 * @param spawn seconds from the call that starts the tasks until all have joined
 * @param seconds the median of each case by the bytes of its requests; a case that was not measured is absent
 */
public record CaseTimes(int servers, double spawn, Map<Application.Case, Map<Integer, Double>> seconds) {

    /** Copies the map. */
    public CaseTimes {
        seconds = Map.copyOf(seconds);
    }

    /** Returns the seconds of a case, NaN if it was not measured. */
    public double of(Application.Case one, int request) {
        return seconds.getOrDefault(one, Map.of()).getOrDefault(request, Double.NaN);
    }

    /** Returns how many times as fast as case A a case is. */
    public double speedUp(Application.Case one, int request) {
        return of(Application.Case.A, request) / of(one, request);
    }

    /** Takes the lines of {@link Application#measure}. */
    static CaseTimes of(int servers, List<String> lines) {
        double spawn = Double.NaN;
        Map<Application.Case, Map<Integer, List<Double>>> all = new EnumMap<>(Application.Case.class);
        for (String line : lines) {
            String[] words = line.split(" ", -1);
            double seconds = Long.parseLong(words[words.length - 1]) / 1e9;
            if (words.length == 2) {
                spawn = seconds;
            } else {
                all.computeIfAbsent(Application.Case.valueOf(words[0]), first -> new HashMap<>())
                        .computeIfAbsent(Integer.valueOf(words[1]), first -> new ArrayList<>())
                        .add(seconds);
            }
        }
        Map<Application.Case, Map<Integer, Double>> medians = new EnumMap<>(Application.Case.class);
        all.forEach((one, sizes) -> sizes.forEach(
                (size, values) -> medians.computeIfAbsent(one, first -> new HashMap<>()).put(size, Median.of(values))));
        return new CaseTimes(servers, spawn, medians);
    }
}
