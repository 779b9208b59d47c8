// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import java.time.Instant;

import org.treehaul.schedulers.pool.PresentWorker;
import org.treehaul.schedulers.pool.TransferOffer;

/** Offers and workers for tests. */
final class ChoiceTestData {

    private ChoiceTestData() {}

    static TransferOffer offer(String transfer, int priority) {
        return new TransferOffer(transfer, 1, TransferOffer.FORMAT, "/none", "/scratch/" + transfer, 0, priority, 0, 0,
                Instant.EPOCH);
    }

    static PresentWorker worker(String name, String transfer, int generation) {
        return new PresentWorker(name, 0, "host", 1, transfer, generation, Instant.EPOCH);
    }
}
