// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.RankOptions;
import org.treehaul.cli.common.SelectOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.ProgressDisplay;
import org.treehaul.cli.report.TotalCount;
import org.treehaul.cli.transfer.BandwidthNotice;
import org.treehaul.core.copy.CopyArguments;
import org.treehaul.core.copy.CopyLayout;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.TreeCopier;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** {@code treehaul cp}: copies files and trees as GNU cp does, with many threads. */
public final class CpCommand implements Callable<Integer> {

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    public final CpOptions cp = new CpOptions(spec);
    public final SelectOptions select = new SelectOptions(spec);
    final TransferOptions transfer = new TransferOptions(spec);
    final BatchOptions batches = new BatchOptions(spec);
    final CommonOptions common = new CommonOptions(spec);
    final EventFiles files = new EventFiles(spec);
    final RankOptions ranks = new RankOptions(spec, common);
    List<ByteString> operands = List.of();
    private @Nullable ByteString plan;
    private boolean statistics;

    /** Defines the command for Picocli. */
    public CpCommand() {
        spec.name("cp");
        spec.usageMessage()
                .header("Copy files and trees like GNU cp, with many threads.")
                .customSynopsis("treehaul cp [OPTION]... [-T] SOURCE DEST",
                        "       treehaul cp [OPTION]... SOURCE... DIRECTORY",
                        "       treehaul cp [OPTION]... -t DIRECTORY SOURCE...",
                        "       treehaul cp --scheduler NAME [OPTION]... --plan DIR")
                .description(
                        "%nCopies SOURCE to DEST, or several SOURCEs into a directory. A file under its final name is "
                                + "complete. An entry that fails is reported, and the copy continues with the rest.%n")
                .footer("%nExamples:", "  treehaul cp -a --verify /data/run7 /archive/",
                        "  treehaul cp -a --exclude .snapshot --threads 32 /home/ann /home/ben /backup",
                        "  treehaul cp -a --ranks 4 --distribution random-split /data/run7 /archive/",
                        "  find . -newer last -print0 | treehaul cp -a -0 --files-from - . /backup/today",
                        "%nExit codes: 0 all copied, 2 nothing could be copied, 20 interrupted, 23 some entries failed, 24 some "
                                + "vanished or changed.");
        spec.addOption(Options.value(ByteString.class, value -> plan = value, "--plan")
                .paramLabel("DIR")
                .description(
                        "Carry out the plan in DIR, which 'treehaul plan' wrote, with its sources, destination and options.")
                .build());
        common.addQuiet();
        spec.addOption(Options.flag(value -> statistics = value, "--stats")
                .description("Print the numbers of files, directories, other entries and bytes at the end.")
                .build());
        spec.addPositional(Options.operands(ByteString.class, () -> operands, value -> operands = value)
                .paramLabel("PATH")
                .description("Sources, then the destination.")
                .hidden(true)
                .build());
    }

    @Override
    public Integer call() throws Exception {
        common.check();
        ranks.check();
        transfer.check(ranks.isProcess() ? TransferRanks.OPTIONS : Set.of());
        CopyOptions asked = options();
        BandwidthNotice.of(asked.bandwidth()).ifPresent(common.screen()::note);
        if (transfer.isTransfer() || ranks.isProcess()) {
            if (plan != null) {
                checkPlanned();
            }
            batches.check();
            checkRanks();
            cp.checkForJobs();
            files.checkForJobs();
            if (asked.dryRun()) {
                throw common.usage(
                        "--dry-run cannot be combined with jobs; 'treehaul plan' and 'treehaul show' show what they would do");
            }
            return ranks.isProcess()
                    ? new TransferRanks(common, ranks, transfer.stateDirectory(), new CopyRanks(this)).run()
                    : new CopyJobs(this).run().code();
        }
        if (cp.asks() && ranks.areGiven()) {
            throw common.usage("-i cannot be combined with --ranks; use -n or -u to keep existing files");
        }
        FileSystemCalls calls = Linux.calls();
        CopyArguments arguments = cp.arguments(operands, select);
        files.open(line());
        try (Session session = Session.begin(common, printsEntries())) {
            EventListener listener = event -> {
                files.onEvent(event);
                if (printsEntries() || !(event instanceof Event.Done)) {
                    session.onEvent(event);
                }
            };
            // The mount of an operand may hang on the first access.
            session.progress().setBusy(() -> operands.stream().map(ByteString::toString).toList());
            CopyLayout layout = CopyLayout.of(calls, arguments, asked);
            CopyOptions adapted = layout.adapt(asked);
            CopyOptions options = cp.asks()
                    ? adapted.toBuilder().confirmation(new Question(session.screen())::mayOverwrite).build()
                    : adapted;
            session.count(() -> count(calls, layout, options));
            files.copies(layout.pairs());
            layout.notices().forEach(notice -> listener.onEvent(new Event.Notice(notice)));
            layout.failures().forEach(failure -> listener.onEvent(new Event.Failed(failure)));
            if (layout.pairs().isEmpty()) {
                session.end(session.problems().counts(), false);
                return logged(ExitCode.TROUBLE);
            }
            CopyResult result = TreeCopier.of(calls, options)
                    .withWalking(walk -> ranks.onTwoTrees(calls, walk))
                    .copy(layout.pairs(), listener, session.progress(), session.cancellation());
            return logged(ranks.ended(end(session, options, result)));
        } catch (CopyRefusedException e) {
            common.screen().error(String.valueOf(e.getMessage()));
            files.onEvent(new Event.Notice(String.valueOf(e.getMessage())));
            return logged(ExitCode.TROUBLE);
        } finally {
            files.close();
        }
    }

