// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.Text;
import org.treehaul.core.plan.PlanSummary;

/** The result of planning for users. */
record PlannedReport(Session session, PlanSummary summary) {

    /** Ends the session and returns the exit code. */
    ExitCode print() {
        session.json().ifPresent(json -> {
            synchronized (json) {
                json.begin("summary")
                        .number("batches", summary.batches())
                        .number("entries", summary.totals().entries())
                        .number("files", summary.totals().files())
                        .number("bytes", summary.totals().bytes())
                        .number("data", summary.totals().data())
                        .number("directories", summary.totals().directories())
                        .number("failures", summary.totals().failures())
                        .number("milliseconds", session.nanos() / 1_000_000)
                        .flag("complete", summary.isComplete())
                        .end();
            }
        });
        ExitCode code = session.end(session.problems().counts(), summary.isComplete());
        if (session.json().isEmpty() && summary.isComplete()) {
            session.screen()
                    .note("planned " + Text.count(summary.totals().files(), "file", "files") + ", "
                            + Text.bytes(summary.totals().bytes()) + " in "
                            + Text.count(summary.batches(), "batch", "batches") + " in "
                            + Text.tenths(session.nanos() / 1e9) + " s");
        }
        return code;
    }
}
