// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.tree;

import java.time.ZoneId;
import java.util.Map;
import java.util.TreeMap;

import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.ProgressDisplay;
import org.treehaul.cli.report.Text;
import org.treehaul.core.compare.CompareResult;
import org.treehaul.core.compare.Difference;
import org.treehaul.core.compare.DifferenceKind;
import org.treehaul.core.entry.ByteString;

/** Prints the differences that {@code treehaul cmp} finds, and the summary, as lines or as JSON. */
final class DifferenceReport {

    private final Session session;
    private final boolean quiet;
    private final ByteString a;
    private final ByteString b;

    /**
     * Creates a report that prints only JSON if it is quiet.
     *
     * @param a the first tree, as the user gave it
     * @param b the second tree
     */
    DifferenceReport(Session session, boolean quiet, ByteString a, ByteString b) {
        this.session = session;
        this.quiet = quiet;
        this.a = a;
        this.b = b;
    }

    /** Prints a difference. Safe for several threads. */
    void print(Difference difference) {
        if (quiet) {
            return;
        }
        if (session.json().isEmpty()) {
            session.output().line(line(difference));
            if (!session.output().isUsable()) {
                session.cancellation().cancel();
            }
            return;
        }
        JsonLines json = session.json().get();
        synchronized (json) {
            json.begin("difference")
                    .text("kind", difference.kind().label())
                    .path("path", path(difference))
                    .text("a", difference.a())
                    .text("b", difference.b());
            if (difference.offset().isPresent()) {
                json.number("offset", difference.offset().getAsLong());
            }
            if (!difference.attributes().isEmpty()) {
                json.list("attributes");
                difference.attributes().forEach(name -> json.textElement(name.toString()));
                json.endList();
            }
            json.end();
        }
    }

    private String line(Difference difference) {
        return switch (difference.kind()) {
            case ONLY_IN_A -> difference.path() + ": only in " + a + " (" + difference.a() + ")";
            case ONLY_IN_B -> difference.path() + ": only in " + b + " (" + difference.b() + ")";
            default -> difference.line(ZoneId.systemDefault());
        };
    }

    private static ByteString path(Difference difference) {
        return difference.path().isRoot() ? ByteString.of(".") : ByteString.of(difference.path().toBytes());
    }

    /** Prints the summary and returns the exit code of the command. */
    ExitCode end(CompareResult result) {
        session.json().ifPresent(json -> summarize(json, result, session.nanos()));
        ExitCode code = session.end(result.failures(), result.isComplete());
        if (!quiet && session.json().isEmpty()) {
            session.screen().note(summary(result));
        }
        if (code == ExitCode.INTERRUPTED) {
            return code;
        }
        if (code != ExitCode.DONE || result.hasTrouble()) {
            return ExitCode.TROUBLE;
        }
        return result.differences().isEmpty() ? ExitCode.DONE : ExitCode.DIFFERENT;
    }

    private String summary(CompareResult result) {
        boolean isSame = result.differences().isEmpty();
        if (isSame && result.hasTrouble() && result.counts().entries() <= 1) {
            return "nothing was compared";
        }
        String found = !isSame
                ? differences(result)
                : result.hasTrouble() ? "comparison incomplete: no differences found" : "no differences";
        String content = result.counts().bytes() > 0 ? ", " + Text.bytes(result.counts().bytes()) + " of content" : "";
        return found + " in " + Text.count(result.counts().entries(), "entry", "entries") + content + " in "
                + Text.tenths(session.nanos() / 1e9) + " s" + rate(result)
                + (isSame ? "" : "; A is " + a + ", B is " + b);
    }

    private String rate(CompareResult result) {
        double seconds = session.nanos() / 1e9;
        long bytes = result.counts().bytes();
        return seconds < 0.1 || bytes == 0 ? "" : ", " + Text.bytes(Math.round(bytes / seconds)) + "/s";
    }

    private static String differences(CompareResult result) {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<DifferenceKind, Long> kind : new TreeMap<>(result.differences()).entrySet()) {
            text.append(text.isEmpty() ? "" : ", ")
                    .append(kind.getKey().label())
                    .append(' ')
                    .append(Text.count(kind.getValue()));
        }
        long count = result.differenceCount();
        return Text.count(count, "difference", "differences") + " (" + text + ")";
    }

    private static void summarize(JsonLines json, CompareResult result, long nanos) {
        synchronized (json) {
            json.begin("summary");
            ProgressDisplay.fields(json, result.counts(), nanos).object("differences");
            new TreeMap<>(result.differences()).forEach((kind, count) -> json.number(kind.label(), count));
            json.endObject().flag("complete", result.isComplete()).end();
        }
    }
}
