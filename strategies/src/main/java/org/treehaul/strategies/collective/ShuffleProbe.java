// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.strategies.collective.Exchange.Kind;
import org.treehaul.strategies.collective.order.ShuffleModel;
import org.treehaul.strategies.ranks.communicator.Communicator;

/**
 * Measures the latency and the throughputs of equation 1 (Liu, Zhuang and Chen, 4.1) between the ranks of a group: B_a
 * between the first two ranks that share a host, B_e between rank 0 and the first rank on another host, gamma between
 * the latter if there is one. Each pair sends {@link #PINGS} empty messages, one after another, and {@link #ROUNDS}
 * times {@link #MESSAGES} messages of 100 kB, which the other one acknowledges; the shortest time counts. These are 3
 * MB: 26 ms by Gigabit Ethernet. All ranks learn the results. Used by one thread.
 */
final class ShuffleProbe {

    private static final int PINGS = 5;
    private static final int ROUNDS = 3;
    private static final int MESSAGES = 10;
    private static final double NANOS = 1e9;

    private final Exchange exchange;
    private final long access;
    private final @Nullable Measured[] measured = new Measured[2];
    private int answers;

    /** Handles messages until a condition holds. */
    interface Waiter {
        void waitFor(BooleanSupplier condition) throws CollectiveException;
    }

    /** Two ranks, of which the first measures. */
    private record Pair(int from, int to) {}

    private record Measured(double latencySeconds, double bytesPerSecond) {}

    ShuffleProbe(Exchange exchange, long access) {
        this.exchange = exchange;
        this.access = access;
    }

    /** Measures together with all other ranks; returns when the results are known. */
    ShuffleModel measure(Waiter waiter) throws CollectiveException {
        Optional<Pair> within = within(exchange.communicator);
        Optional<Pair> between = between(exchange.communicator);
        measure(0, within, waiter);
        measure(1, between, waiter);
        waiter.waitFor(() -> (within.isEmpty() || measured[0] != null) && (between.isEmpty() || measured[1] != null));
        Measured far = measured[1] == null ? measured[0] : measured[1];
        Measured near = measured[0] == null ? far : measured[0];
        return far == null || near == null
                ? new ShuffleModel(0, Double.MAX_VALUE, Double.MAX_VALUE)
                : new ShuffleModel(far.latencySeconds, near.bytesPerSecond, far.bytesPerSecond);
    }

    private static Optional<Pair> within(Communicator communicator) {
        Map<Integer, Integer> first = new HashMap<>();
        for (int rank = 0; rank < communicator.size(); rank++) {
            Integer earlier = first.putIfAbsent(communicator.hostOf(rank), rank);
            if (earlier != null) {
                return Optional.of(new Pair(earlier, rank));
            }
        }
        return Optional.empty();
    }

    private static Optional<Pair> between(Communicator communicator) {
        for (int rank = 1; rank < communicator.size(); rank++) {
            if (communicator.hostOf(rank) != communicator.hostOf(0)) {
                return Optional.of(new Pair(0, rank));
            }
        }
        return Optional.empty();
    }

    private void measure(int which, Optional<Pair> pair, Waiter waiter) throws CollectiveException {
        if (pair.isEmpty() || pair.get().from != exchange.rank()) {
            return;
        }
        double ping = Double.MAX_VALUE;
        for (int i = 0; i < PINGS; i++) {
            ping = Math.min(ping, seconds(pair.get().to, 1, 0, waiter));
        }
        double latency = ping / 2;
        double shortest = Double.MAX_VALUE;
        for (int i = 0; i < ROUNDS; i++) {
            shortest = Math.min(shortest, seconds(pair.get().to, MESSAGES, Exchange.MOST_CONTENT, waiter));
        }
        // A transfer as short as its latency says nothing of the throughput.
        double rate = (double) MESSAGES * Exchange.MOST_CONTENT / Math.max(shortest - ping, shortest / 2);
        exchange.sendToOthers(exchange.begin(Kind.MEASURED, access, 1 + 2 * Double.BYTES)
                .put((byte) which)
                .putDouble(latency)
                .putDouble(rate));
        measured[which] = new Measured(latency, rate);
    }

    private double seconds(int to, int messages, int bytes, Waiter waiter) throws CollectiveException {
        int expected = answers + messages;
        long begun = System.nanoTime();
        for (int i = 0; i < messages; i++) {
            exchange.send(to, exchange.begin(Kind.PROBE, access, bytes));
        }
        waiter.waitFor(() -> answers == expected);
        return Math.max(1, System.nanoTime() - begun) / NANOS;
    }

    /** Takes a message of another rank's measurement, or an answer. */
    void handle(Kind kind, int from, ByteBuffer content) {
        switch (kind) {
            case PROBE -> exchange.send(from, exchange.begin(Kind.PROBED, access, 0));
            case PROBED -> answers++;
            default -> measured[content.get()] = new Measured(content.getDouble(), content.getDouble());
        }
    }
}
