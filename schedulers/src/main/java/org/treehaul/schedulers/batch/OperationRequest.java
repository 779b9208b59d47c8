// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import java.nio.file.Path;
import java.util.List;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.plan.Batching;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.request.CopyRequest;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.strategies.Strategies;

/**
 * The operation on the entries of trees that a user asks for, such as a removal. It is planned by the process that
 * creates the transfer, so only the operation and its jars are kept. Immutable.
 *
 * @param operation the operation
 * @param jars the jars that provide it, if it is not one of TreeHaul; copies of them are kept in the state directory
 * @param roots the trees, with everything below them
 * @param walk the options for walking; symbolic links are never followed
 * @param batching the strategy that divides the entries
 * @param limits limits of a batch
 * @param directory the absolute path of the directory in which jobs run
 * @param umask the umask of jobs, 0 to 0777
 * @param byServers whether each batch has the data of one server if the file system names the servers of files
 */
public record OperationRequest(Operation.OnEntries operation, List<Path> jars, List<Root> roots, WalkOptions walk,
        Batching batching, BatchLimits limits, ByteString directory, int umask, boolean byServers) {

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if there is no root, or the strategy releases batches while the walk runs: the
     *         operation would change the tree that is being walked
     */
    public OperationRequest {
        jars = List.copyOf(jars);
        roots = List.copyOf(roots);
        if (roots.isEmpty()) {
            throw new IllegalArgumentException("there are no trees");
        }
        if (batching.isStreaming()) {
            throw new IllegalArgumentException("an operation on entries is planned to its end before it begins");
        }
    }

    /** Creates a request whose batches are divided by servers, where these are known. */
    public OperationRequest(Operation.OnEntries operation, List<Path> jars, List<Root> roots, WalkOptions walk,
            Batching batching, BatchLimits limits, ByteString directory, int umask) {
        this(operation, jars, roots, walk, batching, limits, directory, umask, true);
    }

    /**
     * Returns the request of an operation on whole trees.
     *
     * @param jars the jars that provide the operation; empty for one of TreeHaul
     * @param paths the absolute paths of the trees
     * @param workers the number of workers to plan for
     * @throws IllegalArgumentException if there is no path, or one is relative
     */
    public static OperationRequest of(Operation.OnEntries operation, List<Path> jars, List<ByteString> paths,
            int workers) {
        if (paths.stream().anyMatch(path -> path.length() == 0 || path.at(0) != '/')) {
            throw new IllegalArgumentException("not absolute paths: " + paths);
        }
        CopyRequest.Batches batches = CopyRequest.Batches.forWorkers(workers);
        return new OperationRequest(operation, jars, paths.stream().map(Root::of).toList(), WalkOptions.defaults(),
                Strategies.named(batches.strategy()), batches.limits(), ByteString.of("/"), 022);
    }
}
