// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool;

import java.time.Instant;

/**
 * A worker of the pool. Its lease ends some time after its last sign of life.
 *
 * @param name a name that no other worker has
 * @param uid its user
 * @param host the name of its host
 * @param pid the number of its process on that host
 * @param transfer the transfer that it works on; empty if it waits
 * @param generation the generation of that transfer, or 0
 * @param since when it began with that, by the clock of its host; for display
 */
public record PresentWorker(String name, long uid, String host, long pid, String transfer, int generation,
        Instant since) {

    /** Returns the same worker at another transfer, or waiting. */
    public PresentWorker at(String other, int itsGeneration, Instant now) {
        return new PresentWorker(name, uid, host, pid, other, itsGeneration, now);
    }
}
