// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import org.treehaul.strategies.ranks.Distribution;
import org.treehaul.strategies.ranks.Group;
import org.treehaul.strategies.ranks.profile.RankProfile;
import org.treehaul.strategies.ranks.simulation.Costs;
import org.treehaul.strategies.ranks.simulation.Lister;
import org.treehaul.strategies.ranks.simulation.Prediction;
import org.treehaul.strategies.ranks.simulation.Simulation;
import org.treehaul.strategies.ranks.simulation.TreeShape;

/**
 * A simulated walk like those of LaFon et al.: each entry is a unit, and a refused rank asks again at once.
 *
 * @param name the name of the algorithm in the paper
 */
record LafonRun(String name, Simulation.Parameters parameters, Prediction prediction) {

    /** The numbers of entries of the file systems in the paper (V). */
    static final double SMALL = 6.5e6;
    static final double MIDDLE = 12e6;
    static final double LARGE = 110e6;

    static final Algorithm CENTRALIZED = new Algorithm("CP", Distribution.centralized(), Lister.WORKER);
    static final Algorithm CENTRALIZED_EACH = new Algorithm("CP (all list)", Distribution.centralized(), Lister.EACH);
    static final Algorithm RANDOM = new Algorithm("DRQS", Distribution.randomSplit(), Lister.EACH);
    static final Algorithm EQUAL = new Algorithm("DEQS", Distribution.equalSplit(), Lister.EACH);
    static final Algorithm PROXIMITY = new Algorithm("PA-DRQS", Distribution.proximity(), Lister.EACH);
    static final Algorithm HYBRID = new Algorithm("H-DRQS", Distribution.hybrid(), Lister.EACH);
    static final List<Algorithm> WITHOUT_MASTER = List.of(RANDOM, EQUAL, PROXIMITY, HYBRID);

    private static final int PER_HOST = 2;
    private static final double STATUS_NANOS = 500_000;
    // The most bytes that MPI sends at once.
    private static final int LONGEST_MESSAGE = 1 << 30;
    private static final int LEAST_ENTRIES = 100;

    /** An algorithm of the paper. */
    record Algorithm(String name, Distribution distribution, Lister lister) {

        LafonRun run(double entries, int processes) {
            Group.Settings settings = Group.Settings.defaults().withPauses(0, 0).withLongestMessage(LONGEST_MESSAGE);
            Simulation.Parameters parameters = new Simulation.Parameters(Math.max(LEAST_ENTRIES, Math.round(entries)),
                    processes, PER_HOST, true, lister, 0, STATUS_NANOS, 0, Costs.defaults(), settings);
            return new LafonRun(name, parameters, Simulation.run(distribution, TreeShape.generated(), parameters));
        }
    }

    long entries() {
        return prediction.entries();
    }

    RankProfile profile() {
        return new RankProfile(prediction.reports(parameters));
    }

    /** Returns the seconds in which the processes worked, summed over all processes. */
    double busySeconds() {
        return prediction.busy() * prediction.workSeconds() * prediction.ranks() * prediction.threads();
    }

    /** Returns the assumptions for every run of a figure, followed by those for this one. */
    static List<String> assumptions(List<LafonRun> runs, String... more) {
        String sizes = runs.stream()
                .map(run -> LafonFigures.text("%,d", run.entries()))
                .distinct()
                .collect(Collectors.joining("; "));
        List<String> all = new ArrayList<>(List.of(
                LafonFigures.text("Simulated, seed 1: %s entries of the built-in shape, some nine for each directory.",
                        sizes),
                "Every entry waits by itself. A status takes 500 µs on average, a listing 1.5 ms and a status.",
                "A message costs 5 µs at each end and 0.5 ns for each byte there; 1 µs and 0.1 ns on its way within a host, else 5 µs and 0.5 ns.",
                "A rank that is refused asks again at once. The paper states none of these times."));
        all.addAll(List.of(more));
        return all;
    }
}
