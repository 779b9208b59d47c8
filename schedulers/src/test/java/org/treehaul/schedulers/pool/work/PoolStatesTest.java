// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.treehaul.core.event.Progress;
import org.treehaul.schedulers.JobState;
import org.treehaul.schedulers.Scheduler;
import org.treehaul.schedulers.batch.BatchTransfer;
import org.treehaul.schedulers.discovery.Schedulers;
import org.treehaul.schedulers.pool.Pool;
import org.treehaul.schedulers.pool.PoolProvider;
import org.treehaul.schedulers.pool.TransferOffer;
import org.treehaul.schedulers.pool.Trust;
import org.treehaul.tuplespace.Transaction;

/** The answers of a pool to those who ask for the state of a transfer. */
class PoolStatesTest extends PooledTransfers {

    private Scheduler scheduler(String home) throws Exception {
        return Schedulers.named(PoolProvider.name(space), Map.of("HOME", home));
    }

    @Test
    void aTransferWhoseOfferAWorkerIsReplacingIsNotGone() throws Exception {
        submit(copy(source("source", 3), 1));
        TransferOffer offer = pool.transfers().getFirst();
        String id = offer.transfer() + ".1";
        Scheduler scheduler = scheduler("/home");
        try (Transaction transaction = pool.begin(LEASE)) {
            Pool.offerMore(transaction, offer, offer.offered(), Trust.EVERYBODY);
            assertThat(pool.transfers()).isEmpty();
            assertThat(scheduler.states(List.of(id, id + ".finish"))).containsOnly(Map.entry(id, JobState.WAITING),
                    Map.entry(id + ".finish", JobState.WAITING));
            transaction.commit();
        }
        pool.withdraw(offer.transfer(), 1);
        assertThat(scheduler.states(List.of(id))).containsOnly(Map.entry(id, JobState.GONE));
    }

    @Test
    void theHintNamesTheStateDirectoryUnlessWorkersFindItAnyway() throws Exception {
        BatchTransfer transfer = BatchTransfer.create(directory.resolve(".treehaul"), jar, copy(source("source", 1), 1),
                jobs, "a test");
        transfer.submit(event -> {
        }, new Progress(), cancellation);
        List<String> ids = List.of(transfer.id() + ".1");
        String hint = "a worker: start 'treehaul worker --pool " + space;
        assertThat(scheduler(directory.toString()).reasons(ids)).containsExactly(hint + "'");
        assertThat(scheduler("/home").reasons(ids)).containsExactly(hint + " --state-dir " + directory + "/.treehaul'");
    }
}
