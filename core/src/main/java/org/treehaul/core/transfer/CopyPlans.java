// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.util.List;

import org.treehaul.core.copy.BatchCopier;
import org.treehaul.core.copy.CopyLayout;
import org.treehaul.core.copy.CopyOptions;
import org.treehaul.core.copy.CopyPair;
import org.treehaul.core.copy.Preserve;
import org.treehaul.core.plan.BatchLimits;
import org.treehaul.core.plan.Batching;
import org.treehaul.core.plan.PlanRequest;
import org.treehaul.core.walk.WalkOptions;

/** Says what is to be planned for a copy, so that the plan holds what the copy needs. */
public final class CopyPlans {

    private CopyPlans() {}

    /**
     * Returns the request for the plan of a copy.
     *
     * @param id the transfer
     * @param layout what is copied where
     * @param chunkBytes size above which a file is cut into chunks for several workers, and of these; 0 for no chunks
     * @param jobs how many jobs are to work on it
     * @throws IllegalArgumentException for a dry run, which nobody carries out, and for numbers out of their range
     */
    public static PlanRequest request(String id, CopyLayout layout, CopyOptions options, long chunkBytes,
            Batching batching, BatchLimits limits, int jobs) {
        WalkOptions walk = WalkOptions.defaults()
                .withSymlinks(options.symlinks())
                .withOneFileSystem(options.oneFileSystem())
                .withFilter(options.filter())
                .withThreads(options.threads());
        List<PlanRequest.Pair> planned = layout.pairs()
                .stream()
                .map(pair -> new PlanRequest.Pair(pair.source(), pair.target()))
                .toList();
        return PlanRequest.of(id, planned, batching)
                .withWalk(walk)
                .withLinkGroups(options.preserve().contains(Preserve.LINKS))
                .withChunkBytes(BatchCopier.mayChunk(options) ? chunkBytes : 0)
                .withLimits(jobs, limits)
                .withSettings(CopySettings.of(options))
                .withUnplaced(layout.unplaced()
                        .stream()
                        .map(one -> new PlanRequest.Unplaced(one.source(), one.target(), one.path(), one.failure()))
                        .toList());
    }

    /** Returns the request for the plan of a copy whose sources are all there. */
    public static PlanRequest request(String id, List<CopyPair> pairs, CopyOptions options, long chunkBytes,
            Batching batching, BatchLimits limits, int jobs) {
        return request(id, new CopyLayout(pairs, List.of(), List.of()), options, chunkBytes, batching, limits, jobs);
    }
}
