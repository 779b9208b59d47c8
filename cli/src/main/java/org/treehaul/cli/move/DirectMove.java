// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.move;

import java.io.UncheckedIOException;
import java.util.Objects;

import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.copy.EventFiles;
import org.treehaul.cli.report.Question;
import org.treehaul.cli.report.Text;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.move.MoveResult;
import org.treehaul.core.transfer.operation.Operation;

/** A move by the threads of this process. */
record DirectMove(MvInput input) {

    /** Moves and returns the exit code. */
    int run() {
        try (EventFiles files = input.files.open(input.common.line())) {
            return files.end(move(), input.common.screen()).code();
        }
    }

    private ExitCode move() {
        FileSystemCalls calls = Linux.calls();
        try (Session session = Session.begin(input.common, input.printsEntries())) {
            EventListener listener = input.files.before(session, input.printsEntries());
            CopyOptions asked = input.options();
            CopyOptions options = input.asks() && !input.isDryRun()
                    ? asked.toBuilder().confirmation(new Question(session.screen())::mayOverwrite).build()
                    : asked;
            MoveLayout layout = MoveLayout.of(calls, input, options, session, listener);
            if (layout.pairs().isEmpty()) {
                session.end(session.problems().counts(), false);
                return ExitCode.TROUBLE;
            }
            input.files.moves(layout.pairs());
            if (input.jobs.isPublished()) {
                // Everything that was copied, and not renamed, was read back.
                input.jobs.publish(session, input.common, new Operation.Move().name(), layout.pairs(), true);
            }
            MoveResult result = input.isDryRun()
                    ? layout.mover().preview(layout.pairs(), listener, session.progress(), session.cancellation())
                    : layout.mover().move(layout.pairs(), listener, session.progress(), session.cancellation());
            return input.ranks.ended(end(input, session, result));
        } catch (UncheckedIOException e) {
            input.common.screen().error(PrivateFiles.describe(Objects.requireNonNull(e.getCause())));
            return ExitCode.TROUBLE;
        } catch (CopyRefusedException e) {
            input.common.screen().error(String.valueOf(e.getMessage()));
            return ExitCode.TROUBLE;
        }
    }

    /** Prints the summary of a move that has ended, and returns the exit code. */
    static ExitCode end(MvInput input, Session session, MoveResult result) {
        session.summarize(result.counts(), result.isComplete());
        ExitCode code = session.end(session.problems().counts(), result.isComplete());
        if (!input.common.json && !input.common.isQuiet()) {
            long copied = result.counts().entries() - result.renamed();
            long failures = result.counts().failures();
            boolean isDry = input.isDryRun();
            session.screen()
                    .note((isDry ? "would rename " : "renamed ") + Text.count(result.renamed(), "source", "sources")
                            + (copied == 0
                                    ? ""
                                    : "; " + (isDry ? "would copy " : "copied ")
                                            + Text.count(copied, "entry", "entries") + ", "
                                            + Text.bytes(result.counts().bytes())
                                            + (isDry
                                                    ? ", and remove the source"
                                                    : ", and removed " + Text.count(result.removed())
                                                            + " from the source"))
                            + " in " + Text.tenths(session.nanos() / 1e9) + " s"
                            + (failures == 0 ? "" : "; " + Text.count(failures) + " failed"));
        }
        if (!result.isComplete() && !input.isDryRun()) {
            session.screen()
                    .note("each entry is at its source or complete at its destination; the same command moves the rest");
        }
        return code.ifAny(result.counts().entries());
    }
}
