// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;

import org.treehaul.core.event.Cancellation;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.schedulers.pool.FinishOffer;
import org.treehaul.schedulers.pool.Pool;
import org.treehaul.schedulers.pool.TransferOffer;
import org.treehaul.schedulers.pool.Trust;
import org.treehaul.schedulers.pool.carry.Carrier;
import org.treehaul.tuplespace.Result;
import org.treehaul.tuplespace.Transaction;
import org.treehaul.tuplespace.store.Owned;

/**
 * Does what remains of a transfer when no batch of it is free: offers batches that were planned since, works on those
 * whose offers were lost, and finishes it. One worker at a time does this, the one that has the {@link FinishOffer}.
 * Used by one thread.
 */
final class Closing {

    /** The outcome for the worker. */
    sealed interface Outcome {}

    /** Batches were offered. */
    record Offered() implements Outcome {}

    /** Other workers have batches of it, or finish it, or its plan grows: nothing to do now. */
    record Later() implements Outcome {}

    /**
     * The worker has done what was left.
     *
     * @param finished what it has done, and the state of the transfer
     */
    record Worked(Carrier.Finished finished) implements Outcome {}

    // There is one for a transfer, unless another user has forged some.
    private static final int RIGHTS = 100;
    // The rest follows when these are done, so a plan of any size, true or not, fits into memory.
    private static final int MOST_MORE = 10_000;

    private final Pool pool;
    private final Admission admission;
    private final Presence presence;
    private final Duration lease;

    Closing(Pool pool, Admission admission, Presence presence, Duration lease) {
        this.pool = pool;
        this.admission = admission;
        this.presence = presence;
        this.lease = lease;
    }

    Outcome close(TransferOffer offer, Carrier carrier, Cancellation stop) throws IOException, InterruptedException {
        Trust trust = admission.of(offer);
        try (Transaction transaction = pool.begin(lease)) {
            List<Owned<FinishOffer>> rights = transaction.takeOwned(Pool.finish(offer), RIGHTS);
            if (rights.stream().noneMatch(trust::covers)) {
                // Forged ones are gone.
                transaction.commit();
                return new Later();
            }
            presence.renew(transaction.lease());
            switch (transaction.readIfExists(Pool.batches(offer, Set.of()), Duration.ZERO)) {
                case Result.Locked<?> taken -> {
                    return new Later();
                }
                case Result.Found<?> givenBack -> {
                    return new Later();
                }
                case Result.Empty<?> none -> {
                    // Nobody has a batch.
                }
            }
            int offered = Pool.offered(transaction, offer, trust);
            switch (carrier.remainder(offered)) {
                case Carrier.Planned planned -> {
                    Pool.offerMore(transaction, offer, Math.min(planned.batches(), offered + MOST_MORE), trust);
                    transaction.write(new FinishOffer(offer.transfer(), offer.generation()));
                    transaction.commit();
                    return new Offered();
                }
                case Carrier.Growing growing -> {
                    return new Later();
                }
                case Carrier.Complete complete -> {
                    // Nobody else works on the transfer, unless a worker is thought to be dead: its journals decide that.
                }
            }
            Carrier.Finished finished = carrier.finish(stop);
            if (!stop.isCancelled() && finished.state().filter(TransferResult.State.STOPPED::equals).isEmpty()) {
                Pool.withdraw(transaction, offer.transfer(), offer.generation());
                transaction.commit();
            }
            return new Worked(finished);
        } finally {
            presence.renew(null);
        }
    }
}
