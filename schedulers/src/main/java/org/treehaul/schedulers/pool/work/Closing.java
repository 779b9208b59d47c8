// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntConsumer;

import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.transfer.batch.Claims;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.finish.Finishing;
import org.treehaul.core.transfer.journal.FinishingHistory;
import org.treehaul.core.transfer.work.WorkResult;
import org.treehaul.schedulers.batch.JobWork;
import org.treehaul.schedulers.pool.FinishOffer;
import org.treehaul.schedulers.pool.Pool;
import org.treehaul.schedulers.pool.TransferOffer;
import org.treehaul.tuplespace.Result;
import org.treehaul.tuplespace.Transaction;

/**
 * Does what remains of a transfer when no batch of it is free: offers batches that were planned since, works on those
 * whose offers were lost, and finishes it. One worker at a time does this, the one that has the {@link FinishOffer}.
 * Used by one thread.
 */
final class Closing implements AutoCloseable {

    /** The outcome for the worker. */
    sealed interface Outcome {}

    /** Batches were offered. */
    record Offered() implements Outcome {}

    /** Other workers have batches of it, or finish it, or its plan grows: nothing to do now. */
    record Later() implements Outcome {}

    /**
     * The worker has done what was left.
     *
     * @param result the result if the transfer is finished; empty if it could not be
     */
    record Worked(WorkResult work, Optional<TransferResult> result) implements Outcome {}

    private final Pool pool;
    private final Presence presence;
    private final PoolListener listener;
    private final Progress progress;
    private final Duration lease;
    private final int number;
    // Growing plans whose planners are watched.
    private final Map<String, Claims> watched = new HashMap<>();

    Closing(Pool pool, Presence presence, PoolListener listener, Progress progress, Duration lease, int number) {
        this.pool = pool;
        this.presence = presence;
        this.listener = listener;
        this.progress = progress;
        this.lease = lease;
        this.number = number;
    }

    Outcome close(TransferOffer offer, TransferDirectory transfer, JobWork work, IntConsumer changes, Cancellation stop)
            throws IOException, InterruptedException {
        try (Transaction transaction = pool.begin(lease)) {
            if (!transaction.take(Pool.finish(offer), Duration.ZERO).isFound()) {
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
            Plan plan = Plan.open(transfer.plan());
            if (plan.batchCount() > offer.offered()) {
                Pool.offerMore(transaction, offer, plan.batchCount());
                transaction.write(new FinishOffer(offer.transfer(), offer.generation()));
                transaction.commit();
                return new Offered();
            }
            if (!plan.isSealed() && !isPlannerDead(offer, transfer)) {
                return new Later();
            }
            unwatch(offer);
            Worked worked = finish(transfer, work, offer.generation(), changes, stop);
            if (stop.isCancelled() || worked.result()
                    .map(TransferResult::state)
                    .filter(TransferResult.State.STOPPED::equals)
                    .isPresent()) {
                return worked;
            }
            Pool.withdraw(transaction, offer.transfer(), offer.generation());
            transaction.commit();
            return worked;
        } finally {
            presence.renew(null);
        }
    }

    // Nobody else works on the transfer, unless a worker is thought to be dead: its journals decide that.
    private Worked finish(TransferDirectory transfer, JobWork work, int generation, IntConsumer changes,
            Cancellation stop) throws IOException {
        WorkResult worked = work.work(number, changes, listener, progress, stop);
        if (stop.isCancelled() || worked.ending() == WorkResult.Ending.STOPPED
                || worked.ending() == WorkResult.Ending.SUPERSEDED) {
            return new Worked(worked, Optional.empty());
        }
        TransferResult result = Finishing.of(Linux.calls(), transfer, generation)
                .withThreads(work.threads())
                .withAnother()
                .finish(listener, progress, stop);
        if (!stop.isCancelled()) {
            listener.onFinished(transfer, generation, result);
        }
        return new Worked(worked, Optional.of(result));
    }

    private boolean isPlannerDead(TransferOffer offer, TransferDirectory transfer) throws IOException {
        Claims claims = watched.get(offer.transfer());
        if (claims == null) {
            claims = new Claims(transfer, offer.generation(), number, FinishingHistory.read(transfer));
            watched.put(offer.transfer(), claims);
        }
        return claims.isPlannerDead();
    }

    private void unwatch(TransferOffer offer) throws IOException {
        Claims claims = watched.remove(offer.transfer());
        if (claims != null) {
            claims.close();
        }
    }

    @Override
    public void close() {
        for (Claims claims : watched.values()) {
            try {
                claims.close();
            } catch (IOException e) {
                // A state directory that fails ends its transfer, not the worker.
            }
        }
        watched.clear();
    }
}
