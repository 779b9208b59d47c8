// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import java.nio.file.Path;
import java.time.Instant;

import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.schedulers.pool.Pool;
import org.treehaul.schedulers.pool.PresentWorker;
import org.treehaul.schedulers.pool.TransferOffer;
import org.treehaul.schedulers.pool.carry.OwnCarriers;
import org.treehaul.schedulers.pool.carry.PoolListener;

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

    /** Believes all that is in a pool, and opens nothing. */
    static Admission admission(Pool pool) {
        return new OwnUser(pool, 0, new OwnCarriers(Path.of("/nonexistent"), 1, 0, new PoolListener() {
            @Override
            public void onEvent(Event event) {}

            @Override
            public void onFinished(TransferDirectory transfer, int generation, TransferResult result) {}
        }, new Progress()), text -> {
        });
    }
}
