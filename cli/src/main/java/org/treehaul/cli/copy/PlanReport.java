// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Output;
import org.treehaul.cli.report.Text;
import org.treehaul.core.entry.Amounts;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.plan.format.ChunkRange;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.plan.format.PlanHeader;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.plan.format.PlanTotals;
import org.treehaul.core.plan.format.PlannedBatch;
import org.treehaul.core.plan.format.PlannedFailure;
import org.treehaul.core.plan.format.PlannedRoot;

/** Formats a plan for {@code show}. */
final class PlanReport {

    private final Plan plan;
    private final Rates rates;
    private final PlanTotals totals;

    /**
     * The rates for an estimate.
     *
     * @param jobs number of jobs that run at the same time
     * @param files files per second of each job
     * @param bytes bytes of data per second of each job
     */
    record Rates(int jobs, double files, long bytes) {

        double seconds(PlannedBatch batch) {
            return batch.entries() / files + batch.data() / (double) bytes;
        }
    }

    PlanReport(Plan plan, Rates rates) {
        this.plan = plan;
        this.rates = rates;
        this.totals = plan.totals()
                .orElseGet(() -> new PlanTotals(sum(PlannedBatch::entries), sum(PlannedBatch::files),
                        sum(PlannedBatch::bytes), sum(PlannedBatch::data), 0, 0, 0));
    }

    private long sum(ToLongFunction<PlannedBatch> field) {
        return plan.batches().stream().mapToLong(field).reduce(0, Amounts::sum);
    }

    private long most(ToLongFunction<PlannedBatch> field) {
        return plan.batches().stream().mapToLong(field).max().orElse(0);
    }

    private long least(ToLongFunction<PlannedBatch> field) {
        return plan.batches().stream().mapToLong(field).min().orElse(0);
    }

    /** Returns the ratio of the largest batch to the average; 1 if all are empty. */
    private double spread(ToLongFunction<PlannedBatch> field) {
        double average = sum(field) / (double) Math.max(1, plan.batchCount());
        return average == 0 ? 1 : most(field) / average;
    }

    // Each job takes the next batch when it has finished one, so all end no later than the average plus the longest
    // batch; at best, they end at the larger of the two.
    private double seconds() {
        double all = plan.batches().stream().mapToDouble(rates::seconds).sum();
        double longest = plan.batches().stream().mapToDouble(rates::seconds).max().orElse(0);
        return Math.max(longest, all / rates.jobs());
    }

    private boolean hasHoles() {
        return totals.data() != totals.bytes();
    }

    void text(Output out, boolean withEntries) throws PlanException {
        PlanHeader header = plan.header();
        out.line("plan      " + header.id() + ", made " + Text.dateTime(header.created()) + " on "
                + ByteString.of(header.host()) + (plan.isSealed() ? "" : ", not finished"));
        for (PlannedRoot root : header.roots()) {
            out.line("copies    " + root.source() + " -> " + root.target());
        }
        out.line("batches   " + Text.count(plan.batchCount()) + " by " + ByteString.of(header.strategy()) + ", for "
                + Text.count(header.jobs(), "job", "jobs"));
        if (plan.hasServers()) {
            List<List<String>> servers = IntStream.range(0, plan.batchCount())
                    .mapToObj(plan::servers)
                    .filter(its -> !its.isEmpty())
                    .toList();
            out.line("servers   " + Text.count(servers.size()) + " of the batches have the data of one of "
                    + Text.count(servers.stream().distinct().count()));
        }
        out.line("in all    " + Text.count(totals.files(), "file", "files") + ", " + Text.bytes(totals.bytes())
                + (hasHoles() ? ", without holes " + Text.bytes(totals.data()) : "") + "; "
                + Text.count(totals.entries(), "entry", "entries") + ", "
                + Text.count(totals.directories(), "directory", "directories") + ", "
                + Text.count(totals.chunked(), "file", "files") + " in chunks");
        if (plan.batchCount() > 0) {
            String fewest = Text.count(least(PlannedBatch::entries));
            String smallest = Text.bytes(least(PlannedBatch::data));
            String most = Text.count(most(PlannedBatch::entries), "entry", "entries");
            String largest = Text.bytes(most(PlannedBatch::data));
            out.line("a batch   " + (most.startsWith(fewest + " ") ? "" : fewest + " to ") + most + ", "
                    + (smallest.equals(largest) ? "" : smallest + " to ") + largest + (hasHoles() ? " of data" : "")
                    + "; the largest entry " + Text.bytes(most(PlannedBatch::largest)));
            out.line("spread    the largest has " + hundredths(spread(PlannedBatch::entries))
                    + " times the average in entries, " + hundredths(spread(PlannedBatch::data)) + " in "
                    + (hasHoles() ? "data" : "bytes"));
            out.line("estimate  " + Text.duration(Math.round(seconds())) + " with "
                    + Text.count(rates.jobs(), "job", "jobs") + " of "
                    + Text.count(Math.round(rates.files()), "file", "files") + " and " + Text.bytes(rates.bytes())
                    + " a second");
        }
        failures(out);
        if (plan.batchCount() > 0) {
            out.line("");
            out.line(hasHoles()
                    ? row("batch", "entries", "files", "bytes", "data", "largest")
                    : row("batch", "entries", "files", "bytes", "largest"));
        }
        for (PlannedBatch batch : plan.batches()) {
            String number = String.valueOf(batch.number());
            String entries = Text.count(batch.entries());
            String files = Text.count(batch.files());
            String bytes = Text.bytes(batch.bytes());
            String largest = Text.bytes(batch.largest());
            out.line(hasHoles()
                    ? row(number, entries, files, bytes, Text.bytes(batch.data()), largest)
                    : row(number, entries, files, bytes, largest));
        }
        if (withEntries) {
            out.line("");
            forEachEntry((batch, entry) -> out.line(batch + "\t" + entry.kind().label() + "\t" + entry.size() + "\t"
                    + path(entry) + (entry.chunk() == null ? "" : "\t" + part(entry.chunk()))));
        }
    }

