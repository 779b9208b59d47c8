// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.EntryFailure;

/**
 * The failure of an entry in one attempt. Directory and name are those of the entry at the source, as in an index of
 * the source, also if the call failed at the destination.
 *
 * @param transfer the id of the transfer
 * @param batch the batch; null for planning and finishing, and for a command without jobs
 * @param attempt the attempt at the batch, or at finishing; 0 for planning, 1 for a command without jobs
 * @param generation the generation of the attempt; 0 for planning
 * @param node the host of the attempt
 * @param directory absolute path of the directory that contains the entry; empty for the root of the file system
 * @param name name in that directory; a slash for the root of the file system
 * @param failure the kind of failure
 * @param call the failed system call, or a word for the failed check
 * @param errno the error number, 0 if no call failed
 * @param error the text of the error number, empty if no call failed
 * @param place the path on which the call failed, if it is not that of the entry, else empty
 * @param tries how often the operation was tried
 * @param resolved whether a later attempt has processed the entry
 */
public record FailureTuple(String transfer, @Nullable Integer batch, int attempt, int generation, String node,
        ByteString directory, ByteString name, EntryFailure.Kind failure, String call, int errno, String error,
        ByteString place, int tries, boolean resolved) {

    public FailureTuple {
        Objects.requireNonNull(transfer);
        Objects.requireNonNull(failure);
    }
}
