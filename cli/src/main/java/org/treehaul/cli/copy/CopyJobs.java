// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Optional;

import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.config.Configuration;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.request.CopyRequest;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.batch.BatchTransfer;

/** A copy by jobs: plans it, submits the jobs, and waits for them if requested. */
public final class CopyJobs {

    private final CpInput input;
    private final TransferOptions options;

    CopyJobs(CpInput input) {
        this.input = input;
        this.options = input.transfer;
    }

    /** Runs all steps and returns the exit code. */
    ExitCode run() throws InterruptedException {
        try {
            save(options, input.common);
            if (input.planAhead().isPresent()) {
                options.suggestJobs(Plan.open(input.planAhead().get()).header().jobs());
            }
            try (Session session = Session.beginPlanning(input.common)) {
                // The mount of the destination may hang on the first access. With --plan there are no operands.
                session.progress()
                        .setBusy(() -> input.operands.stream()
                                .skip(Math.max(0, input.operands.size() - 1L))
                                .map(ByteString::toString)
                                .toList());
                return new JobSubmission(options, input.common).run(session, create());
            }
        } catch (TransferException | PlanException | SchedulerException | CopyRefusedException e) {
            input.common.screen().error(String.valueOf(e.getMessage()));
            return ExitCode.TROUBLE;
        } catch (IOException e) {
            input.common.screen()
                    .error("the state directory " + options.stateDirectory() + " fails: " + StateDirectory.reason(e));
            return ExitCode.TROUBLE;
        }
    }

    /** Saves the options for jobs, if requested. */
    public static void save(TransferOptions options, CommonOptions common) throws IOException {
        if (options.isToSave()) {
            Path saved = Configuration.read(System.getenv()).save(options.toSave());
            common.screen().note("saved to " + saved);
        }
    }

    private BatchTransfer create() throws IOException, SchedulerException {
        CopyRequest copy = CopyRequests.of(input);
        JobOptions jobs = options.jobOptions(input.ranks);
        Optional<InputStream> list = CopyRequests.list(input);
        return list.isPresent()
                ? BatchTransfer.create(options.stateDirectory(), CopyRequests.jar(), copy, jobs,
                        CopyRequests.title(input), list.get())
                : BatchTransfer.create(options.stateDirectory(), CopyRequests.jar(), copy, jobs,
                        CopyRequests.title(input));
    }
}
