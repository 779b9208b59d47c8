// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;

import org.treehaul.core.entry.TreePath;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.plan.format.PlannedBatch;

/**
 * The evenness of the batches of a plan.
 *
 * @param seconds the time that planning took
 * @param batches the number of batches
 * @param files the number of files, and chunks of files, in a batch
 * @param bytes the bytes in a batch
 * @param spreadOfDirectories the mean number of batches that contain entries of the same directory, over directories
 *        with any entries
 */
record PlanRun(double seconds, int batches, Even files, Even bytes, double spreadOfDirectories) {

    /**
     * The evenness of shares.
     *
     * @param least the smallest share
     * @param most the largest share
     * @param mean the mean share
     */
    record Even(long least, long most, double mean) {

        static Even of(List<PlannedBatch> batches, ToLongFunction<PlannedBatch> what) {
            return new Even(batches.stream().mapToLong(what).min().orElse(0),
                    batches.stream().mapToLong(what).max().orElse(0),
                    batches.stream().mapToLong(what).average().orElse(0));
        }

        /** Returns by how much the largest exceeds the smallest, in percent of the mean. */
        double percent() {
            return mean == 0 ? 0 : 100 * (most - least) / mean;
        }
    }

    /** Computes the evenness of a plan. */
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
