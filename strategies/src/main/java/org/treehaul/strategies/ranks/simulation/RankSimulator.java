// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.function.LongUnaryOperator;

import org.jspecify.annotations.Nullable;
import org.treehaul.strategies.ranks.Distribution;
import org.treehaul.strategies.ranks.DistributionProtocol;
import org.treehaul.strategies.ranks.Group;
import org.treehaul.strategies.ranks.WorkPool;
import org.treehaul.strategies.ranks.communicator.Received;

/**
 * Runs the state machines of all ranks in simulated time.
 *
 * <p>
 * A rank of one thread may do one thing at a time, like the ranks of the paper: it handles the messages that arrived,
 * then does one unit. Otherwise it has a further thread, like ranks of several threads, which handles messages at once.
 */
final class RankSimulator {

    private static final int EVENTS_PER_LOOK = 1 << 16;

    /** Maps the time of a message on its way to a simulated one: for random schedules. */
    private final LongUnaryOperator delay;
    private final Costs costs;
    private final int perHost;
    private final int threads;
    // False if the only thread of a rank also handles the messages, and so handles none while it works.
    private final boolean handlesMessagesAtOnce;
    private final EventQueue events = new EventQueue();
    private final Rank[] ranks;
    private final long[] messages;
    private final long[] bytes;
    private final long @Nullable [] pairs;
    private long now;
    private long handled;
    private int closed;
    private long workEnded;
    private long workMessages;
    private long workBytes;

    private static final class Rank {
        private final int number;
        private final SimulatedPool pool;
        private final ArrayDeque<Received> inbox = new ArrayDeque<>();
        private final boolean[] working;
        private @Nullable DistributionProtocol protocol;
        private int unitsInProgress;
        private long freeAt;
        private boolean stepIsPlanned;
        private boolean hasLeft;
        private long wakeAt = Long.MAX_VALUE;

        Rank(int number, SimulatedPool pool, int threads) {
            this.number = number;
            this.pool = pool;
            this.working = new boolean[threads];
        }
    }

    // The content of an event other than a message: the number of a thread whose unit ends, or one of these.
    private static final Integer STEP = -1;
    private static final Integer WAKE = -2;

    RankSimulator(Distribution distribution, int size, int perHost, int threads, Group.Settings settings, Costs costs,
            IntFunction<SimulatedPool> pools, LongUnaryOperator delay) {
        this(distribution, size, perHost, threads, threads > 1, settings, costs, pools, delay);
    }

    /**
     * Makes a simulator.
     *
     * @param hasMessageThread whether a further thread of each rank handles the messages at once, as in a walk;
     *        otherwise a rank of one thread handles them between two units
     */
    RankSimulator(Distribution distribution, int size, int perHost, int threads, boolean hasMessageThread,
            Group.Settings settings, Costs costs, IntFunction<SimulatedPool> pools, LongUnaryOperator delay) {
        this.handlesMessagesAtOnce = hasMessageThread || threads > 1;
        this.costs = costs;
        this.perHost = perHost;
        this.threads = threads;
        this.delay = delay;
        this.ranks = new Rank[size];
        this.messages = new long[size];
        this.bytes = new long[size];
        this.pairs = size <= Prediction.MOST_PAIRED ? new long[2 * size * size] : null;
        for (int i = 0; i < size; i++) {
            Rank rank = new Rank(i, pools.apply(i), threads);
            ranks[i] = rank;
            Group group = new Group(i, size, r -> r / perHost, threads, settings);
            rank.protocol = distribution.share(group, rank.pool, (to, message) -> send(rank, to, message));
            plan(rank, 0);
        }
    }

    private void send(Rank from, int to, byte[] message) {
        long size = from.pool.bytes(message);
        from.freeAt = Math.max(now, from.freeAt) + costs.atAnEnd(size);
        messages[from.number]++;
        bytes[from.number] += size;
        if (message.length > WorkPool.MESSAGE_HEADER) {
            workMessages++;
            workBytes += size;
        }
        if (pairs != null) {
            int at = 2 * (from.number * ranks.length + to);
            pairs[at]++;
            pairs[at + 1] += size;
        }
        long way = costs.onTheWay(from.number / perHost == to / perHost, size);
        events.add(from.freeAt + delay.applyAsLong(way), to, new Received(from.number, message));
    }

