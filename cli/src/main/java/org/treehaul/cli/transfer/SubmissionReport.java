// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Output;
import org.treehaul.cli.report.Screen;
import org.treehaul.core.transfer.directory.SubmittedJobs;
import org.treehaul.core.transfer.journal.VerifiedCopy;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.core.transfer.request.TransferRequest;
import org.treehaul.schedulers.JobPhase;
import org.treehaul.schedulers.batch.BatchTransfer;

/** Prints the id and the jobs of a transfer that was just submitted. */
public final class SubmissionReport {

    private SubmissionReport() {}

    /**
     * Prints to standard output, as JSON if requested. Returns whether it could be written, and else reports the error.
     *
     * @param printsId whether the id is printed without JSON, too; the message on standard error has it
     */
    public static boolean print(BatchTransfer transfer, CommonOptions common, boolean printsId) throws IOException {
        Output output = Output.standard();
        List<SubmittedJobs> submitted = transfer.submittedJobs();
        String scheduler = submitted.getFirst().scheduler();
        List<String> ids = submitted.stream().flatMap(known -> known.ids().stream()).toList();
        if (common.json) {
            JsonLines json = new JsonLines(output);
            json.begin("submitted").text("id", transfer.id().text());
            VerifiedCopy.of(transfer.directory()).ifPresent(copy -> json.text("verifies", copy.id()));
            json.text("scheduler", scheduler).number("generation", submitted.getFirst().generation()).list("jobs");
            ids.forEach(json::textElement);
            json.endList().end();
            json.flush();
        } else {
            if (printsId) {
                output.line(transfer.id().text());
            }
            common.screen()
                    .note(scheduler + (ids.size() == 1 ? " job " : " jobs ") + String.join(", ", marked(submitted))
                            + "; 'treehaul status " + transfer.id() + "' shows their progress");
        }
        TransferRequest.find(transfer.directory())
                .ifPresent(request -> noteUnused(scheduler, transfer.directory().operation(), request.jobs(),
                        common.screen()));
        return output.isWritten(common.screen());
    }

    /** Prints a note about options for a queue if jobs of this machine do not wait in one. */
    static void noteUnused(String scheduler, Operation operation, JobOptions options, Screen screen) {
        if (!scheduler.equals("local")) {
            return;
        }
        List<String> unused = new ArrayList<>();
        // The option starts jobs on the nodes that have the data.
        if (!options.queue().isEmpty() && !operation.isAtData()) {
            unused.add("--queue");
        }
        if (options.finishQueue().isPresent()) {
            unused.add("--finish-queue");
        }
        if (options.finishWalltime().isPresent()) {
            unused.add("--finish-walltime");
        }
        if (options.requeue()) {
            unused.add("--requeue");
        }
        if (!unused.isEmpty()) {
            screen.note("local jobs wait in no queue, so these options have no effect: " + String.join(" ", unused));
        }
    }

    private static List<String> marked(List<SubmittedJobs> submitted) {
        return submitted.stream()
                .flatMap(jobs -> jobs.ids()
                        .stream()
                        .map(id -> jobs.phase().equals(JobPhase.FINISH.word()) ? id + " (finishes)" : id))
                .toList();
    }
}
