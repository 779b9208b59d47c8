// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.sync;

import java.util.Locale;

import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Text;
import org.treehaul.core.compare.DifferenceKind;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.sync.Change;
import org.treehaul.core.sync.SyncResult;

/** Prints the changes of a run, and its summary. */
final class SyncReport {

    private final Session session;
    private final SyncInput input;
    private final String prefix;

    SyncReport(Session session, SyncInput input) {
        this.session = session;
        this.input = input;
        this.prefix = input.isOfContent() ? "" : UserPath.baseName(input.source()).toString();
    }

    /** Prints a change, if requested. Safe for several threads. */
    void print(Change change) {
        if (!input.printsChanges()) {
            return;
        }
        if (session.json().isPresent()) {
            JsonLines json = session.json().get();
            synchronized (json) {
                json.begin("change")
                        .text("action", change.action().name().toLowerCase(Locale.ROOT))
                        .path("path",
                                change.path().isRoot() ? ByteString.of(".") : ByteString.of(change.path().toBytes()))
                        .text("kind", change.kind().label());
                if (change.from().isPresent()) {
                    json.path("from", ByteString.of(change.from().get().toBytes()));
                }
                json.list("differing");
                for (DifferenceKind kind : change.differing()) {
                    json.textElement(kind.label());
                }
                json.endList().end();
            }
            return;
        }
        session.output().line(line(change));
        if (!session.output().isUsable()) {
            session.cancellation().cancel();
        }
    }

    private String line(Change change) {
        String name = name(change.path());
        if (change.from().isPresent()) {
            return change.itemized(true) + " " + name(change.from().get()) + " -> " + name;
        }
        return change.itemized(true) + " " + name + (change.kind() == EntryKind.DIRECTORY ? "/" : "")
                + change.linkTarget().map(target -> " -> " + target).orElse("");
    }

    private String name(TreePath path) {
        String below = path.toString();
        return path.isRoot() ? prefix.isEmpty() ? "." : prefix : prefix.isEmpty() ? below : prefix + "/" + below;
    }

    /** Prints the summary and returns the exit code. */
    ExitCode end(SyncResult result) {
        session.json().ifPresent(json -> summarize(json, result));
        ExitCode code = session.end(result.failures(), result.isComplete());
        if (session.json().isEmpty() && (code != ExitCode.DONE || !input.common.isQuiet())) {
            session.screen().note(line(result));
        }
        if (result.kept() > 0) {
            session.screen()
                    .note(Text.count(result.kept(), "entry stays", "entries stay")
                            + " because of --max-delete; a larger number removes them");
            return code == ExitCode.DONE ? ExitCode.DELETE_LIMIT : code;
        }
        return code;
    }

    private String line(SyncResult result) {
        boolean isDry = input.isDryRun();
        StringBuilder text = new StringBuilder();
        add(text, isDry ? "would copy " : "copied ", result.copied());
        add(text, text.isEmpty() ? (isDry ? "would make " : "made ") : "", result.directories(), "directory",
                "directories");
        add(text, input.linksToEarlier() ? isDry ? "would link " : "linked " : isDry ? "would leave out " : "left out ",
                result.fromEarlier());
        add(text, isDry ? "would rename " : "renamed ", result.renamed());
        // A file that was written may not have got its name.
        if (result.bytes() > 0 && !text.isEmpty()) {
            text.append(", ").append(Text.bytes(result.bytes()));
        }
        add(text, isDry ? "would change attributes of " : "changed attributes of ", result.attributes());
        add(text, isDry ? "would remove " : "removed ", result.removed());
        long failed = result.failures().values().stream().mapToLong(Long::longValue).sum();
        // After other work, the time of the comparison is about that of the next pass.
        String total = text.isEmpty() ? "" : ", " + Text.tenths(session.nanos() / 1e9) + " s in all";
        return (text.isEmpty() ? result.isSame() ? "nothing to do" : "nothing done" : text) + "; compared "
                + Text.count(result.compared(), "entry", "entries") + " in "
                + Text.tenths(result.comparison().toNanos() / 1e9) + " s" + total
                + (failed == 0 ? "" : "; " + Text.count(failed) + " failed");
    }

    private static void add(StringBuilder text, String words, long count) {
        add(text, words, count, "entry", "entries");
    }

    private static void add(StringBuilder text, String words, long count, String one, String many) {
        if (count > 0) {
            text.append(text.isEmpty() ? "" : ", ").append(words).append(Text.count(count, one, many));
        }
    }

    private void summarize(JsonLines json, SyncResult result) {
        synchronized (json) {
            json.begin("summary")
                    .number("compared", result.compared())
                    .number("copied", result.copied())
                    .number("directories", result.directories())
                    .number("from_earlier", result.fromEarlier())
                    .number("renamed", result.renamed())
                    .number("bytes", result.bytes())
                    .number("attributes", result.attributes())
                    .number("removed", result.removed())
                    .number("kept", result.kept())
                    .number("failures", result.failures().values().stream().mapToLong(Long::longValue).sum())
                    .number("comparison_milliseconds", result.comparison().toMillis())
                    .number("milliseconds", session.nanos() / 1_000_000)
                    .flag("complete", result.isComplete())
                    .end();
        }
    }
}
