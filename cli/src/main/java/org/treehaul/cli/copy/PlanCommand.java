// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.SelectOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.core.copy.CopyLayout;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.PlanRequest;
import org.treehaul.core.plan.PlanSummary;
import org.treehaul.core.plan.Planner;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.transfer.CopyPlans;
import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.schedulers.batch.RoomReport;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul plan}: writes a plan that divides a copy into batches. */
public final class PlanCommand implements Callable<Integer> {

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final BatchOptions batches = new BatchOptions(spec);
    private final CpOptions cp = new CpOptions(spec);
    private final SelectOptions select = new SelectOptions(spec);
    private final CommonOptions common = new CommonOptions(spec);
    private List<ByteString> operands = List.of();
    private int jobs = 1;
    private @Nullable ByteString output;

    /** Defines the command for Picocli. */
    public PlanCommand() {
        spec.name("plan");
        spec.usageMessage()
                .header("Plan a copy as batches, and save the plan.")
                .customSynopsis("treehaul plan [OPTION]... -o DIR SOURCE... DEST")
                .description(
                        "%nWalks the SOURCEs, divides a copy of them to DEST into batches, and writes this plan into DIR; "
                                + "'cp --plan DIR' carries it out. Copies nothing and writes nothing to DEST. Takes the options of cp; files larger than "
                                + "--chunk-size, here 1G by default, are shared among batches.%n")
                .footer("%nExamples:", "  treehaul plan -aT --jobs 16 -o run7.plan /data/run7 /archive/run7",
                        "  treehaul show run7.plan", "  treehaul cp --plan run7.plan --scheduler slurm --jobs 16",
                        "%nExit codes: 0 all planned, 2 nothing could be planned, or the destination is too small for it, 20 interrupted, 23 some entries could not "
                                + "be read, 24 some vanished.");
        Options.add(spec, Options.value(ByteString.class, value -> output = value, "-o", "--output"), "DIR",
                "Write the plan into DIR, which must be empty or not exist.");
        Options.add(spec, Options.value(Integer.class, value -> jobs = value, "--jobs"), "N",
                "Plan for N jobs that run at the same time. Default: 1.");
        cp.hideForPlan();
        spec.addPositional(CpOptions.operands(() -> operands, value -> operands = value));
    }

    @Override
    public Integer call() {
        if (output == null) {
            throw common.usage("-o DIR is missing: name the directory for the plan");
        }
        batches.check();
        common.checkBetween("--jobs", 1, Long.MAX_VALUE, jobs);
        cp.checkForPlan();
        Path directory = PlanPath.of(spec, output);
        FileSystemCalls calls = Linux.calls();
        CopyOptions asked = cp.options(select, common, false);
        try (Session session = Session.begin(common, false)) {
            CopyLayout layout = CopyLayout.of(calls, cp.arguments(operands, select), asked, session.progress());
            PlanRequest request = CopyPlans
                    .request(TransferId.make(Instant.now(), ThreadLocalRandom.current()).text(), layout,
                            layout.adapt(asked), cp.batchChunkBytes(), batches.batching(), batches.limits(jobs), jobs)
                    .withToken(false)
                    .withServers(batches.byServers());
            layout.report(session);
            if (layout.pairs().isEmpty()) {
                session.end(session.problems().counts(), false);
                return ExitCode.TROUBLE.code();
            }
            PlanSummary summary = Planner.of(calls, request)
                    .plan(directory, session, session.progress(), session.cancellation());
            ExitCode code = new PlannedReport(session, summary).print();
            if (summary.isComplete()) {
                // The plan stays: there may be room when it is carried out, which checks again.
                RoomReport.check(Plan.open(directory), batches.checksSpace(), common.screen()::note);
            }
            return code.code();
        } catch (CopyRefusedException | PlanException e) {
            common.screen().error(String.valueOf(e.getMessage()));
            return ExitCode.TROUBLE.code();
        }
    }
}
