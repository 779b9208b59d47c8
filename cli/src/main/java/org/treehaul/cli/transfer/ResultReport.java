// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Output;
import org.treehaul.cli.report.Screen;
import org.treehaul.cli.report.Text;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.transfer.BatchStatus;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.operation.CopySettings;
import org.treehaul.schedulers.JobFiles;
import org.treehaul.schedulers.TransferJobs;

/** Prints the result of a transfer to the user who waited for it. */
public record ResultReport(TransferDirectory transfer, CommonOptions common) {

    // Bytes, time and rate, and whether the data were verified.
    private String amounts(TransferStatus status) throws IOException {
        TransferSummary summary = new TransferSummary(status, Instant.now());
        StringBuilder text = new StringBuilder(
                status.movesData() ? ", " + Text.bytes(status.total(BatchStatus::bytesDone)) : "");
        Duration elapsed = status.elapsed(Instant.now());
        if (verifiesData(transfer)) {
            text.append(" verified");
        }
        text.append(" in ").append(Text.tenths(elapsed.toMillis() / 1000.0)).append(" s");
        return text.append(summary.pauses()).append(summary.rate()).toString();
    }

    /** Returns whether a transfer reads back the data that it copies. */
    public static boolean verifiesData(TransferDirectory transfer) throws IOException {
        return transfer.operation().hasTokens() && Plan.exists(transfer.plan())
                && CopySettings.parse(Plan.open(transfer.plan()).header().settings())
                        .verify() != CopyOptions.Verify.NONE;
    }

    /** Reports the end of a generation and returns the exit code. */
    public ExitCode print(TransferStatus status, int generation) throws IOException {
        Screen screen = common.screen();
        if (status.generation() != generation || status.result().isEmpty()) {
            screen.note(transfer.id() + " was "
                    + (status.state() == TransferStatus.State.CANCELLED ? "cancelled" : "resumed by another command"));
            return ExitCode.INTERRUPTED;
        }
        Output output = Output.standard();
        if (common.json) {
            JsonLines json = new JsonLines(output);
            TransferReport.json(json, status, Instant.now(), false, Optional.empty());
            json.flush();
        }
        boolean isPrinted = output.isWritten(screen);
        TransferResult result = status.result().get();
        if (!result.problem().isEmpty()) {
            screen.error(result.problem());
        }
        if (result.state() == TransferResult.State.INCOMPLETE) {
            TransferJobs jobs = TransferCommand.jobs(transfer);
            List<String> silent = jobs.withoutOutput(generation);
            Optional<JobFiles.FailedPre> failed = jobs.failedPre(generation);
            if (!silent.isEmpty() || failed.isPresent()) {
                screen.error(TransferReport.output(transfer, silent, failed));
            }
        }
        StringBuilder text = new StringBuilder(TransferReport.word(result.state())).append(": ")
                .append(Text.count(result.done()))
                .append(" of ")
                .append(Text.count(result.entries(), "entry", "entries"));
        if (result.unplanned() > 0) {
            text.append(", and ").append(Text.count(result.unplanned())).append(" that were not planned");
        }
        if (result.removed() > 0) {
            text.append(", removed ").append(Text.count(result.removed(), "entry", "entries"));
        }
        if (result.changed() > 0) {
            text.append(", ").append(Text.count(result.changed())).append(" had changed since planning");
        }
        text.append(amounts(status));
        if (result.failed() > 0) {
            text.append(", ")
                    .append(Text.count(result.failed(), "error", "errors"))
                    .append(": 'treehaul errors ")
                    .append(transfer.id())
                    .append("' lists them");
        }
        if (result.state() != TransferResult.State.COMPLETE) {
            text.append(Outlook.of(status, result));
        }
        if (!common.isQuiet() || result.state() != TransferResult.State.COMPLETE) {
            screen.note(text.toString());
        }
        return isPrinted ? code(result) : ExitCode.TROUBLE;
    }

    /** Returns the exit code for a result. */
    public static ExitCode code(TransferResult result) {
        // Only the limit of removals leaves something over without a failure.
        boolean isLimited = result.state() == TransferResult.State.PARTIAL && result.failures().isEmpty();
        return isLimited ? ExitCode.DELETE_LIMIT : ExitCode.of(result.failures(), result.isFinal(), false);
    }
}
