// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import java.util.List;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.plan.Batching;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/**
 * The removal that a user asks for. It is planned by the process that creates the transfer, so it is not kept.
 * Immutable.
 *
 * @param roots the entries to remove, with everything below them
 * @param walk the options for walking; symbolic links are never followed
 * @param batching the strategy that divides the entries
 * @param limits limits of a batch
 * @param directory the absolute path of the directory in which jobs run
 * @param umask the umask of jobs, 0 to 0777
 */
public record RemoveRequest(List<Root> roots, WalkOptions walk, Batching batching, BatchLimits limits,
        ByteString directory, int umask) {

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if there is no root, or the strategy releases batches while the walk runs, which
     *         must not meet removals
     */
    public RemoveRequest {
        roots = List.copyOf(roots);
        if (roots.isEmpty()) {
            throw new IllegalArgumentException("there is nothing to remove");
        }
        if (batching.isStreaming()) {
            throw new IllegalArgumentException("a removal is planned to its end before it begins");
        }
    }
}
