// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.stream.Stream;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.plan.format.PlanTotals;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.core.transfer.request.TransferRequest;
import org.treehaul.schedulers.JobPhase;
import org.treehaul.schedulers.JobRequest;
import org.treehaul.schedulers.Launch;
import org.treehaul.schedulers.TransferJobs;

/** Converts the job options of a request into the order to submit. */
@Internal
public final class JobOrders {

    // The same as in the treehaul script, except for the archive, which a node may not have; the job looks for it.
    private static final List<String> JVM = List.of("-XX:+UseSerialGC", "-Xmn14m", "-XX:FreqInlineSize=35",
            "-XX:CompileThresholdScaling=4", "-XX:-UsePerfData");

    // A job with little work ends before the optimizing compiler, and what the JVM compiles at once because the archive says so,
    // have gained what they take. A later Java may not have the last of these options.
    private static final List<String> SHORT = List.of("-XX:TieredStopAtLevel=1", "-XX:+IgnoreUnrecognizedVMOptions",
            "-XX:+UnlockDiagnosticVMOptions", "-XX:-AOTReplayTraining");
    private static final long SHORT_ENTRIES = 2_000;
    private static final long SHORT_BYTES = 32L << 20;
    // A copy that hashes nothing spends its time in the kernel, however many bytes it has (docs/decisions/0080).
    private static final long SHORT_COPIES = 125_000;

    private JobOrders() {}

    /** Returns the options of the JVM for processes that run the jar apart from the treehaul script. */
    public static List<String> jvm() {
        return JVM;
    }

    /**
     * Returns the order for the jobs of a transfer.
     *
     * @param wanted the request, with the options for jobs
     * @param jar the program, visible on every node
     * @param workers number of workers
     * @param planInJob whether a job makes the plan
     */
    public static TransferJobs.Order of(TransferRequest wanted, TransferDirectory transfer, Path jar, int workers,
            boolean planInJob) {
        JobOptions options = wanted.jobs();
        JobRequest request = JobRequest.of(transfer.id().text(), 1, JobPhase.WORKER, transfer.path())
                .jobs(workers)
                .maxRunning(options.maxRunning())
                .options(options.queue())
                .requeue(options.requeue())
                .ranks(options.distribution());
        Launch launch = new Launch(Optional.of(Path.of(System.getProperty("java.home"), "bin", "java")), jar,
                wanted.jars(), flags(transfer, workers), options.pre(), options.post(),
                options.onComplete().map(List::of).orElse(List.of()));
        return new TransferJobs.Order(options.walltime().map(request::walltime).orElse(request), launch, planInJob)
                .finishing(options.finishQueue(), options.finishWalltime());
    }

    private static List<String> flags(TransferDirectory transfer, int workers) {
        try {
            return Plan.exists(transfer.plan()) && areShort(Plan.open(transfer.plan()), transfer.operation(), workers)
                    ? Stream.concat(JVM.stream(), SHORT.stream()).toList()
                    : JVM;
        } catch (PlanException | IllegalArgumentException e) {
            // The jobs report it.
            return JVM;
        }
    }

    private static boolean areShort(Plan plan, Operation operation, int workers) {
        return plan.totals()
                .filter(totals -> areShort(totals, workers, isPlainCopy(operation, plan.header().settings())))
                .isPresent();
    }

    // The finishing of a synchronization compares the trees again, which gains by that compiler.
    static boolean isPlainCopy(Operation operation, SortedMap<String, String> settings) {
        boolean isCopy = operation instanceof Operation.Copy || operation instanceof Operation.Move;
        return isCopy && operation.options(settings).verify() == CopyOptions.Verify.NONE;
    }

    /**
     * Returns whether jobs have so little work for the compilers that the optimizing one gains nothing.
     *
     * @param isPlainCopy whether they copy and hash nothing
     */
    static boolean areShort(PlanTotals plan, int workers, boolean isPlainCopy) {
        return isPlainCopy
                ? plan.entries() <= SHORT_COPIES * workers
                : plan.entries() <= SHORT_ENTRIES * workers && plan.data() <= SHORT_BYTES * workers;
    }
}
