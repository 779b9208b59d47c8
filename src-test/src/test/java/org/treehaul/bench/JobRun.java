// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.DoubleStream;

import org.treehaul.core.transfer.BatchStatus;

/**
 * The times of a copy by jobs; seconds since the start of the command unless stated otherwise.
 *
 * @param planned when the plan was complete
 * @param submitted when the command returned
 * @param begun when the first batch was claimed
 * @param finished when finishing was done
 * @param batches the duration of each batch
 * @param workers for each worker that got a batch, when it ended its last one; for each batch, if the scheduler does
 *        not name jobs
 */
@SuppressWarnings("ArrayRecordComponent") // read by one report, never compared
record JobRun(double planned, double submitted, double begun, double finished, double[] batches, double[] workers) {

    /** Computes the times from the batches of a completed transfer. */
    static JobRun of(Instant start, Instant planned, Instant submitted, Instant finished, List<BatchStatus> batches) {
        double[] took = batches.stream()
                .mapToDouble(batch -> seconds(batch.started().orElseThrow(), batch.reported().orElseThrow()))
                .toArray();
        Map<String, Double> ends = new TreeMap<>();
        for (BatchStatus batch : batches) {
            String worker = batch.job().isEmpty() ? "batch " + batch.number() : batch.job();
            ends.merge(worker, seconds(start, batch.reported().orElseThrow()), Math::max);
        }
        Instant begun = batches.stream()
                .map(batch -> batch.started().orElseThrow())
                .min(Instant::compareTo)
                .orElseThrow();
        return new JobRun(seconds(start, planned), seconds(start, submitted), seconds(start, begun),
                seconds(start, finished), took, ends.values().stream().mapToDouble(Double::doubleValue).toArray());
    }

    static double seconds(Instant from, Instant to) {
        return (to.toEpochMilli() - from.toEpochMilli()) / 1000.0;
    }

    double bestBatch() {
        return DoubleStream.of(batches).min().orElse(Double.NaN);
    }

    double worstBatch() {
        return DoubleStream.of(batches).max().orElse(Double.NaN);
    }

    double firstEnd() {
        return DoubleStream.of(workers).min().orElse(Double.NaN);
    }

    double lastEnd() {
        return DoubleStream.of(workers).max().orElse(Double.NaN);
    }

    /** Returns the last end of a worker divided by the mean, both from the first claim: 1 means no tail. */
    double tail() {
        double mean = DoubleStream.of(workers).average().orElse(Double.NaN);
        return (lastEnd() - begun) / (mean - begun);
    }
}
