// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.plan.Batching;
import org.treehaul.core.plan.PlanRequest;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.core.task.Segmentation;
import org.treehaul.core.transfer.operation.EntrySettings;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/** Creates the planning requests for operations on single entries. */
public final class EntryPlans {

    private EntryPlans() {}

    /**
     * Returns the planning request for an operation.
     *
     * @param id the transfer
     * @param roots the entries to process, with everything below them
     * @param operation decides which directories its conditions select
     * @param walk the options for walking, with conditions that entries must meet; symbolic links are never followed
     * @param jobs the number of jobs that will share the work
     * @throws SystemCallException if a directory that contains a root cannot be examined
     * @throws IllegalArgumentException if the strategy releases batches while the walk runs: the operation would change
     *         the tree that is being walked
     */
    public static PlanRequest request(FileSystemCalls calls, String id, Operation.OnEntries operation, List<Root> roots,
            WalkOptions walk, Batching batching, BatchLimits limits, int jobs) throws SystemCallException {
        if (batching.isStreaming()) {
            throw new IllegalArgumentException("an operation on entries is planned to its end before it begins");
        }
        Segmentation segments = operation instanceof Operation.Run run ? run.task().segments() : Segmentation.NONE;
        Map<String, String> settings = new TreeMap<>();
        settings.put(EntrySettings.THREADS, String.valueOf(walk.threads()));
        List<String> places = operation.isAtData()
                ? List.of()
                : RootCheck.places(calls, roots.stream().map(Root::path).toList());
        for (int i = 0; i < places.size(); i++) {
            settings.put(EntrySettings.PLACE + i, places.get(i));
        }
        return PlanRequest.of(id, roots.stream().map(PlanRequest.Pair::ofSource).toList(), batching)
                .withWalk(walk)
                .withChunkBytes(segments.chunkBytes())
                // Each name of a file gets its segments.
                .withLinkGroups(!segments.divides())
                .withLimits(jobs, limits)
                .withToken(false)
                .withSettings(settings)
                .withIdentities(true)
                .withServers(readsData(operation))
                .withDirectories(switch (operation) {
                    case Operation.Remove _ -> PlanRequest.Directories.EMPTIED;
                    case Operation.OnAttributes _ -> PlanRequest.Directories.COMPARED;
                    case Operation.Run _ -> PlanRequest.Directories.MATCHING;
                    case Operation.Custom _ -> PlanRequest.Directories.MATCHING;
                });
    }

    // The servers of data matter to nothing else, and each question takes as long as to remove a file.
    private static boolean readsData(Operation.OnEntries operation) {
        return switch (operation) {
            case Operation.Remove _,Operation.OnAttributes _ -> false;
            case Operation.Run _,Operation.Custom _ -> true;
        };
    }
}
