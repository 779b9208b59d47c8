// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

import org.treehaul.cli.args.FreeText;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.Question;
import org.treehaul.cli.staged.StagedCopy;
import org.treehaul.cli.staged.StagedPaths;
import org.treehaul.cli.tree.ManifestFiles;
import org.treehaul.core.copy.CopyArguments;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.copy.plain.PlainCopy;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.manifest.ManifestHash;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.tuplespace.store.SpaceException;

/** A copy by the threads of this process, or by ranks in it. */
record DirectCopy(CpInput input) {

    /** A copy into a stage, out of one, or between two. */
    static final class OfStage {

        // The long names of the options that such a copy takes; it refuses all others.
        static final Set<String> OPTIONS = Set.of("--archive", "--recursive", "-u", "-p", "-d", "--dereference",
                "--no-dereference", "-H", "--preserve", "--no-preserve", "--target-directory", "--no-target-directory",
                "--strip-trailing-slashes", "--force", "--no-clobber", "--update", "--verify", "--dry-run", "--fsync",
                "--reflink", "--sparse", "--bandwidth", "--where", "--exclude", "--include", "--exclude-from",
                "--space", "--secret-file", "--tls", "--copies", "--threads", "--json", "--progress",
                "--progress-interval", "--color", "--verbose", "--quiet", "--metrics", "--stats", "--errors",
                "--log-file", "--on-complete", "--preset", "--no-space-check");

        private OfStage() {}

        /** Returns whether such a copy takes an option with a value. */
        static boolean takes(String option, String value) {
            return switch (option) {
                case "--reflink" -> !value.equals("always");
                case "--preserve" -> keeps(value);
                default -> OPTIONS.contains(option);
            };
        }

        private static boolean keeps(String list) {
            PreserveWords words = new PreserveWords();
            try {
                words.add(list);
            } catch (IllegalArgumentException e) {
                // The copy reports the word that is unknown.
                return true;
            }
            return words.beyondStages().isEmpty();
        }

        static int run(CpInput input) {
            input.givenBesides(OPTIONS).ifPresent(name -> {
                throw input.common.usage(
                        name + " cannot be combined with a stage; leave it out, or copy to a " + "directory first");
            });
            CopyOptions asked = input.options();
            if (asked.reflink() == CopyOptions.When.ALWAYS) {
                throw input.common.usage("--reflink=always cannot be combined with a stage, whose files share no data");
            }
            if (asked.recursive() && asked.symlinks() == Symlinks.ALWAYS) {
                throw input.common
                        .usage("-r with -L cannot be combined with a stage; leave -L out to copy symbolic links");
            }
            input.cp.preservedBeyondStages().ifPresent(what -> {
                throw input.common.usage("--preserve=" + what.name().toLowerCase(Locale.ROOT)
                        + " cannot be combined with a stage, which keeps mode, ownership and timestamps");
            });
            try (EventFiles files = input.files.open(input.common.line())) {
                return files.end(copy(input, asked), input.common.screen()).code();
            }
        }

        private static ExitCode copy(CpInput input, CopyOptions asked) {
            DirectCopy direct = new DirectCopy(input);
            try (Session session = Session.begin(input.common, input.printsEntries());
                    StagedPaths stages = input.stages()) {
                EventListener listener = input.files.before(session, input.printsEntries());
                try {
                    StagedCopy copy = StagedCopy.of(stages, input.arguments(input.operands), asked);
                    input.files.copies(copy.pairs(), copy.unplaced());
                    CopyResult result = copy.copy(listener, session.progress(), session.cancellation());
                    if (!copy.pairs().isEmpty()) {
                        return direct.end(session, asked, result, Optional.empty());
                    }
                } catch (CopyRefusedException | StageException e) {
                    direct.refuse(String.valueOf(e.getMessage()));
                } catch (SpaceException e) {
                    direct.refuse(stages.explain(e));
                }
                session.end(session.problems().counts(), false);
                return ExitCode.TROUBLE;
            }
        }
    }

