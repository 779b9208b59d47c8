// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.OptionalInt;

import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.config.Configuration;
import org.treehaul.cli.transfer.SubmissionReport;
import org.treehaul.cli.transfer.TransferWait;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.transfer.directory.OvertakenException;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.batch.BatchTransfer;
import org.treehaul.schedulers.discovery.Schedulers;
import org.treehaul.tuplespace.transfer.Publication;

/** Plans and submits a new transfer of any operation, prints its jobs, and waits for them if requested. */
public record JobSubmission(TransferOptions options, CommonOptions common) {

    /** The part of a command that differs: what it does before its jobs, and their transfer. */
    @FunctionalInterface
    public interface Planning<R> {
        R run(Session session) throws IOException, SchedulerException, CopyRefusedException, InterruptedException;
    }

    /**
     * Runs the planning of a command in a session, after the checks that precede it, and reports its failure.
     *
     * @param failed the result if it fails
     */
    public <R> R begin(Planning<R> planning, R failed) throws InterruptedException {
        try (Session session = Session.beginPlanning(common)) {
            save();
            // A wrong name must be reported before anything about the paths, and before anything is changed.
            Schedulers.named(options.scheduler(), System.getenv());
            return planning.run(session);
        } catch (TransferException | PlanException | SchedulerException | CopyRefusedException e) {
            common.screen().error(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            String reason = StateDirectory.reason(e);
            common.screen()
                    .error(isElsewhere(e)
                            ? reason
                            : "the state directory " + options.stateDirectory() + " fails: " + reason);
        }
        return failed;
    }

    // Not a file of the state directory, but one of a tree.
    private boolean isElsewhere(IOException e) {
        return e instanceof FileSystemException failed && failed.getFile() != null
                && !Path.of(failed.getFile()).startsWith(options.stateDirectory());
    }

    /** Saves the options for jobs, if requested. */
    void save() throws IOException {
        if (options.isToSave()) {
            Path saved = Configuration.read(System.getenv()).save(options.toSave());
            common.screen().note("saved to " + saved);
        }
    }

    /**
     * Runs all steps for the operands that were found.
     *
     * @return the exit code, which also says whether other operands failed
     */
    public ExitCode runFound(Session session, BatchTransfer transfer)
            throws IOException, SchedulerException, CopyRefusedException, InterruptedException {
        ExitCode operands = ExitCode.of(session.problems().counts(), true, false);
        ExitCode code = run(session, transfer);
        return code == ExitCode.DONE ? operands : code;
    }

    /** Runs all steps and returns the exit code. */
    public ExitCode run(Session session, BatchTransfer transfer)
            throws IOException, SchedulerException, CopyRefusedException, InterruptedException {
        OptionalInt generation;
        options.publish(transfer.directory());
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
        boolean isPrinted = SubmissionReport.print(transfer, common, options.printsId());
        Publication.update(transfer.directory(), session.screen()::note);
        session.onlyWaits();
        ExitCode code = options.isToWait()
                ? new TransferWait(transfer, common).await(generation.getAsInt(), session.cancellation())
                : planned;
        return isPrinted ? code : ExitCode.TROUBLE;
    }
}
