// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.io.IOException;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.ByteSize;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.transfer.StateOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.transfer.directory.StateDirectory;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul show}: explains a plan. */
public final class ShowCommand implements Callable<Integer> {

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final CommonOptions common = CommonOptions.ofOneThread(spec);
    private final StateOptions state = new StateOptions(spec, "Look for transfers in DIR.");
    private @Nullable ByteString path;
    private boolean entries;
    private boolean check;
    private int jobs;
    private double fileRate = 1_000;
    private ByteSize byteRate = new ByteSize(200L << 20);

    /** Defines the command for Picocli. */
    public ShowCommand() {
        spec.name("show");
        spec.usageMessage()
                .header("Explain a plan: its batches, their balance, and the time they may take.")
                .customSynopsis("treehaul show [OPTION]... PLAN", "       treehaul show [OPTION]... ID")
                .description(
                        "%nPrints the totals of a plan that 'treehaul plan' wrote, or of the plan of a transfer, the contents of "
                                + "each batch, how far the largest batch exceeds the average, and an estimate of the time.%n")
                .footer("%nExamples:", "  treehaul show run7.plan", "  treehaul show last",
                        "  treehaul show --json --entries run7.plan | jq -c 'select(.batch == 3)'",
                        "%nExit codes: 0 shown, 2 there is no such plan, or it is damaged or of another version.");
        Options.add(spec, Options.operand(ByteString.class, value -> path = value), "PLAN",
                "The directory of a plan, or a transfer: its id, the end of its id, or 'last'.");
        Options.add(spec, Options.flag(value -> entries = value, "--entries"), "List the entries of each batch too.");
        Options.add(spec, Options.flag(value -> check = value, "--check"), "Read the whole plan and check it.");
        Options.add(spec, Options.value(Integer.class, value -> jobs = value, "--jobs"), "N",
                "Estimate for N jobs that run at the same time. Default: as planned.");
        Options.add(spec, Options.value(Double.class, value -> fileRate = value, "--file-rate"), "N",
                "Assume N files per second for each job. Default: 1000.");
        Options.add(spec, Options.value(ByteSize.class, value -> byteRate = value, "--byte-rate"), "SIZE",
                "Assume SIZE bytes per second for each job. Default: 200M.");
    }

    @Override
    public Integer call() {
        if (path == null || common.isGiven("--jobs") && jobs < 1 || !(fileRate > 0) || byteRate.bytes() == 0) {
            throw common.usage("--jobs, --file-rate and --byte-rate must be more than 0");
        }
        try (Session session = Session.begin(common, true)) {
            Plan plan = Plan.open(PlanPath.find(spec, path, state));
            if (check) {
                plan.check();
            }
            int atATime = jobs == 0 ? plan.header().jobs() : jobs;
            PlanReport report = new PlanReport(plan, new PlanReport.Rates(atATime, fileRate, byteRate.bytes()));
            if (session.json().isPresent()) {
                report.json(session.json().get(), entries);
            } else {
                report.text(session.output(), entries);
            }
            return session.end(session.problems().counts(), true).code();
        } catch (IOException e) {
            common.screen().error(StateDirectory.reason(e));
            return ExitCode.TROUBLE.code();
        }
    }
}
