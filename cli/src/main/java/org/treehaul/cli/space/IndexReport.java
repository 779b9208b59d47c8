// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.space;

import java.util.Map;
import java.util.stream.Collectors;

import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Text;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.tuplespace.files.index.IndexResult;
import org.treehaul.tuplespace.files.index.TreeLoss;

/**
 * The result of a run of {@code index} for users.
 *
 * @param isLossAccepted whether many missing entries are removed from the index
 */
record IndexReport(Session session, IndexResult result, boolean isLossAccepted) {

    /**
     * Ends the session and returns the exit code.
     *
     * @param isQuiet whether success is not reported
     */
    ExitCode print(boolean isQuiet) {
        Map<EntryFailure.Kind, Long> failures = session.problems().counts();
        session.json().ifPresent(this::json);
        ExitCode code = session.end(failures, result.isComplete());
        if (result.entries() == 0 && code != ExitCode.DONE) {
            return code == ExitCode.PARTIAL || code == ExitCode.UNSETTLED ? ExitCode.TROUBLE : code;
        }
        if (!result.losses().isEmpty() && !isLossAccepted) {
            result.losses().forEach(loss -> session.screen().error(explain(loss)));
            return ExitCode.DELETE_LIMIT;
        }
        if (session.json().isEmpty() && (code != ExitCode.DONE || !isQuiet)) {
            session.screen().note(result.isComplete() ? summary() : "stopped; the index is unchanged");
        }
        return code;
    }

    private static String explain(TreeLoss loss) {
        return loss.root() + ": " + Text.count(loss.missing()) + " of " + Text.count(loss.known())
                + " indexed entries are no longer listed. A file system that is partly down, or that "
                + "is not mounted, may list too little without an error. The index is unchanged; if the entries are gone, use "
                + "--accept-loss";
    }

    private String summary() {
        return Text.count(result.entries(), "entry", "entries") + " of "
                + result.roots().stream().map(ByteString::toString).collect(Collectors.joining(", ")) + ": "
                + Text.count(result.added()) + " new, " + Text.count(result.changed()) + " changed, "
                + Text.count(result.removed()) + " gone, in " + Text.tenths(session.nanos() / 1e9) + " s"
                + (session.problems().total() == 0 ? "" : "; " + Text.count(session.problems().total()) + " failed");
    }

    private void json(JsonLines json) {
        synchronized (json) {
            for (TreeLoss loss : result.losses()) {
                json.begin("loss")
                        .path("root", loss.root())
                        .number("known", loss.known())
                        .number("missing", loss.missing())
                        .end();
            }
            json.begin("summary")
                    .number("generation", result.generation())
                    .number("entries", result.entries())
                    .number("added", result.added())
                    .number("changed", result.changed())
                    .number("removed", result.removed())
                    .number("failures", session.problems().total())
                    .number("milliseconds", session.nanos() / 1_000_000)
                    .flag("complete", result.isComplete() && (isLossAccepted || result.losses().isEmpty()))
                    .end();
        }
    }
}
