// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.carry;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;

import org.treehaul.core.event.Cancellation;
import org.treehaul.core.plan.servers.OwnHost;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.work.BatchShare;
import org.treehaul.core.transfer.work.WorkResult;

/**
 * Carries out one generation of a transfer with the rights of its user. Used by one thread. Methods throw an
 * {@link IOException} if the transfer cannot be carried out here; the message gives the reason.
 */
public interface Carrier {

    /** The batches of the plan that were not offered yet. */
    sealed interface Remainder {}

    /**
     * The plan has more batches than were offered.
     *
     * @param batches the number of all batches
     */
    record Planned(int batches) implements Remainder {}

    /** The plan may get more batches. */
    record Growing() implements Remainder {}

    /** All batches of the plan were offered. */
    record Complete() implements Remainder {}

    /**
     * Batches whose data this host has, so that reading them needs no network.
     *
     * @param lookedTo the batches before this one were looked at
     * @param batches at most {@link #MOST} of them
     */
    record Local(int lookedTo, Set<Integer> batches) {

        /** So many numbers are a small condition for a space, and one line of a process. */
        public static final int MOST = 500;

        /** Checks the number of batches. */
        public Local {
            batches = Set.copyOf(batches);
            if (batches.size() > MOST) {
                throw new IllegalArgumentException(batches.size() + " batches");
            }
        }

        /**
         * Finds those of some batches of which the host has the data.
         *
         * @param servers returns the servers of a batch
         * @param from the first batch
         * @param end the number behind the last batch
         */
        public static Local of(IntFunction<List<String>> servers, OwnHost host, int from, int end) {
            Set<Integer> batches = new HashSet<>();
            int at = from;
            while (at < end && batches.size() < MOST) {
                if (host.isAmong(servers.apply(at))) {
                    batches.add(at);
                }
                at++;
            }
            return new Local(at, batches);
        }
    }

    /**
     * The outcome of finishing.
     *
     * @param work the work on batches that were left
     * @param state the state of the transfer; empty if it could not be finished
     */
    record Finished(WorkResult work, Optional<TransferResult.State> state) {}

    /** Works on the batches of a share, and records in the directory of the transfer why it gave up, if it did. */
    WorkResult work(BatchShare batches, Cancellation stop) throws IOException, InterruptedException;

    /**
     * Looks for batches whose data this host has.
     *
     * @param from the batch at which to begin
     */
    Local local(int from) throws IOException, InterruptedException;

    /**
     * Looks for batches of the plan that were not offered yet.
     *
     * @param offered the number of batches that were offered
     */
    Remainder remainder(int offered) throws IOException, InterruptedException;

    /**
     * Works on the batches that are not done although no worker has them, and finishes the transfer. No other worker
     * may be working on it, except one that is thought to be dead.
     */
    Finished finish(Cancellation stop) throws IOException, InterruptedException;
}