    /** Copies and returns the exit code. */
    int run(CopyOptions asked) throws InterruptedException {
        if (input.cp.asks() && input.ranks.areGiven()) {
            throw input.common.usage("-i cannot be combined with --ranks; use -n or -u to keep existing files");
        }
        CopyArguments arguments = input.arguments(input.operands);
        input.files.readsList(input.select.filesFrom);
        try (EventFiles files = input.files.open(input.common.line())) {
            return files.end(copy(arguments, asked), input.common.screen()).code();
        }
    }

    private ExitCode copy(CopyArguments arguments, CopyOptions asked) throws InterruptedException {
        ExitCode code;
        ByteString target;
        try (Session session = Session.begin(input.common, input.printsEntries())) {
            EventListener listener = input.files.before(session, input.printsEntries());
            CopyOptions options = input.cp.asks()
                    ? asked.toBuilder().confirmation(new Question(session.screen())::mayOverwrite).build()
                    : asked;
            PlainCopy copy = PlainCopy.of(Linux.calls(), arguments, options, listener, session.progress(),
                    session.cancellation());
            List<CopyPair> pairs = copy.layout().pairs();
            if (input.manifest().isPresent() && pairs.size() > 1) {
                throw new CopyRefusedException("--manifest is for one SOURCE; 'treehaul manifest -o FILE DIRECTORY' "
                        + "writes the checksums of everything in the directory");
            }
            if (pairs.isEmpty()) {
                copy.layout().report(listener);
                session.end(session.problems().counts(), false);
                return ExitCode.TROUBLE;
            }
            target = pairs.getFirst().target();
            code = copied(copy, session);
        } catch (CopyRefusedException e) {
            refuse(String.valueOf(e.getMessage()));
            return ExitCode.TROUBLE;
        }
        return manifest(code, target);
    }

    private ExitCode copied(PlainCopy copy, Session session) throws InterruptedException {
        if (input.batches.checksSpace()) {
            copy.checkSpace();
        }
        List<CopyPair> pairs = copy.layout().pairs();
        CopyOptions options = copy.options();
        session.count(copy::count);
        input.files.copies(pairs, copy.layout().unplaced().size());
        if (input.transfer.isPublished()) {
            input.transfer.publish(session, input.common, new Operation.Copy().name(), pairs,
                    options.verify() != CopyOptions.Verify.NONE);
        }
        CopyResult result = copy.copy(walk -> input.ranks.onTwoTrees(Linux.calls(), walk));
        if (result.isComplete() && !options.dryRun()) {
            input.files.listIsDone();
        }
        if (options.dryRun() && copy.isSpaceChecked()) {
            session.countAll();
        }
        ExitCode code = input.ranks.ended(end(session, options, result, copy.refusal(result)));
        if (code == ExitCode.INTERRUPTED && !options.dryRun() && !input.select.listsByStandardInput()) {
            session.screen()
                    .note("to copy the rest: treehaul cp " + CopyRequests.display(continuation(options, pairs)));
        }
        return code;
    }

    // The checksums are those of what is there now: read from the copy, also if some entries failed.
    private ExitCode manifest(ExitCode code, ByteString target) {
        Optional<ByteString> file = input.manifest();
        if (file.isEmpty() || code == ExitCode.TROUBLE || code == ExitCode.INTERRUPTED) {
            return code;
        }
        ExitCode written = new ManifestFiles(Linux.calls(), input.common,
                WalkOptions.defaults().withThreads(input.common.threads), Root.of(target))
                .write("--manifest", file.get(), ManifestHash.SHA256);
        return code == ExitCode.DONE ? written : code;
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
                && UserPath.stripSlashes(pairs.getFirst().target())
                        .equals(UserPath.stripSlashes(input.operands.getLast()));
        if (isItself && !input.cp.noTargetDirectory) {
            line.add("-T");
        }
        if (options.existing() == CopyOptions.Existing.REPLACE && !options.inPlace()) {
            line.add("-u");
        }
        line.addAll(FreeText.unshield(input.common.line()));
        return line;
    }

    // A shortage does not count as an interruption by the user.
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
