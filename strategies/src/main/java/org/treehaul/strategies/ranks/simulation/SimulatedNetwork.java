// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.Received;
import org.treehaul.strategies.ranks.communicator.Traffic;

/**
 * A network in simulated time: a message arrives after the time given by {@link Costs}. A node that waits for a message
 * advances the clock to the next arrival. Runs repeat exactly if one thread uses the network; several threads may use
 * it.
 */
public final class SimulatedNetwork {

    private final List<Integer> hosts;
    private final Costs costs;
    private final EventQueue events = new EventQueue();
    private final List<Node> nodes = new ArrayList<>();
    private long now;

    private SimulatedNetwork(List<Integer> hosts, Costs costs) {
        this.hosts = List.copyOf(hosts);
        this.costs = costs;
        for (int rank = 0; rank < hosts.size(); rank++) {
            nodes.add(new Node(rank));
        }
    }

    /**
     * Returns a network.
     *
     * @param hosts the host of each rank
     */
    public static SimulatedNetwork of(List<Integer> hosts, Costs costs) {
        return new SimulatedNetwork(hosts, costs);
    }

    /** Returns the communicators of all ranks. */
    public List<Communicator> communicators() {
        return List.copyOf(nodes);
    }

    /** Returns the simulated time, in nanoseconds since the start. */
    public synchronized long nanos() {
        return now;
    }

    private synchronized void send(int from, int to, byte[] message) {
        boolean isLocal = hosts.get(from).equals(hosts.get(to));
        events.add(now + costs.onTheWay(isLocal, message.length), to, new Received(from, message));
    }

    private synchronized Optional<Received> poll(Node node, long longest) {
        deliver(now);
        long end = now + Math.min(longest, Long.MAX_VALUE - now);
        while (node.inbox.isEmpty() && !node.woken && now < end) {
            now = Math.min(end, events.peekTime());
            deliver(now);
        }
        if (!node.inbox.isEmpty()) {
            return Optional.of(node.inbox.remove());
        }
        node.woken = false;
        return Optional.empty();
    }

    private synchronized void wake(Node node) {
        node.woken = true;
    }

    private void deliver(long until) {
        while (events.peekTime() <= until && events.next()) {
            nodes.get(events.target()).inbox.add((Received) Objects.requireNonNull(events.content()));
        }
    }

    private final class Node implements Communicator {
        private final int rank;
        private final Traffic.Counter counter;
        private final ArrayDeque<Received> inbox = new ArrayDeque<>();
        private boolean woken;

        Node(int rank) {
            this.rank = rank;
            this.counter = new Traffic.Counter(hosts.size());
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
            SimulatedNetwork.this.send(rank, to, message);
        }

        @Override
        public Optional<Received> poll(Duration longest) {
            return SimulatedNetwork.this.poll(this, TimeUnit.NANOSECONDS.convert(longest));
        }

        @Override
        public void wake() {
            SimulatedNetwork.this.wake(this);
        }

        @Override
        public Traffic traffic() {
            return counter.traffic();
        }

        @Override
        public void close() {
            // There is nothing to release.
        }
    }
}
