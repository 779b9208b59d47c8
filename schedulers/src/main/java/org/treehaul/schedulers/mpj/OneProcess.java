// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.RankThreads;
import org.treehaul.strategies.ranks.communicator.RanksException;
import org.treehaul.strategies.ranks.communicator.Transport;

/**
 * Runs ranks as threads of this process, over the device smpdev. It distinguishes the ranks by their thread groups, and
 * each rank loads its own copy of the classes that hold its state.
 */
final class OneProcess implements Transport {

    // Threads that MPJ Express keeps after a failure are abandoned after this time.
    private static final Duration LONGEST_AFTER_FAILURE = Duration.ofSeconds(5);

    private final MpjHome home;

    OneProcess(MpjHome home) {
        this.home = home;
    }

    @Override
    public void run(List<Integer> hosts, Consumer<Communicator> rank) {
        ClassLoader shared = home.shared();
        Members members = Members.here(hosts);
        Lifeline lifeline = new Lifeline();
        RankThreads threads = new RankThreads();
        for (int i = 0; i < members.size(); i++) {
            int number = i;
            ClassLoader own = home.own(shared);
            // A rank that fails because the group broke is reported too, but the first reason counts.
            threads.add(i, group(shared, i), () -> runRank(own, number, members, lifeline, rank),
                    e -> lifeline.report(members.name(number) + " failed: " + e));
        }
        AtomicReference<@Nullable Long> broken = new AtomicReference<>();
        lifeline.onBreak(reason -> broken.set(System.nanoTime()));
        threads.run(() -> {
            Long since = broken.get();
            return since != null && System.nanoTime() - since > LONGEST_AFTER_FAILURE.toNanos();
        });
    }

    private static void runRank(ClassLoader own, int number, Members members, Lifeline lifeline,
            Consumer<Communicator> rank) {
        Thread.currentThread().setContextClassLoader(own);
        MpjRank mpi = MpjRank.init(own, Integer.toString(number), Integer.toString(members.size()), "smpdev");
        if (mpi.rank() != number || mpi.size() != members.size()) {
            throw new RanksException("MPJ Express made rank " + mpi.rank() + " of " + mpi.size() + " of rank " + number
                    + " of " + members.size());
        }
        MpjCommunicator communicator = new MpjCommunicator(mpi, members, lifeline, Duration.ZERO);
        rank.accept(communicator);
        communicator.close();
        communicator.awaitEnd();
    }

    private static ThreadGroup group(ClassLoader shared, int rank) {
        try {
            return Class.forName("xdev.smpdev.SMPDevProcess", true, shared)
                    .asSubclass(ThreadGroup.class)
                    .getConstructor(String.class)
                    .newInstance("treehaul-mpj-" + rank);
        } catch (ReflectiveOperationException e) {
            throw new RanksException("MPJ Express cannot be used in one process: " + e, e);
        }
    }
}
