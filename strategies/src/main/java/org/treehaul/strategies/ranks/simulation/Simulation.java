// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.treehaul.strategies.ranks.Distribution;
import org.treehaul.strategies.ranks.Group;

/** Predicts how a walk goes. */
public final class Simulation {

    /**
     * What is simulated.
     *
     * @param entries entries of the tree, its root included
     * @param processes threads that work: ranks of one thread each, or with a hybrid distribution ranks of as many
     *        threads as there are processes on a host
     * @param perHost processes on a host
     * @param byEntry whether each entry waits by itself, as in the paper, instead of a directory with what stands in it
     * @param entryBytes bytes in a message for each entry, or each directory; 0 for 250 for an entry, and for what the
     *        names and the path of directories take
     * @param statusNanos mean time of a status, and then a third of that of a listing; 0 for both as in the shape
     * @param serverRate calls that the file system answers in a second, 0 for any number
     * @param costs what messages cost
     * @param settings how ranks behave
     */
    public record Parameters(long entries, int processes, int perHost, boolean byEntry, int entryBytes,
            double statusNanos, double serverRate, Costs costs, Group.Settings settings) {

        /** Makes parameters. */
        public Parameters {
            if (entries < 1 || processes < 1 || perHost < 1 || entryBytes < 0 || statusNanos < 0 || serverRate < 0) {
                throw new IllegalArgumentException("out of range: " + entries + " entries, " + processes
                        + " processes, " + perHost + " per host, " + entryBytes + " bytes");
            }
        }

        /** Returns the usual parameters: 2 processes a host, units as in a walk. */
        public static Parameters of(long entries, int processes) {
            return new Parameters(entries, processes, 2, false, 0, 0, 0, Costs.defaults(), Group.Settings.defaults());
        }

        /** Returns a copy for another number of processes. */
        public Parameters withProcesses(int number) {
            return new Parameters(entries, number, perHost, byEntry, entryBytes, statusNanos, serverRate, costs,
                    settings);
        }
    }

    private Simulation() {}

    /**
     * Simulates one walk.
     *
     * @throws IllegalStateException when ranks are left waiting for each other, or an entry was not done exactly once:
     *         a fault of the distribution
     */
    public static Prediction run(Distribution distribution, TreeShape shape, Parameters parameters) {
        int threads = distribution.isHybrid() ? Math.min(parameters.perHost(), parameters.processes()) : 1;
        int ranks = Math.max(1, parameters.processes() / threads);
        int perHost = distribution.isHybrid() ? 1 : parameters.perHost();
        SimulatedTree tree = new SimulatedTree(shape, parameters);
        SimulatedPool[] pools = new SimulatedPool[ranks];
        RankSimulator simulator = new RankSimulator(distribution, ranks, perHost, threads, !parameters.byEntry(),
                parameters.settings(), parameters.costs(), rank -> {
                    long below = rank == 0 ? parameters.entries() - 1 : -1;
                    pools[rank] = parameters.byEntry()
                            ? new EntryPool(tree, rank, threads, below)
                            : new TreePool(tree, rank, threads, below);
                    return pools[rank];
                }, way -> way);
        simulator.run();
        List<Long> shares = new ArrayList<>();
        long done = 0;
        double busy = 0;
        for (SimulatedPool pool : pools) {
            shares.add(pool.done());
            done += pool.done();
            busy += pool.nanosBusy();
        }
        if (done != parameters.entries()) {
            throw new IllegalStateException(done + " entries of " + parameters.entries() + " were done");
        }
        long[] pairs = simulator.pairs();
        return new Prediction(distribution.name(), ranks, threads, done, simulator.nanos() / 1e9,
                simulator.workEnded() / 1e9, Arrays.stream(simulator.messages()).sum(),
                Arrays.stream(simulator.bytes()).sum(), simulator.workMessages(), simulator.workBytes(), shares,
                busy / Math.max(1, simulator.workEnded()) / ranks / threads,
                pairs == null ? List.of() : Arrays.stream(pairs).boxed().toList(), simulator.handledEvents());
    }
}
