// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import java.util.ArrayDeque;
import java.util.Iterator;

import org.treehaul.strategies.ranks.communicator.RanksException;

/**
 * Rank 0 is the master and keeps the waiting units; the others request work from it (LaFon et al., Algorithm 1; Nuss,
 * 2.2).
 *
 * <p>
 * In the paper's Algorithm 1 the master ends when it has nothing left, though workers may still find more. Here it ends
 * when nothing is left, it rests itself, and every worker has a request open and has returned all its results: a
 * request contains the number of results that the worker has sent, so that none can be on its way. A worker with
 * nothing to do begins nothing, and only work from the master makes it busy, so this state is permanent.
 */
final class Centralized implements DistributionProtocol {

    /** How much the master grants, and whether a worker keeps a unit. */
    enum Policy {
        ONE,
        KEEP_ONE,
        PCT
    }

    // A worker with this many found units beyond its capacity sends them while its own unit is still in progress, so
    // that the others need not wait until a large directory is listed completely.
    private static final int MANY = 64;

    // The number of shares per rank into which pct divides the remaining work: four in Nuss, 2.2.4.
    private static final int SHARES_OF_EACH = 4;

    private final Group group;
    private final WorkPool pool;
    private final Outbox outbox;
    private final Policy policy;
    private final Closing closing;

    // State of the master.
    private final ArrayDeque<Integer> asking = new ArrayDeque<>();
    private final long[] results;
    private final long[] announced;
    private final boolean[] asks;
    private final MovingAverage average;
    private boolean works;

    // State of a worker.
    private boolean awaits;
    private long sent;

    Centralized(Group group, WorkPool pool, Outbox outbox, Policy policy) {
        this.group = group;
        this.pool = pool;
        this.outbox = outbox;
        this.policy = policy;
        this.closing = new Closing(group, outbox);
        this.average = new MovingAverage(group.size() - 1);
        int known = isMaster() ? group.size() : 0;
        results = new long[known];
        announced = new long[known];
        asks = new boolean[known];
        pool.restrict();
    }

    private boolean isMaster() {
        return group.rank() == 0;
    }

    @Override
    public void received(long now, int from, byte[] message) {
        switch (Message.kind(message)) {
            case REQUEST -> {
                asks[from] = true;
                announced[from] = Message.number(message);
                asking.add(from);
            }
            case RESULT -> {
                results[from]++;
                pool.add(Message.units(message));
            }
            case WORK -> {
                awaits = false;
                pool.permit(pool.add(Message.units(message)));
            }
            case END -> closing.end();
            case READY -> closing.childReady();
            case CLOSE -> closing.close();
            case REFUSAL, WHITE_TOKEN, BLACK_TOKEN ->
                throw new RanksException("rank " + from + " follows another distribution");
        }
    }

    @Override
    public void look(long now) {
        if (closing.isOver()) {
            closing.quiet();
        } else if (isMaster()) {
            lead();
            if (isAllDone()) {
                closing.end();
                closing.quiet();
            }
        } else if (pool.isResting() && !awaits) {
            report();
        } else if (policy != Policy.PCT && pool.isBusy() && pool.waiting() >= group.capacity() + MANY) {
            // Keeps as many units as this rank may begin. With pct the waiting units come from the master.
            send(group.capacity());
        }
    }

    private void lead() {
        if (works && pool.isResting()) {
            works = false;
            average.unitDone(asking.size());
        }
        for (Iterator<Integer> next = asking.iterator(); pool.waiting() > 0 && next.hasNext();) {
            int to = next.next();
            byte[] units = grant(to);
            if (units.length > 0) {
                next.remove();
                asks[to] = false;
                outbox.send(to, Message.of(Message.Kind.WORK, 0, units));
            }
        }
        // The producer works itself rather than wait, and does units that no message holds when all others have asked in vain.
        boolean isLull = policy == Policy.PCT && asking.isEmpty() && average.pays();
        if ((isLull || asking.size() == group.size() - 1) && !works && pool.waiting() > 0) {
            works = true;
            pool.permit(1);
        }
    }

    private byte[] grant(int to) {
        int bytes = group.settings().longestMessage() - Message.HEADER;
        if (policy != Policy.PCT) {
            return pool.takeFor(to, group.capacity(), bytes);
        }
        long parts = (long) SHARES_OF_EACH * group.size();
        return pool.takeLargest(Math.max(group.capacity(), pool.waiting() / parts), Math.max(1, pool.weight() / parts),
                bytes);
    }

    private boolean isAllDone() {
        // Checks isResting first: while the last unit ends, the units that it led to may not count as waiting yet. Once
        // the pool rests, only this thread changes it.
        if (asking.size() < group.size() - 1 || !pool.isResting() || pool.waiting() > 0) {
            return false;
        }
        for (int worker = 1; worker < group.size(); worker++) {
            if (!asks[worker] || results[worker] < announced[worker]) {
                return false;
            }
        }
        return true;
    }

    private void report() {
        boolean keeps = policy == Policy.KEEP_ONE && pool.waiting() > 0;
        send(keeps ? 1 : 0);
        // A unit whose path alone is longer than a message cannot be sent, and is done here.
        if (keeps || pool.waiting() > 0) {
            pool.permit(1);
        } else {
            awaits = true;
            outbox.send(0, Message.of(Message.Kind.REQUEST, sent));
        }
    }

    private void send(int kept) {
        int bytes = group.settings().longestMessage() - Message.HEADER;
        for (long rest = pool.waiting() - kept; rest > 0; rest = pool.waiting() - kept) {
            byte[] units = pool.take(rest, bytes);
            if (units.length == 0) {
                break;
            }
            outbox.send(0, Message.of(Message.Kind.RESULT, 0, units));
            sent++;
        }
    }

    @Override
    public long wakeAt() {
        return Long.MAX_VALUE;
    }

    @Override
    public boolean isClosed() {
        return closing.isClosed();
    }

    @Override
    public boolean isOver() {
        return closing.isOver();
    }

    /**
     * Decides whether the producer should work itself: the exponential moving average of Nuss, 2.2.1. Each lull in
     * which the producer worked adds the files done, divided by half the number of consumers that wait at its end.
     */
    private static final class MovingAverage {
        private final double weight;
        private double average = 1;
        private int done;

        MovingAverage(int consumers) {
            weight = 2.0 / (Math.max(10, consumers / 2) + 1);
        }

        /** Counts a unit that the producer did itself; a lull ends when a consumer waits. */
        void unitDone(int waiting) {
            done++;
            if (waiting > 0) {
                average += (done / (waiting / 2.0) - average) * weight;
                done = 0;
            }
        }

        boolean pays() {
            return average >= 1;
        }
    }
}
