// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.io.IOException;
import java.util.OptionalInt;

import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.transfer.SubmissionReport;
import org.treehaul.cli.transfer.TransferWait;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.transfer.directory.OvertakenException;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.batch.BatchTransfer;

/** Plans and submits a new transfer of any operation, prints its jobs, and waits for them if requested. */
public record JobSubmission(TransferOptions options, CommonOptions common) {

    /** Runs all steps and returns the exit code. */
    public ExitCode run(Session session, BatchTransfer transfer)
            throws IOException, SchedulerException, CopyRefusedException, InterruptedException {
        OptionalInt generation;
        try {
            generation = options.planInJob()
                    ? OptionalInt.of(transfer.submitUnplanned())
                    : transfer.submit(session, session.progress(), session.cancellation());
        } catch (OvertakenException e) {
            session.screen()
                    .note(transfer.id() + " was cancelled, resumed or forgotten by another command during planning; "
                            + "this command ends");
            return ExitCode.INTERRUPTED;
        } catch (SchedulerException | IOException e) {
            if (transfer.exists()) {
                session.screen().note("the plan is kept; 'treehaul resume " + transfer.id() + "' submits it again");
            }
            throw e;
        }
        if (generation.isEmpty()) {
            session.screen().note("interrupted while planning; nothing was submitted");
            return ExitCode.INTERRUPTED;
        }
        ExitCode planned = session.end(session.problems().counts(), true);
        SubmissionReport.print(transfer, common);
        session.onlyWaits();
        return options.isToWait()
                ? new TransferWait(transfer, common).await(generation.getAsInt(), session.cancellation())
                : planned;
    }
}
