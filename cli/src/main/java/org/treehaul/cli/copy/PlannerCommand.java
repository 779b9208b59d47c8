// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.io.IOException;
import java.util.concurrent.Callable;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.common.Texts;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.plan.PlanSummary;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.transfer.DestinationTraces;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.Generations;
import org.treehaul.core.transfer.directory.OvertakenException;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.request.CopyRequest;
import org.treehaul.schedulers.batch.CopyPlanning;
import org.treehaul.schedulers.batch.CopyTransfers;
import picocli.CommandLine.Model.CommandSpec;

/**
 * {@code treehaul planner}: the command of the job that plans a copy whose request is in the transfer's directory.
 */
public final class PlannerCommand implements Callable<Integer> {

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final CommonOptions common = new CommonOptions(spec);
    private int generation;
    private String transfer = ".";

    /** Defines the command for Picocli. */
    public PlannerCommand() {
        spec.name("planner");
        spec.usageMessage().header("Plan a transfer; run by its jobs.").hidden(true);
        Options.add(spec, Options.value(Integer.class, value -> generation = value, "--generation").required(true), "G",
                "Plan only while this is the newest generation.");
        Options.add(spec, Options.value(String.class, value -> transfer = value, "--transfer"), "DIR",
                "The directory of the transfer. Default: the working directory.");
    }

    @Override
    public Integer call() throws Exception {
        try {
            TransferDirectory directory = TransferDirectory.open(Texts.path(transfer));
            if (directory.generations().newest() != generation) {
                common.screen().note("generation " + generation + " of " + directory.id() + " is over");
                return ExitCode.DONE.code();
            }
            return plan(directory).code();
        } catch (OvertakenException e) {
            common.screen().note(String.valueOf(e.getMessage()));
            return ExitCode.DONE.code();
        } catch (TransferException | PlanException | CopyRefusedException e) {
            common.screen().error(String.valueOf(e.getMessage()));
            return ExitCode.TROUBLE.code();
        }
    }

    private ExitCode plan(TransferDirectory directory) throws IOException, CopyRefusedException {
        Transfers transfers = Transfers.in(directory.stateDirectory());
        if (!transfers.needsPlan(directory)) {
            return ExitCode.DONE;
        }
        Generations generations = directory.generations();
        generations.requireNewest(generation);
        transfers.removePlan(directory);
        CopyRequest copy = CopyRequests.read(directory);
        CopyTransfers.requireList(copy, directory);
        try (Session session = Session.beginJob(common)) {
            PlanSummary summary = new CopyPlanning(directory, () -> generations.isNewest(generation), session,
                    session.progress(), session.cancellation()).planAgain(copy);
            generations.requireNewest(generation);
            return session.end(session.problems().counts(), summary.isComplete());
        } catch (CopyRefusedException e) {
            generations.requireNewest(generation);
            // The jobs that follow must not carry out a refused copy.
            DestinationTraces.removeTokens(directory);
            transfers.removePlan(directory);
            throw e;
        }
    }
}
