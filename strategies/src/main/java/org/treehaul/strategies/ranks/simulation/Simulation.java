// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

import org.treehaul.strategies.ranks.Distribution;
import org.treehaul.strategies.ranks.Group;

/** Predicts the course of a walk. */
public final class Simulation {

    /**
     * The parameters of a simulation.
     *
     * @param entries the entries of the tree, including its root
     * @param processes the number of threads that work: ranks of one thread each, or with a hybrid distribution ranks
     *        with as many threads as a host has processes
     * @param perHost the number of processes on a host
     * @param byEntry whether each entry is a unit, as in the paper, instead of a directory with its content
     * @param lister the ranks that list directories; a single one only with byEntry and the distribution centralized
     * @param entryBytes the bytes in a message for each entry, or each directory; 0 for 250 for an entry, and for
     *        directories the length of their names and path
     * @param statusNanos the mean time to query a status, and a third of that of a listing; 0 for both as in the shape
     * @param serverRate the calls per second that the file system answers, 0 for no limit
     * @param costs the costs of messages
     * @param settings the settings of the ranks
     */
    public record Parameters(long entries, int processes, int perHost, boolean byEntry, Lister lister, int entryBytes,
            double statusNanos, double serverRate, Costs costs, Group.Settings settings) {

        /**
         * Checks the values.
         *
         * @throws IllegalArgumentException if a number of entries, processes or processes per host is less than 1,
         *         another number is negative, or the lister does not fit the other values
         */
        public Parameters {
            if (entries < 1 || processes < 1 || perHost < 1 || entryBytes < 0 || statusNanos < 0 || serverRate < 0) {
                throw new IllegalArgumentException("out of range: " + entries + " entries, " + processes
                        + " processes, " + perHost + " per host, " + entryBytes + " bytes");
            }
            if (lister != Lister.EACH && !byEntry) {
                throw new IllegalArgumentException(
                        "a single rank can list all directories only if each entry is a unit");
            }
            if (processes < lister.leastProcesses()) {
                throw new IllegalArgumentException("with a single rank that lists directories, use "
                        + lister.leastProcesses() + " processes or more, not " + processes);
            }
        }

        /** Returns the default parameters: 2 processes per host, units as in a walk. */
        public static Parameters of(long entries, int processes) {
            return new Parameters(entries, processes, 2, false, Lister.EACH, 0, 0, 0, Costs.defaults(),
                    Group.Settings.defaults());
        }

        /** Returns a copy for another number of processes. */
        public Parameters withProcesses(int number) {
            return new Parameters(entries, number, perHost, byEntry, lister, entryBytes, statusNanos, serverRate, costs,
                    settings);
        }
    }

    private Simulation() {}

    /**
     * Simulates one walk.
     *
     * @throws IllegalArgumentException when a single rank lists all directories, and the distribution is not
     *         {@link Distribution#centralized()}
     * @throws IllegalStateException when ranks wait for each other for ever, or an entry was not done exactly once: a
     *         defect of the distribution
     */
    public static Prediction run(Distribution distribution, TreeShape shape, Parameters parameters) {
        return run(distribution, shape, parameters, () -> false);
    }

    /**
     * Simulates one walk, unless it is cancelled.
     *
     * @param isCancelled is asked now and then; once it returns true, the simulation ends
     * @throws CancellationException if it was cancelled
     * @throws ArithmeticException if the simulated time is longer than 292 years
     */
    public static Prediction run(Distribution distribution, TreeShape shape, Parameters parameters,
            BooleanSupplier isCancelled) {
        if (parameters.lister() != Lister.EACH && !distribution.name().equals(Distribution.centralized().name())) {
            throw new IllegalArgumentException(
                    "a single rank can list all directories only with centralized, not with " + distribution.name());
        }
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
        simulator.run(isCancelled);
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
                busy / Math.max(1, simulator.workEnded()) / ranks / threads, tree.nanosListing() / Math.max(1, busy),
                pairs == null ? List.of() : Arrays.stream(pairs).boxed().toList(), simulator.handledEvents());
    }
}
