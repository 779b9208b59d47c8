// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.transfer.TransferStatus;

/**
 * A transfer, as its state directory showed it when it was last published, or the work of a command without jobs. Times
 * are nanoseconds since 1970.
 *
 * @param transfer its id
 * @param operation the word of its operation, such as {@code copy}
 * @param state its state
 * @param user the name of the user who began it, as the publishing process gave it: no proof of an identity
 * @param node the host on which it was begun
 * @param command the command line, escaped for display
 * @param source the first source
 * @param sources the number of sources
 * @param destination the destination, null if it has none or it is not known yet
 * @param created when it was created
 * @param ended when it ended, null if it may still progress
 * @param generation the newest generation, 0 before the start
 * @param planned whether its batches are all planned
 * @param batches the number of batches planned so far; 0 for a command without jobs
 * @param batchesDone how many of them were done, or tried with failures
 * @param entries planned entries; for a command without jobs those that were tried
 * @param entriesDone entries copied or skipped
 * @param bytes planned bytes; for a command without jobs the same as {@code bytesDone}
 * @param bytesDone bytes of these that are done
 * @param failed entries that failed
 * @param verifies the id of the copy that it verifies, null for all else
 * @param checked whether it read back and compared what it wrote
 * @param stateDirectory the state directory, which remains authoritative; empty for a command without jobs
 * @param updated when this tuple was made, by the clock of the process that published it
 * @param stateIdentity the identity of the state directory, because several may have the same path; null if it has none
 */
public record TransferTuple(String transfer, String operation, TransferStatus.State state, String user, String node,
        String command, ByteString source, int sources, @Nullable ByteString destination, long created,
        @Nullable Long ended, int generation, boolean planned, int batches, int batchesDone, long entries,
        long entriesDone, long bytes, long bytesDone, long failed, @Nullable String verifies, boolean checked,
        ByteString stateDirectory, long updated, @Nullable String stateIdentity) {

    public TransferTuple {
        Objects.requireNonNull(transfer);
        Objects.requireNonNull(state);
    }

    /**
     * Returns whether this is a command without jobs whose tuple has not changed for so long that the command may have
     * been killed.
     *
     * @param now nanoseconds since 1970
     */
    boolean mayBeLost(long now) {
        return state == TransferStatus.State.RUNNING && stateDirectory.length() == 0
                && now - updated > LiveCommand.LEASE.toNanos();
    }

    /** Returns the same command, ended without a result when it was last heard of. */
    TransferTuple lost() {
        return new TransferTuple(transfer, operation, TransferStatus.State.INCOMPLETE, user, node, command, source,
                sources, destination, created, (Long) updated, generation, planned, batches, batchesDone, entries,
                entriesDone, bytes, bytesDone, failed, verifies, checked, stateDirectory, updated, stateIdentity);
    }

    /** Returns whether this says the same as another tuple, which was made at another time. */
    boolean saysAs(TransferTuple other) {
        return equals(new TransferTuple(other.transfer, other.operation, other.state, other.user, other.node,
                other.command, other.source, other.sources, other.destination, other.created, other.ended,
                other.generation, other.planned, other.batches, other.batchesDone, other.entries, other.entriesDone,
                other.bytes, other.bytesDone, other.failed, other.verifies, other.checked, other.stateDirectory,
                updated, other.stateIdentity));
    }
}
