// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import org.treehaul.cli.common.MetricsFile;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Output;
import org.treehaul.core.transfer.BatchStatus;
import org.treehaul.core.transfer.Refusal;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.core.transfer.directory.WorkerErrors;
import org.treehaul.core.transfer.operation.Operation;

/** The state of one transfer or of all, as {@code treehaul status} shows it. */
final class StatusReport {

    private static final int MOST_PROBLEMS = 10;

    private final Transfers transfers;
    private final List<TransferStatus> shown = new ArrayList<>();
    private final Map<TransferId, IOException> problems = new TreeMap<>();
    private final boolean isWhole;
    private final Instant now = Instant.now();
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

    /** Reads the state of one transfer, to be shown with details and the jobs left. */
    static StatusReport of(Transfers transfers, TransferDirectory transfer, LiveJobs live) throws IOException {
        StatusReport report = new StatusReport(transfers, true);
        TransferStatus status = live.status(transfers, transfer);
        report.shown.add(status);
        report.left = live.left(transfers, status);
        return report;
    }

    boolean isEmpty() {
        return shown.isEmpty() && problems.isEmpty();
    }

    /** Returns whether at least one of the transfers is not at its end. */
    boolean isActive() {
        return shown.stream().anyMatch(status -> TransferReport.isActive(status.state()));
    }

    /** Writes the metrics of the transfers. */
    void metrics(MetricsFile file) {
        file.write(TransferMetrics.of(shown, now));
    }

    /** Prints a JSON object for each transfer. */
    void json(Output output) {
        JsonLines json = new JsonLines(output);
        shown.forEach(status -> TransferReport.json(json, status, now, isWhole, left));
        problems.forEach((id, problem) -> TransferReport.json(json, id, problem));
        json.flush();
    }

    /**
     * Returns the text for users, without the end of the last line.
     *
     * @param withBatches whether each batch has a line
     * @param isBrief whether the line of a transfer in a list is kept short, for a terminal
     */
    String text(boolean withBatches, boolean isBrief) throws IOException {
        StringBuilder text = new StringBuilder();
        for (TransferStatus status : shown) {
            TransferSummary summary = new TransferSummary(status, now);
            if (isBrief && !isWhole) {
                text.append(TransferReport.brief(status, now))
                        .append(repaired(status))
                        .append(waiting(status))
                        .append('\n');
                continue;
            }
            text.append(TransferReport.line(status)).append(repaired(status));
            if (isWhole) {
                text.append('\n');
                details(status, summary, text);
                if (withBatches) {
                    status.batches()
                            .forEach(batch -> text.append("  ").append(batch(batch, status.movesData())).append('\n'));
                }
            } else {
                text.append("; ").append(summary.when()).append("; ").append(summary.what());
                if (status.result().filter(result -> !result.problem().isEmpty()).isPresent()) {
                    text.append("; 'treehaul status ").append(status.id()).append("' shows the reason");
                }
                text.append(waiting(status)).append('\n');
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

    // Dead jobs look like queued ones, and a scheduler is asked only about a single transfer.
    private static String waiting(TransferStatus status) {
        return status.state() == TransferStatus.State.WAITING
                ? "; 'treehaul status " + status.id() + "' shows whether it still has jobs"
                : "";
    }

    // The result of a verification stays what it was when it compared.
    private String repaired(TransferStatus status) throws IOException {
        boolean isVerification = status.operation() instanceof Operation.Verify;
        if (!isVerification || status.state() != TransferStatus.State.PARTIAL) {
            return "";
        }
        String command = "verify --repair " + status.id();
        for (TransferId id : transfers.list().reversed()) {
            if (id.compareTo(status.id()) > 0 && isRepair(id, command)) {
                return "; repaired by " + id + ": 'treehaul resume " + status.id() + "' compares again";
            }
        }
        return "";
    }

    private boolean isRepair(TransferId id, String command) {
        try {
            TransferStatus other = transfers.status(transfers.open(id));
            return other.commandLine().equals(command) && other.state() == TransferStatus.State.COMPLETE;
        } catch (IOException e) {
            return false;
        }
    }

    // The lines that may ask for an action come first.
    private void details(TransferStatus status, TransferSummary summary, StringBuilder text) throws IOException {
        refusal(status, text);
        status.result()
                .filter(result -> !result.problem().isEmpty())
                .ifPresent(result -> text.append("  ").append(result.problem()).append('\n'));
        left.ifPresent(jobs -> text.append("  ").append(jobs.text()).append('\n'));
        if (TransferReport.isActive(status.state())) {
            WorkerErrors.of(transfers.open(status.id()), status.generation())
                    .messages()
                    .stream()
                    .limit(MOST_PROBLEMS)
                    .forEach(problem -> text.append("  ").append(problem).append('\n'));
        }
        summary.slow().forEach(slow -> text.append("  ").append(slow).append('\n'));
        limit(status, text);
        text.append("  ").append(summary.what()).append('\n');
        text.append("  ").append(summary.when()).append('\n');
        if (!status.batches().isEmpty()) {
            boolean hasNoJobs = left.flatMap(JobsLeft::counts).filter(Map::isEmpty).isPresent();
            text.append("  ").append(summary.batches()).append(hasNoJobs ? ", as last reported" : "").append('\n');
        }
        text.append("  ").append(status.commandLine()).append('\n');
    }

    private void limit(TransferStatus status, StringBuilder text) throws IOException {
        long bandwidth = TransferReport.isActive(status.state()) ? transfers.bandwidth(transfers.open(status.id())) : 0;
        if (bandwidth > 0) {
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

    private static String batch(BatchStatus batch, boolean movesData) {
        String line = "batch " + batch.number() + " " + TransferReport.words(batch.state()) + "; "
                + TransferReport.amounts(batch, movesData);
        List<String> places = List.of(batch.job(), batch.host()).stream().filter(word -> !word.isEmpty()).toList();
        return places.isEmpty() ? line : line + "; " + String.join(" on ", places);
    }
}
