// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.transfer.BatchStatus;

/**
 * A batch of a transfer. Times are nanoseconds since 1970 by the clock of its node.
 *
 * @param transfer the id of the transfer
 * @param batch the number of the batch, from 0
 * @param state its state
 * @param attempts the number of attempts so far
 * @param node the host of the newest attempt, empty if there is none
 * @param job its job, as the scheduler names it, or empty
 * @param entries planned entries
 * @param entriesDone entries copied or skipped
 * @param files planned regular files
 * @param filesDone regular files that are done
 * @param bytes planned bytes
 * @param bytesDone bytes of these that are done
 * @param failed entries that failed
 * @param started when the newest attempt began, null if there is none
 * @param reported when it last reported, null if there is none
 */
public record BatchTuple(String transfer, int batch, BatchStatus.State state, int attempts, String node, String job,
        long entries, long entriesDone, long files, long filesDone, long bytes, long bytesDone, long failed,
        @Nullable Long started, @Nullable Long reported) {

    public BatchTuple {
        Objects.requireNonNull(transfer);
        Objects.requireNonNull(state);
    }
}