    private void plan(Rank rank, long when) {
        if (!rank.stepIsPlanned) {
            rank.stepIsPlanned = true;
            events.add(when, rank.number, STEP);
        }
    }

    /**
     * Runs until every rank has left the group.
     *
     * @param isCancelled is asked now and then; once it returns true, the run ends early
     * @throws CancellationException if it ended early
     * @throws ArithmeticException if the simulated time exceeds a long
     * @throws IllegalStateException if no event is left although some ranks have not left the group
     */
    void run(BooleanSupplier isCancelled) {
        while (closed < ranks.length) {
            if (!events.next()) {
                throw new IllegalStateException(
                        "no event is left, but " + (ranks.length - closed) + " ranks have not left the group");
            }
            now = events.time();
            if (handled++ % EVENTS_PER_LOOK == 0 && isCancelled.getAsBoolean()) {
                throw new CancellationException();
            }
            Rank rank = ranks[events.target()];
            Object what = events.content();
            if (what instanceof Received message) {
                if (rank.hasLeft) {
                    throw new IllegalStateException("a message to rank " + rank.number + ", which has left");
                }
                rank.inbox.add(message);
                if (!isOccupied(rank)) {
                    plan(rank, Math.max(now, rank.freeAt));
                }
            } else if (what instanceof Integer number) {
                if (number >= 0) {
                    end(rank, number);
                } else {
                    rank.stepIsPlanned &= !number.equals(STEP);
                    rank.wakeAt = number.equals(WAKE) ? Long.MAX_VALUE : rank.wakeAt;
                    step(rank);
                }
            }
        }
        if (events.next()) {
            // Only wake-ups may be left; a message would come to a rank that has left.
            do {
                if (events.content() instanceof Received) {
                    throw new IllegalStateException("a message to rank " + events.target() + ", which has left");
                }
            } while (events.next());
        }
    }

    private boolean isOccupied(Rank rank) {
        return !handlesMessagesAtOnce && rank.unitsInProgress > 0;
    }

    private void end(Rank rank, int thread) {
        rank.working[thread] = false;
        rank.unitsInProgress--;
        workEnded = now;
        rank.pool.end(thread);
        step(rank);
    }

    private void step(Rank rank) {
        DistributionProtocol protocol = Objects.requireNonNull(rank.protocol);
        if (isOccupied(rank) || rank.hasLeft) {
            return;
        }
        if (rank.freeAt > now) {
            plan(rank, rank.freeAt);
            return;
        }
        Received message = rank.inbox.poll();
        if (message != null) {
            rank.freeAt = now + costs.atAnEnd(rank.pool.bytes(message.bytes()));
            protocol.received(now, message.from(), message.bytes());
            plan(rank, rank.freeAt);
            if (threads > 1) {
                begin(rank);
            }
            return;
        }
        protocol.look(now);
        if (protocol.isClosed()) {
            rank.hasLeft = true;
            closed++;
            return;
        }
        begin(rank);
        long wake = protocol.wakeAt();
        if (wake < rank.wakeAt && !isOccupied(rank)) {
            rank.wakeAt = Math.max(now + 1, wake);
            events.add(rank.wakeAt, rank.number, WAKE);
        }
    }

    private void begin(Rank rank) {
        for (int thread = 0; thread < threads; thread++) {
            if (!rank.working[thread]) {
                long duration = rank.pool.begin(thread);
                if (duration == SimulatedPool.NOTHING) {
                    continue;
                }
                rank.working[thread] = true;
                rank.unitsInProgress++;
                long start = handlesMessagesAtOnce ? now : Math.max(now, rank.freeAt);
                events.add(start + duration, rank.number, thread);
            }
        }
    }

    long nanos() {
        return now;
    }

    /** Returns when the last unit ended: the ranks spend the time after it on detecting the end and leaving. */
    long workEnded() {
        return workEnded;
    }

    /** Returns the number of messages that carried units. */
    long workMessages() {
        return workMessages;
    }

    long workBytes() {
        return workBytes;
    }

    long handledEvents() {
        return handled;
    }

    long[] messages() {
        return messages;
    }

    long[] bytes() {
        return bytes;
    }

    /** Returns messages and bytes in turn for each pair, by sender and then receiver; null for large groups. */
    long @Nullable [] pairs() {
        return pairs;
    }

    boolean isOver(int rank) {
        return Objects.requireNonNull(ranks[rank].protocol).isOver();
    }
}
