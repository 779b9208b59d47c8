// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.sync.SyncOptions;
import org.treehaul.core.transfer.request.CopyRequest;

/**
 * The sync by jobs or ranks that a user asks for. Immutable.
 *
 * @param source the source, see {@link org.treehaul.core.sync.TreeSync#sync}
 * @param destination the destination
 * @param options what is compared, copied and removed; entries are removed after everything was copied
 * @param batching the strategy, the limits of a batch and the size of a chunk
 * @param workers the number of workers to plan for
 * @param directory the absolute path of the working directory
 * @param umask the file mode creation mask of the user, 0 to 0777
 */
@Internal
public record SyncRequest(ByteString source, ByteString destination, SyncOptions options, CopyRequest.Batches batching,
        int workers, ByteString directory, int umask) {

    /**
     * Checks the options.
     *
     * @throws IllegalArgumentException if entries would be removed before others are copied, or the options contain
     *         earlier copies, which workers do not search
     */
    public SyncRequest {
        if (options.deletion() == SyncOptions.Deletion.BEFORE || options.earlier().isAny()) {
            throw new IllegalArgumentException(
                    "a sync by jobs removes entries after the copy, and uses no earlier copies");
        }
    }

    /** Returns a path that does not depend on the working directory. */
    ByteString absolute(ByteString path) {
        return path.at(0) == '/' ? path : UserPath.join(directory, path);
    }
}
