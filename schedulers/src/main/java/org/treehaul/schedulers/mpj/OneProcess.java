// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.strategies.ranks.Communicator;
import org.treehaul.strategies.ranks.RanksException;
import org.treehaul.strategies.ranks.Transport;

/**
 * Ranks that are threads of this process, over the device smpdev. It tells the ranks apart by their thread groups, and
 * each has loaded the classes that hold its state by itself.
 */
final class OneProcess implements Transport {

    private static final Duration LOOK = Duration.ofMillis(100);
    // Threads that MPJ Express keeps after a failure are left to themselves.
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
        AtomicReference<@Nullable Throwable> first = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < members.size(); i++) {
            int number = i;
            ClassLoader own = home.own(shared);
            Thread thread = new Thread(group(shared, i), () -> {
                try {
                    runRank(own, number, members, lifeline, rank);
                } catch (Throwable e) {
                    // Whatever it is must reach the caller; that the group broke does to the others what this did.
                    first.compareAndSet(null, e);
                    lifeline.report(members.name(number) + " failed: " + e);
                }
            }, "treehaul-rank-" + i);
            thread.setDaemon(true);
            thread.setContextClassLoader(own);
            threads.add(thread);
        }
        threads.forEach(Thread::start);
        boolean interrupted = await(threads, lifeline);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        switch (first.get()) {
            case null -> {
            }
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new IllegalStateException(e);
        }
    }

    private static void runRank(ClassLoader own, int number, Members members, Lifeline lifeline,
            Consumer<Communicator> rank) {
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

    private static boolean await(List<Thread> threads, Lifeline lifeline) {
        boolean interrupted = false;
        long broken = 0;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join(LOOK);
                } catch (InterruptedException e) {
                    interrupted = true;
                    threads.forEach(Thread::interrupt);
                }
                if (lifeline.reason() != null) {
                    long now = System.nanoTime();
                    broken = broken == 0 ? now : broken;
                    if (now - broken > LONGEST_AFTER_FAILURE.toNanos()) {
                        return interrupted;
                    }
                }
            }
        }
        return interrupted;
    }
}
