// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;

import org.treehaul.core.entry.TreePath;
import org.treehaul.core.plan.ManifestEntry;
import org.treehaul.core.plan.Plan;
import org.treehaul.core.plan.PlanRecords;
import org.treehaul.core.plan.PlannedBatch;

/**
 * How even the batches of a plan are.
 *
 * @param seconds what planning took
 * @param batches how many
 * @param files that a batch has, and chunks of files
 * @param bytes that a batch has
 * @param spreadOfDirectories in how many batches a directory that holds anything is, on average
 */
record PlanRun(double seconds, int batches, Even files, Even bytes, double spreadOfDirectories) {

    /**
     * How even something is shared out.
     *
     * @param least the smallest share
     * @param most the largest
     * @param mean of all
     */
    record Even(long least, long most, double mean) {

        static Even of(List<PlannedBatch> batches, ToLongFunction<PlannedBatch> what) {
            return new Even(batches.stream().mapToLong(what).min().orElse(0),
                    batches.stream().mapToLong(what).max().orElse(0),
                    batches.stream().mapToLong(what).average().orElse(0));
        }

        /** Returns how far the largest is above the smallest, in percent of the mean. */
        double percent() {
            return mean == 0 ? 0 : 100 * (most - least) / mean;
        }
    }

    /** Reads it off a plan. */
    static PlanRun of(Path directory, double seconds) throws IOException {
        Plan plan = Plan.open(directory);
        List<PlannedBatch> batches = plan.batches();
        Set<TreePath> all = new HashSet<>();
        long sum = 0;
        for (PlannedBatch batch : batches) {
            Set<TreePath> here = new HashSet<>();
            try (PlanRecords<ManifestEntry> entries = plan.manifest(batch.number())) {
                for (ManifestEntry entry = entries.next(); entry != null; entry = entries.next()) {
                    here.add(entry.path().parent());
                }
            }
            all.addAll(here);
            sum += here.size();
        }
        return new PlanRun(seconds, batches.size(), Even.of(batches, PlannedBatch::entries),
                Even.of(batches, PlannedBatch::bytes), all.isEmpty() ? 1 : (double) sum / all.size());
    }
}