    private int logged(ExitCode code) {
        Optional<String> problem = files.end(code);
        problem.ifPresent(common.screen()::error);
        return problem.isPresent() ? ExitCode.TROUBLE.code() : code.code();
    }

    private boolean printsEntries() {
        return cp.dryRun || common.verbosity() > 0;
    }

    private void checkRanks() {
        TransferRanks.check(common, ranks, transfer);
        if (ranks.areGiven() && batches.batching().isStreaming() && plan == null) {
            throw common.usage("--strategy streaming cannot be combined with --ranks, which need a complete plan");
        }
    }

    /** Returns how many workers process a transfer at the same time. */
    int workers() {
        return ranks.areGiven() ? ranks.ranks() : transfer.jobs();
    }

    // Options that are part of a plan cannot be given again.
    private void checkPlanned() {
        if (!operands.isEmpty()) {
            throw common.usage("--plan contains the sources and the destination; '" + operands.getFirst()
                    + "' is one argument too many");
        }
        Set<String> ofJobs = TransferOptions.namesBesidePlan();
        spec.commandLine()
                .getParseResult()
                .matchedOptions()
                .stream()
                .map(OptionSpec::longestName)
                .filter(name -> !ofJobs.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw common.usage(name + " cannot be combined with --plan, which says how to copy; give it to "
                            + "'treehaul plan'");
                });
    }

    /** Returns the plan to carry out, if it was made before. */
    Optional<Path> planAhead() {
        return Optional.ofNullable(plan).map(path -> PlanPath.of(spec, path));
    }

    public CopyOptions options() {
        return cp.options(select, common, printsEntries() || files.isLogged());
    }

    /** Returns the user's arguments after the name of the command. */
    List<String> line() {
        return common.line();
    }

    private static TotalCount count(FileSystemCalls calls, CopyLayout layout, CopyOptions options) {
        WalkOptions walk = WalkOptions.defaults()
                .withSymlinks(options.symlinks())
                .withOneFileSystem(options.oneFileSystem())
                .withFilter(options.filter());
        List<Root> roots = layout.pairs().stream().map(CopyPair::source).toList();
        // A rehearsal counts whole sizes as done, and a copy without holes writes them.
        boolean skipsHoles = !options.dryRun() && options.sparse() != CopyOptions.When.NEVER;
        return new TotalCount(calls, walk, roots, options.verify() == CopyOptions.Verify.NONE ? 1 : 2, skipsHoles);
    }

    private ExitCode end(Session session, CopyOptions options, CopyResult result) {
        Progress.Snapshot counts = result.counts();
        session.json().ifPresent(json -> summarize(json, counts, session.nanos(), result.isComplete()));
        ExitCode code = session.end(session.problems().counts(), result.isComplete());
        if (!common.json) {
            CopySummary summary = new CopySummary(counts, session.nanos(), options.dryRun(), cp.verify());
            if (!common.isQuiet() || code != ExitCode.DONE) {
                session.screen().note(summary.line());
            }
            if (statistics) {
                summary.statistics().forEach(session.screen()::note);
            }
        }
        return code;
    }

    private static void summarize(JsonLines json, Progress.Snapshot counts, long nanos, boolean isComplete) {
        synchronized (json) {
            json.begin("summary");
            ProgressDisplay.fields(json, counts, nanos).flag("complete", isComplete).end();
        }
    }
}
