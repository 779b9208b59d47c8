// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.util.ArrayList;
import java.util.List;

import org.treehaul.core.copy.CopyLayout;
import org.treehaul.core.copy.UnplacedSource;
import org.treehaul.core.copy.batch.BatchCopier;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.plan.Batching;
import org.treehaul.core.plan.PlanRequest;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.core.transfer.operation.CopySettings;

/** Creates the planning requests for copies. */
public final class CopyPlans {

    private CopyPlans() {}

    /**
     * Returns the planning request for a copy.
     *
     * @param id the transfer
     * @param layout the sources and their targets
     * @param chunkBytes the size above which a file is divided into chunks for several workers, and the size of a
     *        chunk; 0 for no chunks
     * @param jobs the number of jobs that will share the work
     * @throws IllegalArgumentException for a dry run, which has no plan, and for numbers out of range
     */
    public static PlanRequest request(String id, CopyLayout layout, CopyOptions options, long chunkBytes,
            Batching batching, BatchLimits limits, int jobs) {
        List<PlanRequest.Pair> planned = layout.pairs()
                .stream()
                .map(pair -> new PlanRequest.Pair(pair.source(), pair.target()))
                .toList();
        List<ByteString> sources = new ArrayList<>();
        planned.forEach(pair -> sources.add(pair.source().path()));
        // The planner adds a root for each source that cannot be walked, unless it has the same one.
        layout.unplaced()
                .stream()
                .filter(one -> planned.stream()
                        .noneMatch(pair -> pair.source().path().equals(one.source())
                                && pair.target().equals(one.target())))
                .map(UnplacedSource::source)
                .distinct()
                .forEach(sources::add);
        return PlanRequest.of(id, planned, batching)
                .withWalk(options.walk().withThreads(options.threads()))
                .withLinkGroups(options.preserve().contains(Preserve.LINKS))
                .withChunkBytes(BatchCopier.mayChunk(options) ? chunkBytes : 0)
                .withLimits(jobs, limits)
                .withSettings(CopySettings.of(options, sources))
                .withUnplaced(layout.unplaced()
                        .stream()
                        .map(one -> new PlanRequest.Unplaced(one.source(), one.target(), one.path(), one.failure()))
                        .toList());
    }
}
