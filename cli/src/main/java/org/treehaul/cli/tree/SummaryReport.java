// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.tree;

import java.util.Map;

import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Output;
import org.treehaul.cli.report.Text;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.walk.summary.TreeSummary;

/** Prints the summary of a walk. */
final class SummaryReport {

    private static final int NAME = 16;
    private static final int RANGE = 18;
    private static final int NUMBER = 14;
    private static final int LONGEST_BAR = 30;

    private final TreeSummary sum;

    SummaryReport(TreeSummary sum) {
        this.sum = sum;
    }

    void text(Output out) {
        number(out, "entries", sum.totalEntries(), "");
        for (Map.Entry<EntryKind, Long> kind : sum.entries().entrySet()) {
            number(out, "  " + kind.getKey().label(), kind.getValue(), "");
        }
        if (sum.linkedNames() > 0) {
            number(out, "hard links", sum.linkedNames(), "names of " + Text.count(sum.linkedFiles(), "file", "files"));
        }
        number(out, "apparent bytes", sum.apparentBytes(), Text.bytes(sum.apparentBytes()));
        number(out, "allocated bytes", sum.allocatedBytes(), Text.bytes(sum.allocatedBytes()));
        sum.largest().ifPresent(file -> number(out, "largest file", file.value(), file.path().toString()));
        sum.deepest().ifPresent(entry -> number(out, "deepest", entry.value(), entry.path().toString()));
        histogram(out);
    }

    /** Prints the summary as text if there are entries. */
    void textIfAny(Output out) {
        if (sum.totalEntries() > 0) {
            text(out);
        }
    }

    private static void number(Output out, String name, long number, String more) {
        String line = Text.left(name, NAME) + Text.right(Text.count(number), NUMBER);
        out.line(more.isEmpty() ? line : line + "  " + more);
    }

    private void histogram(Output out) {
        long files = sum.entries().getOrDefault(EntryKind.REGULAR, 0L);
        if (files == 0) {
            return;
        }
        out.line("");
        out.line(Text.left("file sizes", RANGE) + Text.right("files", NUMBER - 2) + Text.right("", 8)
                + Text.right("bytes", NUMBER - 2));
        for (TreeSummary.SizeClass size : sum.sizes()) {
            double share = (double) size.files() / files;
            out.line((Text.left(range(size), RANGE) + Text.right(Text.count(size.files()), NUMBER - 2)
                    + Text.right(Text.tenths(share * 100) + " %", 8) + Text.right(Text.bytes(size.bytes()), NUMBER - 2)
                    + "  " + "#".repeat((int) Math.ceil(share * LONGEST_BAR))).stripTrailing());
        }
    }

    private static String range(TreeSummary.SizeClass size) {
        return size.to() == Long.MAX_VALUE
                ? bound(size.from()) + " and more"
                : Text.right(bound(size.from()), 7) + " - " + bound(size.to());
    }

    private static String bound(long bytes) {
        return bytes == 0 ? "0 B" : bytes < 1 << 20 ? (bytes >> 10) + " KiB" : (bytes >> 20) + " MiB";
    }

    void json(JsonLines json, long nanos) {
        synchronized (json) {
            json.begin("summary").number("entries", sum.totalEntries()).object("kinds");
            for (EntryKind kind : EntryKind.values()) {
                json.number(kind.label(), sum.entries().getOrDefault(kind, 0L));
            }
            json.endObject()
                    .number("linked_names", sum.linkedNames())
                    .number("linked_files", sum.linkedFiles())
                    .number("apparent_bytes", sum.apparentBytes())
                    .number("allocated_bytes", sum.allocatedBytes());
            sum.largest().ifPresent(file -> extreme(json, "largest", "size", file));
            sum.deepest().ifPresent(entry -> extreme(json, "deepest", "depth", entry));
            json.list("sizes");
            for (TreeSummary.SizeClass size : sum.sizes()) {
                json.element().number("from", size.from());
                if (size.to() != Long.MAX_VALUE) {
                    json.number("to", size.to());
                }
                json.number("files", size.files()).number("bytes", size.bytes()).endObject();
            }
            json.endList()
                    .number("failures", sum.failures())
                    .flag("complete", sum.isComplete())
                    .number("milliseconds", nanos / 1_000_000)
                    .end();
            json.flush();
        }
    }

    private static void extreme(JsonLines json, String name, String value, TreeSummary.Extreme extreme) {
        json.object(name).path("path", extreme.path()).number(value, extreme.value()).endObject();
    }
}
