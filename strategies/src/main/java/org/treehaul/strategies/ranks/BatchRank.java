// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;

import org.treehaul.core.event.Cancellation;
import org.treehaul.core.plan.servers.OwnHost;
import org.treehaul.core.transfer.work.BatchShare;
import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.Gather;
import org.treehaul.strategies.ranks.communicator.RanksException;

/**
 * One rank of a group that executes the batches of a transfer: every batch goes to one rank, which does its batches one
 * after another. Rank 0 has all of them at first.
 */
public final class BatchRank {

    /** Does the batches that it is given, until none is left. */
    @FunctionalInterface
    public interface Work<R> {
        /** Does the batches, and returns the result to report. */
        R run(BatchShare share) throws Exception;
    }

    /**
     * The end of a rank's work.
     *
     * @param result the return value of the work
     * @param isWhole whether the batches of all ranks are done; if not, the work ended early, and the others wait for
     *        this rank until it leaves the group by an exception
     */
    public record Outcome<R>(R result, boolean isWhole) {}

    private final Communicator communicator;
    private final Distribution distribution;
    private final Group.Settings settings;
    private final IntFunction<OwnHost> hosts;

    private BatchRank(Communicator communicator, Distribution distribution, Group.Settings settings,
            IntFunction<OwnHost> hosts) {
        this.communicator = communicator;
        this.distribution = distribution;
        this.settings = settings;
        this.hosts = hosts;
    }

    /** Returns the rank of a communicator. */
    public static BatchRank of(Communicator communicator, Distribution distribution) {
        return new BatchRank(communicator, distribution, Group.Settings.defaults(),
                rank -> rank == communicator.rank() ? OwnHost.here() : OwnHost.named(communicator.hostName(rank)));
    }

    /** Returns a copy whose ranks are on other hosts, for tests. */
    BatchRank withHosts(IntFunction<OwnHost> others) {
        return new BatchRank(communicator, distribution, settings, others);
    }

    /**
     * Shares the batches and runs the work on a separate thread. Returns when the batches of all ranks are done and no
     * rank reads messages of this run any more: later messages belong to the next operation.
     *
     * @param count the number of batches in the plan, the same for all ranks
     * @param weights the weight of each batch, in entries
     * @param servers the servers that store the data of a batch, the same for all ranks; empty if they are unknown. A
     *        rank begins with the batches that its own host stores
     * @param cancellation ends this rank's part early; cancelled when the group breaks, so that the work ends as well
     * @throws RanksException when the group breaks, or this rank is stopped while others are still leaving
     * @throws ExecutionException with the exception of the work
     */
    public <R> Outcome<R> run(int count, IntToLongFunction weights, IntFunction<List<String>> servers,
            Cancellation cancellation, Work<R> work) throws ExecutionException, InterruptedException {
        BatchPool pool = new BatchPool(count, weights, new BatchPlaces(count, servers, hosts), communicator.rank(),
                cancellation);
        FutureTask<R> task = new FutureTask<>(() -> {
            try {
                return work.run(pool);
            } finally {
                // If the work ends before all batches are done, the group cannot continue without this rank.
                pool.stop();
                communicator.wake();
            }
        });
        Thread worker = Thread.ofPlatform().name("treehaul-rank-work-" + communicator.rank()).start(task);
        boolean isDone = false;
        try {
            isDone = new RankDriver(distribution, settings, 1, communicator, pool).run();
        } finally {
            if (isDone) {
                pool.end();
            } else {
                pool.stop();
                cancellation.cancel();
            }
            worker.join();
        }
        R result = task.get();
        if (isDone) {
            // Ranks leave the protocol one after another. A rank that has not left it yet would take a new message of
            // rank 0 for one of the protocol.
            Gather.inFirst(communicator, new byte[0], cancellation);
        }
        return new Outcome<>(result, isDone);
    }
}
