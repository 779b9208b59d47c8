// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.util.ArrayList;
import java.util.List;

import org.treehaul.cli.args.FreeText;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.Question;
import org.treehaul.cli.report.TotalCount;
import org.treehaul.core.copy.CopyArguments;
import org.treehaul.core.copy.CopyLayout;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.TreeCopier;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/** A copy by the threads of this process, or by ranks in it. */
record DirectCopy(CpInput input) {

    /** Copies and returns the exit code. */
    int run(CopyOptions asked) {
        if (input.cp.asks() && input.ranks.areGiven()) {
            throw input.common.usage("-i cannot be combined with --ranks; use -n or -u to keep existing files");
        }
        CopyArguments arguments = input.arguments(input.operands);
        try (EventFiles files = input.files.open(input.common.line())) {
            return files.end(copy(arguments, asked), input.common.screen()).code();
        }
    }

    private ExitCode copy(CopyArguments arguments, CopyOptions asked) {
        FileSystemCalls calls = Linux.calls();
        try (Session session = Session.begin(input.common, input.printsEntries())) {
            EventListener listener = input.files.before(session, input.printsEntries());
            CopyLayout layout = CopyLayout.of(calls, arguments, asked, session.progress());
            CopyOptions adapted = layout.adapt(asked);
            CopyOptions options = input.cp.asks()
                    ? adapted.toBuilder().confirmation(new Question(session.screen())::mayOverwrite).build()
                    : adapted;
            session.count(() -> count(calls, layout, options));
            input.files.copies(layout.pairs());
            layout.report(listener);
            if (layout.pairs().isEmpty()) {
                session.end(session.problems().counts(), false);
                return ExitCode.TROUBLE;
            }
            CopyResult result = TreeCopier.of(calls, options)
                    .withWalking(walk -> input.ranks.onTwoTrees(calls, walk))
                    .copy(layout.pairs(), listener, session.progress(), session.cancellation());
            ExitCode code = input.ranks.ended(end(session, options, result));
            if (code == ExitCode.INTERRUPTED && !options.dryRun() && !input.select.listsByStandardInput()) {
                session.screen()
                        .note("to copy the rest: treehaul cp "
                                + CopyRequests.display(continuation(options, layout.pairs())));
            }
            return code;
        } catch (CopyRefusedException e) {
            input.common.screen().error(String.valueOf(e.getMessage()));
            input.files.onEvent(new Event.Notice(String.valueOf(e.getMessage())));
            return ExitCode.TROUBLE;
        }
    }

    // Now that the destination exists, the same command would copy into it. Files that are complete are not copied again;
    // in place, a file may be incomplete under its final name.
    private List<String> continuation(CopyOptions options, List<CopyPair> pairs) {
        List<String> line = new ArrayList<>();
        boolean isItself = pairs.size() == 1 && input.operands.size() == 2
                && pairs.getFirst().target().equals(input.operands.getLast());
        if (isItself && !input.cp.noTargetDirectory) {
            line.add("-T");
        }
        if (options.existing() == CopyOptions.Existing.REPLACE && !options.inPlace()) {
            line.add("-u");
        }
        line.addAll(FreeText.unshield(input.common.line()));
        return line;
    }

    private static TotalCount count(FileSystemCalls calls, CopyLayout layout, CopyOptions options) {
        WalkOptions walk = WalkOptions.defaults()
                .withSymlinks(options.symlinks())
                .withOneFileSystem(options.oneFileSystem())
                .withFilter(options.filter())
                .withWhere(options.where());
        List<Root> roots = layout.pairs().stream().map(CopyPair::source).toList();
        boolean skipsHoles = options.sparse() != CopyOptions.When.NEVER;
        return new TotalCount(calls, walk, roots, options.verify() == CopyOptions.Verify.NONE ? 1 : 2, skipsHoles);
    }

    private ExitCode end(Session session, CopyOptions options, CopyResult result) {
        session.summarize(result.counts(), result.isComplete());
        ExitCode code = session.end(session.problems().counts(), result.isComplete());
        if (!input.common.json) {
            CopySummary summary = new CopySummary(result.counts(), session.nanos(), options.dryRun(),
                    input.cp.verify());
            if (!input.common.isQuiet() || code != ExitCode.DONE) {
                session.screen().note(summary.line());
            }
            if (input.printsStatistics()) {
                summary.statistics().forEach(session.screen()::note);
            }
        }
        return code;
    }
}