    private void failures(Output out) throws PlanException {
        if (totals.failures() == 0) {
            return;
        }
        out.line("failed    " + Text.count(totals.failures(), "entry", "entries") + " could not be planned:");
        try (PlanRecords<PlannedFailure> failures = plan.failures()) {
            for (PlannedFailure failed = failures.next(); failed != null; failed = failures.next()) {
                out.line("          " + failed.failure());
            }
        }
    }

    private static String row(String... columns) {
        StringBuilder line = new StringBuilder(Text.right(columns[0], 7));
        for (int i = 1; i < columns.length; i++) {
            line.append(Text.right(columns[i], 14));
        }
        return line.toString();
    }

    private static String hundredths(double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }

    private String path(ManifestEntry entry) {
        return entry.path().below(source(entry.root())).toString();
    }

    private ByteString source(int root) {
        return plan.header().roots().get(root).source();
    }

    private static String part(ChunkRange chunk) {
        return chunk.from() + "-" + chunk.to();
    }

    private interface EntryAction {
        void accept(int batch, ManifestEntry entry);
    }

    private void forEachEntry(EntryAction action) throws PlanException {
        for (PlannedBatch batch : plan.batches()) {
            try (PlanRecords<ManifestEntry> entries = plan.manifest(batch.number())) {
                for (ManifestEntry entry = entries.next(); entry != null; entry = entries.next()) {
                    action.accept(batch.number(), entry);
                }
            }
        }
    }

    void json(JsonLines json, boolean withEntries) throws PlanException {
        PlanHeader header = plan.header();
        synchronized (json) {
            json.begin("plan")
                    .text("id", header.id())
                    .text("created", header.created().toString())
                    .text("host", header.host())
                    .text("strategy", header.strategy())
                    .number("jobs", header.jobs())
                    .number("chunk_bytes", header.chunkBytes())
                    .flag("complete", plan.isSealed())
                    .list("roots");
            for (PlannedRoot root : header.roots()) {
                json.element().path("source", root.source()).path("target", root.target()).endObject();
            }
            json.endList().end();
            for (PlannedBatch batch : plan.batches()) {
                json.begin("batch")
                        .number("batch", batch.number())
                        .number("entries", batch.entries())
                        .number("files", batch.files())
                        .number("bytes", batch.bytes())
                        .number("data", batch.data())
                        .number("largest", batch.largest())
                        .number("estimated_milliseconds", Math.round(rates.seconds(batch) * 1000))
                        .end();
            }
            if (withEntries) {
                forEachEntry((batch, entry) -> entry(json, batch, entry));
            }
            json.begin("summary")
                    .number("batches", plan.batchCount())
                    .number("entries", totals.entries())
                    .number("files", totals.files())
                    .number("bytes", totals.bytes())
                    .number("data", totals.data())
                    .number("directories", totals.directories())
                    .number("chunked", totals.chunked())
                    .number("failures", totals.failures())
                    .number("largest", most(PlannedBatch::largest))
                    .text("spread_entries", hundredths(spread(PlannedBatch::entries)))
                    .text("spread_bytes", hundredths(spread(PlannedBatch::bytes)))
                    .text("spread_data", hundredths(spread(PlannedBatch::data)))
                    .number("estimated_milliseconds", Math.round(seconds() * 1000))
                    .end();
        }
    }

    private static void entry(JsonLines json, int batch, ManifestEntry entry) {
        json.begin("entry")
                .number("batch", batch)
                .number("index", entry.index())
                .number("root", entry.root())
                .path("path", bytes(entry.path()))
                .text("kind", entry.kind().label())
                .number("size", entry.size())
                .text("mtime", entry.mtime().toString())
                .unsigned("inode", entry.inode())
                .unsigned("device", entry.device())
                .number("group", entry.group())
                .number("data", entry.data());
        Optional.ofNullable(entry.chunk())
                .ifPresent(chunk -> json.number("from", chunk.from()).number("to", chunk.to()));
        json.end();
    }

    private static ByteString bytes(TreePath path) {
        return path.isRoot() ? ByteString.of(".") : ByteString.of(path.toBytes());
    }
}
