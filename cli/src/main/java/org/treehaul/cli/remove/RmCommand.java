// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.remove;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;

import org.treehaul.cli.args.FreeText;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.RankOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.copy.BatchOptions;
import org.treehaul.cli.copy.CopyRequests;
import org.treehaul.cli.copy.EventFiles;
import org.treehaul.cli.copy.TransferOptions;
import org.treehaul.cli.copy.TransferRanks;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.ProgressDisplay;
import org.treehaul.cli.report.Text;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.remove.RemoveOptions;
import org.treehaul.core.remove.RemoveResult;
import org.treehaul.core.remove.TreeRemover;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul rm}: removes files and trees as GNU rm does, with many threads. */
public final class RmCommand implements Callable<Integer> {

    /** The options of GNU rm, among which abbreviations are unique. */
    public static final Set<String> OF_GNU_RM = Set.of("--force", "--recursive", "--one-file-system", "--verbose",
            "--help", "--version");

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final CommonOptions common = new CommonOptions(spec);
    private final EventFiles files = new EventFiles(spec,
            "Write the path of each entry that failed to FILE, ended by NUL. If FILE is named *.json or *.ndjson, write "
                    + "JSON objects with the cause instead.");
    private final TransferOptions jobs = new TransferOptions(spec);
    private final BatchOptions batches = new BatchOptions(spec);
    private final RankOptions ranks = new RankOptions(spec, common);
    private List<ByteString> operands = List.of();
    private boolean recursive;
    private boolean force;
    private boolean oneFileSystem;
    private boolean dryRun;

    /** Defines the command for Picocli. */
    public RmCommand() {
        spec.name("rm");
        spec.usageMessage()
                .header("Remove files and trees like GNU rm, with many threads.")
                .customSynopsis("treehaul rm [OPTION]... PATH...")
                .description(
                        "%nRemoves each PATH, and with -r directories with their contents. Removes symbolic links without "
                                + "following them. Never asks. Refuses '/', '.' and '..'. An entry that fails is reported and kept, "
                                + "with the directories above it, and the removal continues with the rest.%n")
                .footer("%nExamples:", "  treehaul rm -r /scratch/run7", "  treehaul rm -r --dry-run /scratch/run7",
                        "  treehaul rm -r --scheduler slurm --jobs 8 --wait /scratch/run7",
                        "  treehaul rm -r --ranks 4 --distribution random-split /scratch/run7",
                        "%nExit codes: 0 all removed, 2 nothing could be removed, 20 interrupted, 23 some entries failed, 24 "
                                + "some vanished.");
        spec.addPositional(Options.operands(ByteString.class, () -> operands, value -> operands = value)
                .paramLabel("PATH")
                .description("The files and directories to remove.")
                .build());
        spec.addOption(Options.flag(value -> recursive = value, "-r", "-R", "--recursive")
                .description("Remove directories with their contents.")
                .build());
        spec.addOption(Options.flag(value -> force = value, "-f", "--force")
                .description("Ignore paths that do not exist, and accept that no PATH is given.")
                .build());
        spec.addOption(Options.flag(value -> oneFileSystem = value, "-x", "--one-file-system")
                .description("Keep and report directories on another file system than the one above them.")
                .build());
        spec.addOption(Options.flag(value -> dryRun = value, "--dry-run")
                .description("Print what would be removed, and remove nothing.")
                .build());
    }

    @Override
    public Integer call() throws InterruptedException {
        common.check();
        if (operands.isEmpty()) {
            if (force) {
                return ExitCode.DONE.code();
            }
            throw common.usage("no path is given");
        }
        ranks.check();
        jobs.check(ranks.isProcess() ? TransferRanks.OPTIONS : Set.of());
        if (jobs.isTransfer() || ranks.isProcess()) {
            return asTransfer();
        }
        boolean printsEntries = dryRun || common.verbosity() > 0;
        RemoveOptions options = new RemoveOptions(recursive, force, oneFileSystem, dryRun,
                printsEntries || files.isLogged(), common.threads);
        files.open(common.line());
        try (Session session = Session.begin(common, printsEntries)) {
            EventListener listener = event -> {
                files.onEvent(event);
                if (printsEntries || !(event instanceof Event.Removed)) {
                    session.onEvent(event);
                }
            };
            session.progress().setBusy(() -> operands.stream().map(ByteString::toString).toList());
            RemoveResult result = TreeRemover.of(Linux.calls(), options)
                    .withWalking(walk -> ranks.walking(Linux.calls(), walk))
                    .remove(operands, listener, session.progress(), session.cancellation());
            return logged(ranks.ended(end(session, result)));
        } finally {
            files.close();
        }
    }

    private int asTransfer() throws InterruptedException {
        batches.check();
        TransferRanks.check(common, ranks, jobs);
        files.checkForJobs();
        if (dryRun || jobs.planInJob() || batches.batching().isStreaming()) {
            throw common.usage((dryRun ? "--dry-run" : jobs.planInJob() ? "--plan-in-job" : "--strategy streaming")
                    + " cannot be used for a removal by jobs or separate ranks, which is planned to its end before it "
                    + "begins");
        }
        RemoveOptions options = new RemoveOptions(recursive, force, oneFileSystem, false, false, common.threads);
        String title = "rm " + CopyRequests.display(FreeText.unshield(common.line()));
        RmJobs rm = new RmJobs(common, jobs, batches, ranks, title);
        return ranks.isProcess()
                ? new TransferRanks(common, ranks, jobs.stateDirectory(),
                        new RmRanks(rm, ranks.ranks(), operands, options)).run()
                : rm.run(operands, options).code();
    }

    private int logged(ExitCode code) {
        Optional<String> problem = files.end(code);
        problem.ifPresent(common.screen()::error);
        return problem.isPresent() ? ExitCode.TROUBLE.code() : code.code();
    }

    private ExitCode end(Session session, RemoveResult result) {
        Progress.Snapshot counts = result.counts();
        session.json().ifPresent(json -> summarize(json, counts, session.nanos(), result.isComplete()));
        ExitCode code = session.end(session.problems().counts(), result.isComplete());
        if (!common.json && (code != ExitCode.DONE || common.verbosity() > 0)) {
            session.screen()
                    .note((dryRun ? "would remove " : "removed ") + Text.count(counts.entries(), "entry", "entries")
                            + " in " + Text.tenths(session.nanos() / 1e9) + " s");
        }
        boolean isPartial = code == ExitCode.PARTIAL || code == ExitCode.UNSETTLED;
        return isPartial && counts.entries() == 0 ? ExitCode.TROUBLE : code;
    }

    private static void summarize(JsonLines json, Progress.Snapshot counts, long nanos, boolean isComplete) {
        synchronized (json) {
            json.begin("summary");
            ProgressDisplay.fields(json, counts, nanos).flag("complete", isComplete).end();
        }
    }
}
