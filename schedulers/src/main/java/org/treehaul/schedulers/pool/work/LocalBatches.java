// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import java.io.IOException;
import java.util.Set;

import org.treehaul.schedulers.pool.carry.Carrier;

/**
 * The batches of a transfer that a worker takes first: its host has their data. Used by one thread. They are known in
 * portions, because a plan may have a million.
 */
final class LocalBatches {

    private Set<Integer> portion = Set.of();
    private int lookedTo;

    /** Creates the batches of a transfer, of which none is known. */
    LocalBatches() {}

    /**
     * Looks for the next portion if the one before was used up, and batches were offered that were not looked at.
     *
     * @param offered the number of batches that were offered
     */
    void look(Carrier carrier, int offered) throws IOException, InterruptedException {
        // Asks once: a process of another user might answer without end.
        if (portion.isEmpty() && lookedTo < offered) {
            Carrier.Local local = carrier.local(lookedTo);
            portion = local.batches();
            lookedTo = Math.max(local.lookedTo(), lookedTo + 1);
        }
    }

    /** Returns the batches of this portion; empty if there are none, or others have them all. */
    Set<Integer> portion() {
        return portion;
    }

    /** Records that no batch of the portion is offered: those that come back are taken as any other. */
    void usedUp() {
        portion = Set.of();
    }
}
