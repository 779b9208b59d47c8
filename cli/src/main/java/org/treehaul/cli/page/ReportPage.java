// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.page;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.treehaul.cli.common.Version;
import org.treehaul.cli.report.Text;
import org.treehaul.cli.transfer.ResultReport;
import org.treehaul.cli.transfer.TransferSummary;
import org.treehaul.core.entry.Amounts;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.transfer.AttemptRecord;
import org.treehaul.core.transfer.BatchStatus;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.journal.SlowFile;
import org.treehaul.core.transfer.operation.Operation;

/** One transfer as an HTML page. */
final class ReportPage {

    private static final int SLOWEST = 10;
    private static final int MOST_SOURCES = 20;

    private final TransferDirectory transfer;
    private final TransferStatus status;
    private final List<AttemptRecord> attempts;
    private final FailureGroups failures = new FailureGroups();
    private final Instant now = Instant.now();
    private final Html html = new Html();

    private ReportPage(TransferDirectory transfer, TransferStatus status, List<AttemptRecord> attempts) {
        this.transfer = transfer;
        this.status = status;
        this.attempts = attempts;
    }

    /** Reads a transfer and returns its page. */
    static String of(Transfers transfers, TransferDirectory transfer) throws IOException {
        ReportPage page = new ReportPage(transfer, transfers.status(transfer), transfers.attempts(transfer));
        if (Plan.exists(transfer.plan())) {
            transfers.failures(transfer, record -> page.failures.add(record.failure()));
        }
        return page.write();
    }

    private String write() throws IOException {
        String title = "Transfer " + status.id();
        html.title(title);
        String state = status.state().name().toLowerCase(Locale.ROOT).replace('_', ' ');
        html.verdict(status.state() == TransferStatus.State.COMPLETE, state + result());
        facts();
        verification();
        errors();
        if (!attempts.isEmpty()) {
            pictures();
        }
        html.paragraph("Written by " + Version.text() + " at " + Text.dateTime(now)
                + ". Times are local times of this host; those of batches are by the clocks of their hosts.");
        return html.finish(title);
    }

    private String result() {
        return status.result()
                .map(TransferResult::problem)
                .filter(problem -> !problem.isEmpty())
                .map(problem -> ": " + problem)
                .orElse("");
    }

    private void facts() {
        TransferSummary summary = new TransferSummary(status, now);
        List<List<String>> facts = new ArrayList<>();
        facts.add(List.of("operation", status.operation().name()));
        List<ByteString> sources = status.places().sources();
        sources.stream().limit(MOST_SOURCES).forEach(source -> facts.add(List.of("source", source.toString())));
        if (sources.size() > MOST_SOURCES) {
            facts.add(List.of("", "and " + Text.count(sources.size() - (long) MOST_SOURCES) + " more"));
        }
        status.places().destination().ifPresent(place -> facts.add(List.of("destination", place.toString())));
        facts.add(List.of("command", status.commandLine()));
        facts.add(List.of("time", summary.when()));
        if (!status.batches().isEmpty()) {
            facts.add(List.of("entries",
                    part(status.total(BatchStatus::entriesDone), status.total(BatchStatus::entries))));
            if (status.movesData()) {
                facts.add(List.of("data", Text.bytes(status.total(BatchStatus::bytesDone)) + " of "
                        + Text.bytes(status.total(BatchStatus::bytes))));
            }
            facts.add(List.of("batches", summary.batches().replaceFirst("^batches: ", "")));
        }
        status.result().ifPresent(result -> {
            add(facts, "skipped", result.skipped());
            add(facts, "changed since planning", result.changed());
            add(facts, "not planned, and done", result.unplanned());
        });
        facts.add(List.of("failures", Text.count(status.failed())));
        html.facts(facts);
    }

    private static void add(List<List<String>> facts, String name, long number) {
        if (number > 0) {
            facts.add(List.of(name, Text.count(number)));
        }
    }

    private static String part(long done, long all) {
        return Text.count(done) + " of " + Text.count(all);
    }

    private void verification() throws IOException {
        html.heading("Verification");
        String verify = "'treehaul verify " + status.id() + "'";
        html.paragraph(switch (status.operation()) {
            case Operation.Verify none ->
                "This transfer is a verification: it read source and destination again and compared them.";
            case Operation.Move move ->
                "The data of each file were read back from the destination and compared by hash, before any source was "
                        + "removed.";
            case Operation.Copying copying -> ResultReport.verifiesData(transfer)
                    ? "The data of each copied file were read back from the destination and compared by hash (--verify). "
                            + verify + " compares data and metadata again."
                    : "Nothing was read back. Each system call of the copy was checked for errors. " + verify
                            + " compares the copy with its source.";
            case Operation.Run run -> "A file counts as done if its command ended with 0.";
            case Operation.OnEntries each -> "Each system call was checked for errors.";
        });
    }

    private void errors() {
        html.heading("Errors");
        List<FailureGroups.Group> groups = failures.largestFirst();
        if (groups.isEmpty()) {
            html.paragraph("No entry failed.");
        }
        for (FailureGroups.Group group : groups) {
            html.verdict(false, group.title() + ": " + Text.count(group.count(), "entry", "entries"));
            html.paragraph(group.remedy(status.id()));
            html.codes(group.paths());
            if (group.count() > group.paths().size()) {
                html.paragraph("'treehaul errors " + status.id() + "' lists all.");
            }
        }
    }

