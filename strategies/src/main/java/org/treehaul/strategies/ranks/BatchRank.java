// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.IntToLongFunction;

import org.treehaul.core.transfer.BatchShare;
import org.treehaul.core.walk.Cancellation;

/**
 * One rank of a group that carries out the batches of a transfer: every batch is given to one rank, which does one
 * after another. All are with rank 0 at first.
 */
public final class BatchRank {

    /** What does the batches that it is given, until there is none. */
    @FunctionalInterface
    public interface Work<R> {
        /** Does them, and returns what is to be told of it. */
        R run(BatchShare share) throws Exception;
    }

    /**
     * How it ended.
     *
     * @param result what the work returned
     * @param isWhole whether the batches of all ranks are done; else the work has ended before, and the others wait for
     *        this rank until it leaves the group by an exception
     */
    public record Outcome<R>(R result, boolean isWhole) {}

    private final Communicator communicator;
    private final Distribution distribution;
    private final Group.Settings settings;

    private BatchRank(Communicator communicator, Distribution distribution, Group.Settings settings) {
        this.communicator = communicator;
        this.distribution = distribution;
        this.settings = settings;
    }

    /** Returns the rank of a communicator. */
    public static BatchRank of(Communicator communicator, Distribution distribution) {
        return new BatchRank(communicator, distribution, Group.Settings.defaults());
    }

    /** Returns a copy with other settings of the sharing. */
    public BatchRank withSettings(Group.Settings others) {
        return new BatchRank(communicator, distribution, others);
    }

    /**
     * Shares the batches and has them done on a thread of its own. Returns when those of all ranks are done, and no
     * rank reads messages of this sharing any more: what is sent next is for what comes next.
     *
     * @param count how many batches the plan has, the same for all ranks
     * @param weights of a batch, in entries
     * @param cancellation ends this rank's part early; cancelled when the group breaks, so that the work ends as well
     * @throws RanksException when the group breaks, or this rank is stopped while others still part
     * @throws ExecutionException with what the work threw
     */
    public <R> Outcome<R> run(int count, IntToLongFunction weights, Cancellation cancellation, Work<R> work)
            throws ExecutionException, InterruptedException {
        BatchPool pool = new BatchPool(count, weights, communicator.rank() == 0, cancellation);
        FutureTask<R> task = new FutureTask<>(() -> {
            try {
                return work.run(pool);
            } finally {
                // Before all is done: the group cannot do without this rank.
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
            // Ranks part one after another. What rank 0 said before the last has would be read by that as sharing.
            Gathering.inFirst(communicator, new byte[0], cancellation);
        }
        return new Outcome<>(result, isDone);
    }
}
