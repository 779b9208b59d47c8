// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.entries;

import java.util.List;

import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.copy.EventFiles;
import org.treehaul.cli.report.Text;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.EventListener;

/** The work of a command by the threads of this process, or by ranks in it. */
record DirectRun(EntryInput input, EntryTask task) {

    /** Does the work and returns the exit code. */
    int run() {
        try (EventFiles files = input.files.open(input.common.line())) {
            return files.end(perform(), input.common.screen()).code();
        }
    }

    private ExitCode perform() {
        try (Session session = Session.begin(input.common, input.isPrinting())) {
            if (input.isSilent()) {
                session.silence();
            }
            EventListener listener = input.files.before(session, input.printsEntries());
            session.progress().setBusy(() -> input.operands().stream().map(ByteString::toString).toList());
            if (input.jobs.isPublished()) {
                input.jobs.publish(session, input.common, task.operation().name(), input.operands(), List.of(), false);
            }
            EntryTask.Outcome outcome = task.perform(listener, session);
            return input.ranks.ended(end(session, outcome));
        }
    }

    private ExitCode end(Session session, EntryTask.Outcome outcome) {
        if (outcome.isComplete() && !input.isDryRun()) {
            input.files.listIsDone();
        }
        session.summarize(outcome.counts(), outcome.isComplete());
        ExitCode code = session.end(session.problems().counts(), outcome.isComplete());
        long entries = outcome.counts().entries();
        long skipped = outcome.counts().skipped();
        if (!input.common.json && !input.isSilent() && (code != ExitCode.DONE || !input.common.isQuiet())) {
            double seconds = session.nanos() / 1e9;
            long failures = outcome.counts().failures();
            session.screen()
                    .note((input.isDryRun() ? "would " + input.verb() : task.participle()) + " "
                            + Text.count(entries, "entry", "entries") + " in " + Text.tenths(seconds) + " s"
                            + (seconds < 0.1 || entries + skipped == 0
                                    ? ""
                                    : ", " + Text.count(Math.round((entries + skipped) / seconds)) + " entries/s")
                            + (skipped == 0 ? "" : "; " + Text.count(skipped) + " needed no change")
                            + (failures == 0 ? "" : "; " + Text.count(failures) + " failed"));
        }
        return code.ifAny(entries + skipped);
    }
}
