// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.tree;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;

import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ProfileFiles;
import org.treehaul.cli.common.Session;
import org.treehaul.strategies.ranks.Distribution;
import org.treehaul.strategies.ranks.profile.RankProfile;
import org.treehaul.strategies.ranks.simulation.Prediction;
import org.treehaul.strategies.ranks.simulation.Simulation;
import org.treehaul.strategies.ranks.simulation.TreeShape;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul simulate}: predicts how ranks share a walk. */
public final class SimulateCommand implements Callable<Integer> {

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final CommonOptions common = CommonOptions.ofOneThread(spec);
    private final SimulationOptions options = new SimulationOptions(spec, common);

    /** Defines the command for Picocli. */
    public SimulateCommand() {
        spec.name("simulate");
        spec.usageMessage()
                .header("Predict the time and the messages of ranks that share a walk.")
                .description(
                        "%nRuns the distributions of walk --ranks in simulated time on a tree of a recorded or generated shape. "
                                + "The same arguments give the same numbers.%n")
                .footer("%nExamples:", "  treehaul simulate --entries 110M --ranks 20..16384 --distribution all",
                        "  treehaul walk --record-shape run7.shape /data/run7",
                        "  treehaul simulate --entries 500M --ranks 64,256 --shape run7.shape");
    }

    @Override
    public Integer call() {
        TreeShape shape = options.shape();
        List<Distribution> chosen = options.distributions();
        List<Integer> sizes = options.sizes();
        Simulation.Parameters first = options.parameters(chosen, sizes, shape);
        Optional<ProfileFiles> files = options.profileFiles(sizes);
        // The printed lines are its progress.
        common.progress = CommonOptions.When.never;
        try (Session session = Session.begin(common, true)) {
            PredictionReport report = new PredictionReport(session);
            for (int size : sizes) {
                for (Distribution distribution : chosen) {
                    Simulation.Parameters parameters = first.withProcesses(size);
                    Prediction prediction;
                    try {
                        prediction = Simulation.run(distribution, shape, parameters,
                                session.cancellation()::isCancelled);
                    } catch (CancellationException e) {
                        return session.end(Map.of(), false).code();
                    } catch (ArithmeticException e) {
                        throw common.usage(e.getMessage() + "; use smaller times or fewer --entries");
                    }
                    report.print(size, prediction);
                    if (files.isPresent()) {
                        files.get()
                                .in(distribution.name() + "-" + size)
                                .write(new RankProfile(prediction.reports(parameters)));
                    }
                }
            }
            return session.end(Map.of(), true).code();
        } catch (IOException e) {
            throw options.profileFailed(e);
        }
    }
}
