// SPDX-License-Identifier: Apache-2.0
package org.treehaul.nodes;

import java.util.List;
import java.util.stream.IntStream;

import org.treehaul.programs.Median;

/**
 * The throughput of a job.
 *
 * @param writes bytes in a second, of each round
 * @param reads bytes in a second, of each round
 */
public record FileTimes(FileJob job, List<Double> writes, List<Double> reads) {

    /** Copies the lists. */
    public FileTimes {
        writes = List.copyOf(writes);
        reads = List.copyOf(reads);
    }

    /** Returns the median of writing or reading, in bytes in a second. */
    public double median(boolean isWrite) {
        return Median.of(of(isWrite));
    }

    /** Returns the median of the ratios of the rounds to those of another job. */
    public double ratio(boolean isWrite, FileTimes other) {
        return Median.of(IntStream.range(0, writes.size())
                .mapToDouble(round -> of(isWrite).get(round) / other.of(isWrite).get(round)));
    }

    private List<Double> of(boolean isWrite) {
        return isWrite ? writes : reads;
    }
}
