// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.FreeText;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.Question;
import org.treehaul.cli.report.TotalCount;
import org.treehaul.cli.transfer.RoomWatch;
import org.treehaul.cli.tree.ManifestFiles;
import org.treehaul.core.copy.CopyArguments;
import org.treehaul.core.copy.CopyLayout;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.TreeCopier;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.manifest.ManifestHash;
import org.treehaul.core.transfer.RoomAhead;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/** A copy by the threads of this process, or by ranks in it. */
record DirectCopy(CpInput input) {

    /**
     * The end of a copy.
     *
     * @param target the path of the first copy; empty if nothing was copied
     */
    private record Copied(ExitCode code, Optional<ByteString> target) {

        static Copied nothing() {
            return new Copied(ExitCode.TROUBLE, Optional.empty());
        }
    }

    /** Copies and returns the exit code. */
    int run(CopyOptions asked) throws InterruptedException {
        if (input.cp.asks() && input.ranks.areGiven()) {
            throw input.common.usage("-i cannot be combined with --ranks; use -n or -u to keep existing files");
        }
        CopyArguments arguments = input.arguments(input.operands);
        try (EventFiles files = input.files.open(input.common.line())) {
            return files.end(manifest(copy(arguments, asked)), input.common.screen()).code();
        }
    }

    // The checksums are those of what is there now: read from the copy, also if some entries failed.
    private ExitCode manifest(Copied copied) {
        Optional<ByteString> file = input.manifest();
        ExitCode code = copied.code();
        if (file.isEmpty() || copied.target().isEmpty() || code == ExitCode.TROUBLE || code == ExitCode.INTERRUPTED) {
            return code;
        }
        ExitCode written = new ManifestFiles(Linux.calls(), input.common,
                WalkOptions.defaults().withThreads(input.common.threads), Root.of(copied.target().get()))
                .write("--manifest", file.get(), ManifestHash.SHA256);
        return code == ExitCode.DONE ? written : code;
    }

    private Copied copy(CopyArguments arguments, CopyOptions asked) throws InterruptedException {
        FileSystemCalls calls = Linux.calls();
        try (Session session = Session.begin(input.common, input.printsEntries())) {
            EventListener listener = input.files.before(session, input.printsEntries());
            CopyLayout layout = CopyLayout.of(calls, arguments, asked, session.progress());
            if (input.manifest().isPresent() && layout.pairs().size() > 1) {
                throw new CopyRefusedException("--manifest is for one SOURCE; 'treehaul manifest -o FILE DIRECTORY' "
                        + "writes the checksums of everything in the directory");
            }
            CopyOptions adapted = layout.adapt(asked);
            CopyOptions options = input.cp.asks()
                    ? adapted.toBuilder().confirmation(new Question(session.screen())::mayOverwrite).build()
                    : adapted;
            Cancellation stop = Cancellation.of(session.cancellation());
            Optional<RoomWatch> room = watch(calls, layout, options, stop, listener);
            session.count(() -> count(calls, layout, options, room.orElse(null)));
            input.files.copies(layout.pairs());
            layout.report(listener);
            if (layout.pairs().isEmpty()) {
                session.end(session.problems().counts(), false);
                return Copied.nothing();
            }
            CopyResult result = TreeCopier.of(calls, options)
                    .withWalking(walk -> input.ranks.onTwoTrees(calls, walk))
                    .copy(layout.pairs(), listener, session.progress(), stop);
            if (options.dryRun() && room.isPresent()) {
                session.countAll();
            }
            Optional<String> refusal = options.dryRun() || !result.isComplete()
                    ? room.flatMap(RoomWatch::refusal)
                    : Optional.empty();
            ExitCode code = input.ranks.ended(end(session, options, result, refusal));
            if (code == ExitCode.INTERRUPTED && !options.dryRun() && !input.select.listsByStandardInput()) {
                session.screen()
                        .note("to copy the rest: treehaul cp "
                                + CopyRequests.display(continuation(options, layout.pairs())));
            }
            return new Copied(code, Optional.of(layout.pairs().getFirst().target()));
        } catch (CopyRefusedException e) {
            refuse(String.valueOf(e.getMessage()));
            return Copied.nothing();
        }
    }

    private void refuse(String reason) {
        input.common.screen().error(reason);
        input.files.onEvent(new Event.Notice(reason));
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

    // A shortage neither ends a dry run nor counts as an interruption by the user.
    private Optional<RoomWatch> watch(FileSystemCalls calls, CopyLayout layout, CopyOptions options, Cancellation stop,
            EventListener listener) {
        Cancellation copy = options.dryRun() ? new Cancellation() : stop;
        return input.batches.checksSpace()
                ? RoomAhead.of(calls, options, layout.pairs())
                        .map(room -> new RoomWatch(room, copy, text -> listener.onEvent(new Event.Notice(text))))
                : Optional.empty();
    }

    private static TotalCount count(FileSystemCalls calls, CopyLayout layout, CopyOptions options,
            @Nullable RoomWatch room) {
        List<Root> roots = layout.pairs().stream().map(CopyPair::source).toList();
        TotalCount.Work work = new TotalCount.Work(options.verify() == CopyOptions.Verify.NONE ? 1 : 2,
                options.sparse() != CopyOptions.When.NEVER, options.preserves(Preserve.LINKS));
        return new TotalCount(calls, options.walk(), roots, work, room);
    }

    private ExitCode end(Session session, CopyOptions options, CopyResult result, Optional<String> refusal) {
        session.summarize(result.counts(), result.isComplete());
        ExitCode code = session.end(session.problems().counts(), result.isComplete() && refusal.isEmpty());
        refusal.ifPresent(this::refuse);
        if (!input.common.json) {
            CopySummary summary = new CopySummary(result.counts(), session.nanos(), options.dryRun(), input.cp.verify(),
                    result.isComplete()
                            ? new CopySummary.Rest.None()
                            : new CopySummary.Rest.Of(session.totalEntries()));
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
