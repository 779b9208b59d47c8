// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Output;
import org.treehaul.core.transfer.BatchStatus;
import org.treehaul.core.transfer.Refusal;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferId;

/** The state of one transfer or of all, as {@code treehaul status} shows it. */
final class StatusReport {

    private final Transfers transfers;
    private final List<TransferStatus> shown = new ArrayList<>();
    private final Map<TransferId, IOException> problems = new TreeMap<>();
    private final boolean isWhole;
    private Optional<JobsLeft> left = Optional.empty();

    private StatusReport(Transfers transfers, boolean isWhole) {
        this.transfers = transfers;
        this.isWhole = isWhole;
    }

    /** Reads the state of all transfers; those that cannot be read are shown with the reason. */
    static StatusReport ofAll(Transfers transfers) throws IOException {
        StatusReport report = new StatusReport(transfers, false);
        for (TransferId id : transfers.list()) {
            try {
                report.shown.add(transfers.status(transfers.open(id)));
            } catch (IOException e) {
                // It may have been forgotten just now.
                if (transfers.list().contains(id)) {
                    report.problems.put(id, e);
                }
            }
        }
        return report;
    }

    /** Reads the state of one transfer, to be shown with its batches and the jobs left. */
    static StatusReport of(Transfers transfers, TransferDirectory transfer, LiveJobs live) throws IOException {
        StatusReport report = new StatusReport(transfers, true);
        TransferStatus status = transfers.status(transfer);
        report.shown.add(status);
        report.left = live.left(transfers, status);
        return report;
    }

    boolean isEmpty() {
        return shown.isEmpty() && problems.isEmpty();
    }

    /** Returns whether at least one of the transfers is not at its end. */
    boolean goesOn() {
        return shown.stream().anyMatch(status -> TransferReport.goesOn(status.state()));
    }

    /** Prints a JSON object for each transfer. */
    void json(Output output) {
        JsonLines json = new JsonLines(output);
        shown.forEach(status -> TransferReport.json(json, status, isWhole, left));
        problems.forEach((id, problem) -> TransferReport.json(json, id, problem));
        json.flush();
    }

    /** Returns the text for users, without the end of the last line. */
    String text() throws IOException {
        StringBuilder text = new StringBuilder();
        for (TransferStatus status : shown) {
            text.append(TransferReport.line(status)).append('\n');
            if (isWhole) {
                limit(status, text);
                batches(status, text);
                refusal(status, text);
                left.ifPresent(jobs -> text.append("  ").append(jobs.text()).append('\n'));
            }
        }
        problems.forEach((id, problem) -> text.append(id)
                .append("  ")
                .append(TransferReport.word(problem))
                .append(": ")
                .append(StateDirectory.reason(problem))
                .append('\n'));
        return text.toString().stripTrailing();
    }

    private void limit(TransferStatus status, StringBuilder text) throws IOException {
        long bandwidth = transfers.bandwidth(transfers.open(status.id()));
        if (bandwidth > 0 && TransferReport.goesOn(status.state())) {
            text.append("  limited to ").append(BandwidthNotice.rate(bandwidth)).append('\n');
        }
    }

    private void refusal(TransferStatus status, StringBuilder text) throws IOException {
        if (status.state() == TransferStatus.State.NOT_SUBMITTED) {
            Refusal.of(transfers.open(status.id()), status.generation())
                    .ifPresent(refusal -> text.append("  ")
                            .append(refusal.reason())
                            .append("\n  'treehaul resume ")
                            .append(status.id())
                            .append("' submits the jobs again; --queue replaces the options of the queue\n"));
        }
    }

    private static void batches(TransferStatus status, StringBuilder text) {
        text.append("  ").append(status.commandLine()).append('\n');
        for (BatchStatus batch : status.batches()) {
            text.append("  batch ")
                    .append(batch.number())
                    .append(' ')
                    .append(TransferReport.words(batch.state()))
                    .append("; ")
                    .append(TransferReport.amounts(batch));
            if (!batch.job().isEmpty() || !batch.host().isEmpty()) {
                text.append("; ")
                        .append(String.join(" on ",
                                List.of(batch.job(), batch.host()).stream().filter(word -> !word.isEmpty()).toList()));
            }
            text.append('\n');
        }
        status.result()
                .filter(result -> !result.problem().isEmpty())
                .ifPresent(result -> text.append("  ").append(result.problem()).append('\n'));
    }
}
