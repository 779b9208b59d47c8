// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import java.util.Objects;

import org.treehaul.core.transfer.AttemptRecord;

/**
 * An attempt at a batch. Times are nanoseconds since 1970 by the clock of its node.
 *
 * @param transfer the id of the transfer
 * @param batch the number of the batch
 * @param attempt the number of the attempt, from 1
 * @param generation the generation of its worker
 * @param state how it ended, or that it is open
 * @param node the host of its worker
 * @param worker the host, and the job or process of its worker
 * @param started when it began
 * @param ended when it ended or last reported
 * @param entries entries that it completed
 * @param bytes data of these, without holes
 * @param failed entries of the batch that failed
 */
public record AttemptTuple(String transfer, int batch, int attempt, int generation, AttemptRecord.State state,
        String node, String worker, long started, long ended, long entries, long bytes, long failed) {

    public AttemptTuple {
        Objects.requireNonNull(transfer);
        Objects.requireNonNull(state);
    }
}
