// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.tree;

import java.util.Locale;

import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Text;
import org.treehaul.strategies.ranks.simulation.Prediction;

/** Prints the predictions of {@code treehaul simulate}, as lines of a table or as JSON. */
final class PredictionReport {

    private final Session session;

    /** Creates a report and prints the head of the table. */
    PredictionReport(Session session) {
        this.session = session;
        if (session.json().isEmpty()) {
            session.output()
                    .line("processes  distribution        seconds  of that after work      messages"
                            + "         bytes  busy %  share of a rank, of the mean");
        }
    }

    /** Prints the prediction for a number of processes. */
    void print(int processes, Prediction p) {
        if (session.json().isPresent()) {
            JsonLines json = session.json().get();
            synchronized (json) {
                json.begin("prediction")
                        .text("distribution", p.distribution())
                        .number("processes", processes)
                        .number("ranks", p.ranks())
                        .number("threads", p.threads())
                        .number("entries", p.entries())
                        .number("microseconds", Math.round(p.seconds() * 1e6))
                        .number("work_microseconds", Math.round(p.workSeconds() * 1e6))
                        .number("messages", p.messages())
                        .number("bytes", p.bytes())
                        .number("work_messages", p.workMessages())
                        .number("work_bytes", p.workBytes())
                        .number("busy_per_mille", Math.round(p.busy() * 1000))
                        .number("largest_share_per_mille", Math.round(p.largestShare() * 1000))
                        .number("smallest_share_per_mille", Math.round(p.smallestShare() * 1000))
                        .number("events", p.events())
                        .end();
                json.flush();
            }
            return;
        }
        session.output()
                .line(String.format(Locale.ROOT, "%9d  %-16s  %9.3f  %18.3f  %12s  %12s  %6.1f  %.2f to %.2f",
                        processes, p.distribution(), p.seconds(), p.seconds() - p.workSeconds(),
                        Text.count(p.messages()), Text.bytes(p.bytes()), p.busy() * 100, p.smallestShare(),
                        p.largestShare()));
        session.output().flush();
    }
}