    private void pictures() {
        TimePictures pictures = new TimePictures(attempts, status.movesData());
        html.heading("Rate over time");
        if (pictures.hasRates()) {
            html.paragraph((status.movesData() ? "The data" : "The entries")
                    + " of a batch are spread evenly over the time in which it was worked on.");
            html.picture(pictures.rate());
        } else {
            html.paragraph(status.movesData()
                    ? "The batches moved no data, or took less than a second: too little for a rate."
                    : "The batches took less than a second: too little for a rate.");
        }
        html.heading("Batches and workers");
        html.paragraph(
                "Blue: done; orange: with failures; grey: stopped; violet: no end recorded; red: given up. Point at a bar for "
                        + "its numbers.");
        html.picture(pictures.gantt());
        Map<String, List<AttemptRecord>> lanes = pictures.lanes();
        if (lanes.size() > TimePictures.MOST_LANES) {
            html.paragraph("Only the first " + TimePictures.MOST_LANES + " of " + Text.count(lanes.size())
                    + " workers are shown.");
        }
        balance(lanes);
        slowestFiles();
        html.heading("Slowest batches");
        html.table(withData(List.of("#batch", "#attempt", "worker", "#time", "#entries"), "#data", "#rate", "end"),
                attempts.stream()
                        .sorted(Comparator.comparing(AttemptRecord::duration).reversed())
                        .limit(SLOWEST)
                        .map(a -> withData(
                                List.of(String.valueOf(a.batch()), String.valueOf(a.number()), a.worker(),
                                        seconds(a.duration()), Text.count(a.entries())),
                                Text.bytes(a.bytes()), rate(a), TimePictures.word(a)))
                        .toList());
    }

    // Returns the cells of a row, without that of the data if none are moved.
    private List<String> withData(List<String> first, String data, String... last) {
        List<String> cells = new ArrayList<>(first);
        if (status.movesData()) {
            cells.add(data);
        }
        cells.addAll(List.of(last));
        return cells;
    }

    private String rate(AttemptRecord attempt) {
        long millis = attempt.duration().toMillis();
        return status.movesData() || millis == 0
                ? rate(attempt.bytes(), attempt.duration())
                : Text.count(Math.round(attempt.entries() * 1000.0 / millis)) + " entries/s";
    }

    private record Slow(SlowFile file, String worker) {}

    private void slowestFiles() {
        html.heading("Slowest files");
        List<Slow> slowest = attempts.stream()
                .flatMap(attempt -> attempt.slowest().stream().map(file -> new Slow(file, attempt.worker())))
                .sorted(Comparator.comparing((Slow slow) -> slow.file.time()).reversed())
                .limit(SLOWEST)
                .toList();
        if (slowest.isEmpty()) {
            html.paragraph("No worker recorded a file that took " + seconds(SlowFile.SHORTEST) + " or more.");
            return;
        }
        if (!status.movesData()) {
            html.table(List.of("file", "#time", "worker"),
                    slowest.stream()
                            .map(slow -> List.of(slow.file.path(), seconds(slow.file.time()), slow.worker))
                            .toList());
            return;
        }
        html.paragraph("The time of a copy does not include reading it back.");
        html.table(List.of("file", "#size", "#time", "#rate", "worker"),
                slowest.stream()
                        .map(slow -> List.of(slow.file.path(), Text.bytes(slow.file.bytes()), seconds(slow.file.time()),
                                rate(slow.file.bytes(), slow.file.time()), slow.worker))
                        .toList());
    }

    private void balance(Map<String, List<AttemptRecord>> lanes) {
        html.heading("Balance");
        List<Long> busy = lanes.values()
                .stream()
                .map(of -> of.stream().mapToLong(a -> a.duration().toMillis()).sum())
                .sorted()
                .toList();
        double mean = busy.stream().mapToLong(Long::longValue).average().orElse(0);
        html.paragraph("Workers: " + Text.count(lanes.size()) + ". The busiest worked "
                + seconds(Duration.ofMillis(busy.getLast())) + ", the least busy "
                + seconds(Duration.ofMillis(busy.getFirst())) + ", on average "
                + seconds(Duration.ofMillis(Math.round(mean)))
                + (mean == 0
                        ? "."
                        : "; the busiest worked " + Text.tenths(busy.getLast() / mean)
                                + " times the average (1.0 is a perfect balance)."));
        html.table(withData(List.of("worker", "#batches", "#time", "#entries"), "#data"), lanes.entrySet()
                .stream()
                .limit(TimePictures.MOST_LANES)
                .map(lane -> withData(
                        List.of(lane.getKey(), Text.count(lane.getValue().size()),
                                seconds(Duration.ofMillis(
                                        lane.getValue().stream().mapToLong(a -> a.duration().toMillis()).sum())),
                                Text.count(lane.getValue().stream().mapToLong(AttemptRecord::entries).sum())),
                        Text.bytes(lane.getValue().stream().mapToLong(AttemptRecord::bytes).reduce(0, Amounts::sum))))
                .toList());
    }

    private static String seconds(Duration duration) {
        return Text.tenths(duration.toMillis() / 1000.0) + " s";
    }

    private static String rate(long bytes, Duration time) {
        long millis = time.toMillis();
        return millis == 0 ? "" : Text.bytes(Math.round(bytes * 1000.0 / millis)) + "/s";
    }
}
