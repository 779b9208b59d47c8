// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.time.InstantSource;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.transfer.directory.GenerationResult;
import org.treehaul.core.transfer.directory.TransferDirectory;

/**
 * Repeated looks at the status of a transfer. Each reads only what may have changed since the one before: the names of
 * all attempts, and the progress of those that run. Used by one thread.
 */
@Internal
public final class StatusWatch {

    private final TransferDirectory transfer;
    private final InstantSource clock;
    private final SeenWork seen;

    StatusWatch(TransferDirectory transfer, InstantSource clock) {
        this.transfer = transfer;
        this.clock = clock;
        this.seen = new SeenWork(transfer);
    }

    /** Returns the transfer. */
    public TransferDirectory transfer() {
        return transfer;
    }

    /** Returns the status now, as {@link Transfers#status(TransferDirectory)} does. */
    public TransferStatus look() throws IOException {
        return new StatusReader(transfer, clock, seen).read();
    }

    /** Returns whether a generation has its final end, by a single call of the file system. */
    public boolean hasEnded(int generation) {
        return GenerationResult.of(transfer, generation).hasEnded();
    }
}
