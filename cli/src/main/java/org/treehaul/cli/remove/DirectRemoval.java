// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.remove;

import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.copy.EventFiles;
import org.treehaul.cli.report.Question;
import org.treehaul.cli.report.Text;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.remove.RemoveResult;
import org.treehaul.core.remove.TreeRemover;

/** A removal by the threads of this process, or by ranks in it. */
record DirectRemoval(RmInput input) {

    /** Removes and returns the exit code. */
    int run() {
        try (EventFiles files = input.files.open(input.common.line())) {
            return files.end(remove(), input.common.screen()).code();
        }
    }

    private ExitCode remove() {
        try (Session session = Session.begin(input.common, input.printsEntries())) {
            EventListener listener = input.files.before(session, input.printsEntries());
            session.progress().setBusy(() -> input.operands.stream().map(ByteString::toString).toList());
            TreeRemover remover = TreeRemover.of(Linux.calls(), input.options())
                    .withWalking(walk -> input.ranks.walking(Linux.calls(), walk));
            if (input.safety.asksAlways()) {
                remover = remover.withQuestion(Safety.before(new Question(session.screen())));
            }
            RemoveResult result = remover.remove(input.operands, listener, session.progress(), session.cancellation());
            return input.ranks.ended(end(session, result));
        }
    }

    private ExitCode end(Session session, RemoveResult result) {
        session.summarize(result.counts(), result.isComplete());
        ExitCode code = session.end(session.problems().counts(), result.isComplete());
        long entries = result.counts().entries();
        if (!input.common.json && (code != ExitCode.DONE || !input.common.isQuiet())) {
            double seconds = session.nanos() / 1e9;
            long failures = result.counts().failures();
            session.screen()
                    .note((input.isDryRun() ? "would remove " : "removed ") + Text.count(entries, "entry", "entries")
                            + " in " + Text.tenths(seconds) + " s"
                            + (seconds < 0.1 ? "" : ", " + Text.count(Math.round(entries / seconds)) + " entries/s")
                            + (failures == 0 ? "" : "; " + Text.count(failures) + " failed"));
        }
        return code.ifAny(entries);
    }
}
