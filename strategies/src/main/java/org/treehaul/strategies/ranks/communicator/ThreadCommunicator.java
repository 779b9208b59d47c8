// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.communicator;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Exchanges messages between threads of one process. The protocol bounds the number of waiting messages, because each
 * request has one answer.
 */
final class ThreadCommunicator implements Communicator {

    private final int rank;
    private final List<Integer> hosts;
    private final List<ThreadCommunicator> group;
    private final Traffic.Counter counter;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<Received> inbox = new ArrayDeque<>();
    private boolean woken;
    /** The first failure in the group. */
    private final AtomicReference<@Nullable RanksException> broken;

    private ThreadCommunicator(int rank, List<Integer> hosts, List<ThreadCommunicator> group,
            AtomicReference<@Nullable RanksException> broken) {
        this.rank = rank;
        this.hosts = hosts;
        this.group = group;
        this.broken = broken;
        this.counter = new Traffic.Counter(hosts.size());
    }

    /** Runs a function in each rank. If one rank throws an exception, the others get a {@link RanksException}. */
    static void run(List<Integer> hosts, Consumer<Communicator> function) {
        RankThreads ranks = new RankThreads();
        for (ThreadCommunicator communicator : threads(hosts)) {
            ranks.add(communicator.rank, Thread.currentThread().getThreadGroup(), () -> {
                try (communicator) {
                    function.accept(communicator);
                }
            }, communicator::failed);
        }
        ranks.run(() -> false);
    }

    static List<Communicator> group(List<Integer> hosts) {
        return List.copyOf(threads(hosts));
    }

    private static List<ThreadCommunicator> threads(List<Integer> hosts) {
        List<Integer> fixed = List.copyOf(hosts);
        List<ThreadCommunicator> group = new ArrayList<>();
        AtomicReference<@Nullable RanksException> broken = new AtomicReference<>();
        for (int rank = 0; rank < fixed.size(); rank++) {
            group.add(new ThreadCommunicator(rank, fixed, group, broken));
        }
        return group;
    }

    // Without this, the others would wait for its messages for ever.
    private void failed(Throwable cause) {
        if (broken.compareAndSet(null, new RanksException("rank " + rank + " failed: " + cause, cause))) {
            group.forEach(ThreadCommunicator::wake);
        }
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int size() {
        return hosts.size();
    }

    @Override
    public int hostOf(int other) {
        return hosts.get(other);
    }

    @Override
    public void send(int to, byte[] message) {
        counter.sent(to, message);
        group.get(to).deliver(new Received(rank, message));
    }

    private void deliver(Received message) {
        lock.lock();
        try {
            inbox.add(message);
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Optional<Received> poll(Duration longest) {
        long left = TimeUnit.NANOSECONDS.convert(longest);
        lock.lock();
        try {
            while (inbox.isEmpty() && !woken && broken.get() == null && left > 0) {
                left = changed.awaitNanos(left);
            }
            if (!inbox.isEmpty()) {
                return Optional.of(inbox.remove());
            }
            RanksException reason = broken.get();
            if (reason != null) {
                throw new RanksException(String.valueOf(reason.getMessage()), reason);
            }
            woken = false;
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RanksException("rank " + rank + " was interrupted", e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void wake() {
        lock.lock();
        try {
            woken = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Traffic traffic() {
        return counter.traffic();
    }

    @Override
    public void close() {
        // There is nothing to release; the garbage collector frees messages that still wait.
    }
}
