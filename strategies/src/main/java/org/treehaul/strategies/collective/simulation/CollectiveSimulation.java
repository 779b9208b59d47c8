// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective.simulation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;

import org.treehaul.strategies.collective.order.CollectiveRequest;
import org.treehaul.strategies.collective.order.RequestOrder;
import org.treehaul.strategies.collective.order.RequestQueue;
import org.treehaul.strategies.collective.order.ShuffleHint;
import org.treehaul.strategies.collective.order.Windows;

/**
 * Simulates applications at servers that serve one request at a time. The same applications give the same times. Used
 * by one thread, for one run.
 */
public final class CollectiveSimulation {

    private static final int MOST_WAITING = 1_000_000;

    private final List<SimulatedApplication> applications;
    private final List<Server> servers = new ArrayList<>();
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final int[] access;
    private final int[] missing;
    private final long[] began;
    private final List<List<Long>> lengths = new ArrayList<>();
    private long made;

    /** A server. */
    private static final class Server {
        final RequestQueue<Request> queue;
        boolean isBusy;

        Server(RequestQueue<Request> queue) {
            this.queue = queue;
        }
    }

    /** A request of an aggregator. */
    private record Request(int application, int access, AggregatorLoad load, ShuffleHint hint) {}

    /** The steps of a request. */
    private enum Step {
        /** A request reaches its server; all that do so at a time come before a server takes one of them. */
        ARRIVES,
        /** A server has ended a request. */
        SERVED,
        /** A server that is free looks for a request. */
        TAKES,
        /** An aggregator has ended. */
        ENDS
    }

    private record Event(long nanos, Step step, long number, Request request) implements Comparable<Event> {
        private static final Comparator<Event> ORDER = Comparator.comparingLong(Event::nanos)
                .thenComparing(Event::step)
                .thenComparingLong(Event::number);

        @Override
        public int compareTo(Event other) {
            return ORDER.compare(this, other);
        }
    }

    /**
     * Prepares a run.
     *
     * @param servers the number of servers
     * @param windows the windows of the queue of each server
     * @param order the order of each window
     */
    public CollectiveSimulation(int servers, Windows windows, RequestOrder order,
            List<SimulatedApplication> applications) {
        this.applications = List.copyOf(applications);
        for (int server = 0; server < servers; server++) {
            this.servers.add(new Server(new RequestQueue<>(windows, order, MOST_WAITING)));
        }
        this.access = new int[applications.size()];
        this.missing = new int[applications.size()];
        this.began = new long[applications.size()];
    }

    /**
     * Runs all applications to their ends.
     *
     * @return for each application the lengths of its accesses, in nanoseconds
     */
    public List<List<Long>> run() {
        for (int application = 0; application < applications.size(); application++) {
            lengths.add(new ArrayList<>());
            begin(application, applications.get(application).startNanos());
        }
        for (Event event = events.poll(); event != null; event = events.poll()) {
            step(event);
        }
        return lengths.stream().map(List::copyOf).toList();
    }

    private void begin(int application, long now) {
        List<SimulatedAccess> accesses = applications.get(application).accesses();
        if (access[application] == accesses.size()) {
            return;
        }
        SimulatedAccess next = accesses.get(access[application]++);
        began[application] = now;
        missing[application] = next.loads().size();
        List<ShuffleHint> hints = next.hints();
        for (int i = 0; i < next.loads().size(); i++) {
            AggregatorLoad load = next.loads().get(i);
            long shuffled = next.isWrite() ? load.shuffleNanos() : 0;
            add(now + shuffled + load.travelNanos(), Step.ARRIVES,
                    new Request(application, access[application], load, hints.get(i)));
        }
    }

    private void add(long nanos, Step step, Request request) {
        events.add(new Event(nanos, step, made++, request));
    }

    private void step(Event event) {
        Request request = event.request;
        Server server = servers.get(request.load.server());
        switch (event.step) {
            case ARRIVES -> {
                CollectiveRequest waiting = new CollectiveRequest(request.application, request.access,
                        request.load.serviceNanos(), request.hint);
                if (!server.queue.add(waiting, event.nanos, request)) {
                    throw new IllegalStateException("more than " + MOST_WAITING + " requests at a server");
                }
                add(event.nanos, Step.TAKES, request);
            }
            case TAKES -> take(server, event.nanos);
            case SERVED -> {
                server.isBusy = false;
                boolean isShuffled = applications.get(request.application)
                        .accesses()
                        .get(access[request.application] - 1)
                        .isWrite();
                add(event.nanos + (isShuffled ? 0 : request.load.shuffleNanos()), Step.ENDS, request);
                add(event.nanos, Step.TAKES, request);
            }
            case ENDS -> {
                if (--missing[request.application] == 0) {
                    lengths.get(request.application).add(event.nanos - began[request.application]);
                    begin(request.application, event.nanos);
                }
            }
        }
    }

    private void take(Server server, long now) {
        if (server.isBusy) {
            return;
        }
        Optional<Request> next = server.queue.next();
        if (next.isPresent()) {
            server.isBusy = true;
            add(now + next.get().load.serviceNanos(), Step.SERVED, next.get());
        }
    }
}
