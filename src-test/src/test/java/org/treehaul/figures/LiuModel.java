// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

import org.treehaul.strategies.collective.order.RequestOrder;
import org.treehaul.strategies.collective.order.ShuffleModel;
import org.treehaul.strategies.collective.order.Windows;
import org.treehaul.strategies.collective.simulation.AggregatorLoad;
import org.treehaul.strategies.collective.simulation.CollectiveSimulation;
import org.treehaul.strategies.collective.simulation.SimulatedAccess;
import org.treehaul.strategies.collective.simulation.SimulatedApplication;

/**
 * Concurrent applications as in the tests of Liu et al., section 8, each of which makes one collective access.
 *
 * @param applications the number of applications at the same time
 * @param servers the number of storage servers
 * @param aggregators the aggregators of each application; aggregator i reads from server i modulo the number of servers
 * @param bytes the mean size of a request
 * @param deviation the standard deviation of the sizes, which are normally distributed; 0 for equal sizes
 * @param slower how many times slower the shuffle is than by Gigabit Ethernet
 * @param isWrite whether they write
 */
record LiuModel(int applications, int servers, int aggregators, double bytes, double deviation, double slower,
        boolean isWrite) {

    private static final int PROCESSES = 50;
    private static final int CORES = 8;
    private static final int WIDTH = 100;
    private static final double DISK_BYTES = 100e6;
    private static final double SEEK_SECONDS = 0.008;
    private static final double NANOS = 1e9;
    private static final ShuffleModel GIGABIT = new ShuffleModel(100e-6, 2e9, 117e6);

    /** The choices that the paper does not state. */
    static final List<String> ASSUMPTIONS = List.of(
            "A server serves one request at a time: 8 ms, as a disk of 7,200 revolutions in a minute, and 100 MB/s. The request size is that of an aggregator.",
            "An application has 50 processes, 8 on a node. 1 to 50 of them, drawn, want equal parts of the data of an aggregator.",
            "Shuffle cost by equation 1: 100 µs, 2 GB/s within a node and 117 MB/s between nodes (Gigabit Ethernet); 16 times slower: many applications share the links.",
            "Each application makes one collective access; requests reach the servers within the time of one or two services.",
            "Windows of 100 requests; threshold 0.2. HIO keeps the guarantee of decision 0060, 'as printed' is Algorithm 1 without it.");

    /** The orders of requests. */
    enum Order {
        NIO("NIO"),
        SIO("SIO"),
        HIO("HIO"),
        PRINTED("as printed");

        final String text;

        Order(String text) {
            this.text = text;
        }

        Windows windows() {
            return this == NIO ? Windows.none() : Windows.flexible(WIDTH);
        }

        RequestOrder order() {
            return switch (this) {
                case NIO -> RequestOrder.arrival();
                case SIO -> RequestOrder.byApplication();
                case HIO -> RequestOrder.hierarchical(RequestOrder.THRESHOLD);
                case PRINTED -> RequestOrder.hierarchicalAsPrinted(RequestOrder.THRESHOLD);
            };
        }
    }

    /**
     * The result of simulations.
     *
     * @param seconds the mean time of an access in each order
     * @param shuffleShare the mean shuffle cost of the slowest aggregator of an access, in percent of the mean time in
     *        the order of arrival
     */
    record Outcome(Map<Order, Double> seconds, double shuffleShare) {
        double seconds(Order order) {
            return seconds.getOrDefault(order, Double.NaN);
        }

        /** Returns by how much an order is below another, in percent. */
        double below(Order order, Order than) {
            return 100 * (1 - seconds(order) / seconds(than));
        }
    }

    LiuModel slower(double times) {
        return new LiuModel(applications, servers, aggregators, bytes, deviation, times, isWrite);
    }

    /** Simulates all orders with the same requests, and returns the means over some draws. */
    Outcome run(int draws) {
        Map<Order, Double> seconds = new EnumMap<>(Order.class);
        double slowest = 0;
        for (int seed = 1; seed <= draws; seed++) {
            List<SimulatedApplication> all = draw(new Random(seed));
            slowest += all.stream().mapToDouble(LiuModel::slowestSeconds).sum();
            for (Order order : Order.values()) {
                double sum = new CollectiveSimulation(servers, order.windows(), order.order(), all).run()
                        .stream()
                        .mapToLong(List::getFirst)
                        .sum() / NANOS;
                seconds.merge(order, sum / applications / draws, Double::sum);
            }
        }
        return new Outcome(seconds, 100 * slowest / applications / draws / seconds.getOrDefault(Order.NIO, 1.0));
    }

    private static double slowestSeconds(SimulatedApplication application) {
        return application.accesses()
                .getFirst()
                .loads()
                .stream()
                .mapToLong(AggregatorLoad::shuffleNanos)
                .max()
                .orElse(0) / NANOS;
    }

    private List<SimulatedApplication> draw(Random random) {
        List<SimulatedApplication> all = new ArrayList<>();
        for (int i = 0; i < applications; i++) {
            double size = Math.clamp(bytes + deviation * random.nextGaussian(), bytes / 10, 2 * bytes);
            List<AggregatorLoad> loads = new ArrayList<>();
            for (int aggregator = 0; aggregator < aggregators; aggregator++) {
                loads.add(load(random, aggregator, (long) size));
            }
            all.add(new SimulatedApplication((long) (random.nextDouble() * service(bytes)),
                    List.of(new SimulatedAccess(isWrite, loads))));
        }
        return all;
    }

    private static double service(double bytes) {
        return (SEEK_SECONDS + bytes / DISK_BYTES) * NANOS;
    }

    private AggregatorLoad load(Random random, int aggregator, long size) {
        int[] hosts = IntStream.range(0, PROCESSES).map(process -> process / CORES).toArray();
        long[] wanted = new long[PROCESSES];
        int wanting = 1 + random.nextInt(PROCESSES);
        int first = random.nextInt(PROCESSES);
        for (int i = 0; i < wanting; i++) {
            wanted[(first + i) % PROCESSES] = size / wanting;
        }
        double shuffle = slower * GIGABIT.nanos(aggregator * CORES % PROCESSES, hosts, wanted);
        return new AggregatorLoad(aggregator % servers, (long) (random.nextDouble() * service(bytes)),
                (long) service((double) size), (long) shuffle);
    }
}
