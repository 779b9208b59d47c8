// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.tree;

import java.util.Locale;
import java.util.stream.Collectors;

import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.ProgressDisplay;
import org.treehaul.cli.report.Text;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.manifest.ManifestDifference;
import org.treehaul.core.manifest.ManifestHash;
import org.treehaul.core.manifest.ManifestResult;

/** Prints the differences that {@code treehaul manifest} finds, and its summary, as lines or as JSON. */
record ManifestReport(Session session, CommonOptions common) {

    /** Prints a difference. */
    void print(ManifestDifference difference) {
        if (session.json().isEmpty()) {
            session.output().line(difference.toString());
            return;
        }
        JsonLines json = session.json().get();
        synchronized (json) {
            json.begin("difference")
                    .text("kind", difference.kind().label())
                    .path("path", ByteString.of(difference.path().toBytes()))
                    .end();
        }
    }

    /** Prints the summary of a manifest that was written, and returns the exit code. */
    ExitCode written(ManifestResult result, ManifestHash hash) {
        session.flush();
        boolean isComplete = result.isComplete() && !session.output().isReaderGone();
        ExitCode code = session.end(result.failures(), isComplete);
        if (!common.isQuiet() && isComplete) {
            session.screen().note(files(result) + " by " + hash.name().toLowerCase(Locale.ROOT) + time());
        }
        boolean isUnread = code == ExitCode.PARTIAL || code == ExitCode.UNSETTLED;
        return isUnread && result.files() == 0 ? ExitCode.TROUBLE : code;
    }

    /** Prints the summary of a check, and returns the exit code. */
    ExitCode checked(ManifestResult result) {
        session.json().ifPresent(json -> summarize(json, result));
        ExitCode code = session.end(result.failures(), result.isComplete());
        if (code == ExitCode.INTERRUPTED) {
            session.screen().note("interrupted; nothing was compared");
            return code;
        }
        if (session.json().isEmpty() && (!common.isQuiet() || result.hasTrouble())) {
            session.screen().note(found(result) + "; read " + files(result) + time());
        }
        if (code != ExitCode.DONE || result.hasTrouble()) {
            return ExitCode.TROUBLE;
        }
        return result.differences().isEmpty() ? ExitCode.DONE : ExitCode.DIFFERENT;
    }

    private static String found(ManifestResult result) {
        StringBuilder text = new StringBuilder();
        if (!result.differences().isEmpty()) {
            text.append(Text.count(result.differenceCount(), "difference", "differences"))
                    .append(result.differences()
                            .entrySet()
                            .stream()
                            .map(kind -> kind.getKey().label() + " " + Text.count(kind.getValue()))
                            .collect(Collectors.joining(", ", " (", ")")));
        } else {
            text.append(result.hasTrouble() ? "check incomplete: no differences found" : "no differences");
        }
        if (result.unchecked() > 0) {
            text.append("; ").append(Text.count(result.unchecked(), "file", "files")).append(" could not be checked");
        }
        if (result.malformed() > 0) {
            text.append("; ").append(Text.count(result.malformed(), "line", "lines")).append(" could not be used");
        }
        return text.toString();
    }

    private static String files(ManifestResult result) {
        return Text.count(result.files(), "file", "files") + ", " + Text.count(result.bytes(), "byte", "bytes");
    }

    private String time() {
        return " in " + Text.tenths(session.nanos() / 1e9) + " s";
    }

    private void summarize(JsonLines json, ManifestResult result) {
        synchronized (json) {
            json.begin("summary");
            ProgressDisplay.fields(json, session.progress().snapshot(), session.nanos()).object("differences");
            result.differences().forEach((kind, count) -> json.number(kind.label(), count));
            json.endObject()
                    .number("unchecked", result.unchecked())
                    .number("malformed", result.malformed())
                    .flag("complete", result.isComplete())
                    .end();
        }
    }
}
