// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.sync;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Abbreviations;
import org.treehaul.cli.args.ByteSize;
import org.treehaul.cli.args.FreeText;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.Conditions;
import org.treehaul.cli.common.RankOptions;
import org.treehaul.cli.common.RemotePaths;
import org.treehaul.cli.common.SelectOptions;
import org.treehaul.cli.copy.BatchOptions;
import org.treehaul.cli.copy.CopyRequests;
import org.treehaul.cli.copy.EventFiles;
import org.treehaul.cli.copy.TransferOptions;
import org.treehaul.cli.copy.TransferRanks;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.PlanRequest;
import org.treehaul.core.plan.spool.ScratchDirectory;
import org.treehaul.core.sync.SyncOptions;
import org.treehaul.core.sync.TreeSync;
import org.treehaul.core.transfer.request.CopyRequest;
import org.treehaul.schedulers.batch.SyncRequest;
import picocli.CommandLine.Model.CommandSpec;

/** The options and operands of {@code treehaul sync}. */
final class SyncInput {

    /** When entries are removed, by the words of {@code --delete}. */
    enum When {
        before,
        after,
        delay
    }

    final CommonOptions common;
    final EventFiles files;
    private final SelectOptions select;
    private final Conditions conditions;
    final TransferOptions transfer;
    final RankOptions ranks;
    private final BatchOptions batches;
    private List<ByteString> operands = List.of();
    private SyncOptions.Check check = SyncOptions.Check.SIZE_AND_TIME;
    private @Nullable When when;
    private long mostRemovals = SyncOptions.NO_LIMIT;
    private double window;
    private boolean isForced;
    private boolean detectsRenames;
    private boolean isDryRun;
    private boolean isItemized;
    private boolean syncs;
    private @Nullable ByteSize bandwidth;
    private boolean isDirect;
    private @Nullable ByteString backup;
    private final List<ByteString> linked = new ArrayList<>();
    private final List<ByteString> compared = new ArrayList<>();

    /** Adds the options to a command. */
    SyncInput(CommandSpec spec) {
        select = new SelectOptions(spec);
        conditions = new Conditions(spec);
        common = new CommonOptions(spec, "--help");
        files = new EventFiles(spec);
        transfer = new TransferOptions(spec,
                "Keep the state of transfers, and which file system the source of each destination is on, in DIR.");
        batches = new BatchOptions(spec);
        // The comparison is complete before anything is copied, and what is copied mostly replaces something.
        Options.hide(spec, "--plan-in-job", "--no-space-check");
        ranks = new RankOptions(spec, common);
        common.addQuiet();
        common.addMetrics();
        Options.add(spec, Options.operands(ByteString.class, () -> operands, value -> operands = value).hidden(true),
                "PATH", "The source, then the destination.");
        addChecks(spec);
        addRemovals(spec);
        addEarlier(spec);
        Options.add(spec, Options.flag(value -> isDryRun = value, "-n", "--dry-run"),
                "Print what would be changed, and change nothing.");
        Options.add(spec, Options.flag(value -> isItemized = value, "-i", "--itemize"),
                "Print a line for each change, as rsync does.");
        Options.add(spec, Options.flag(value -> isItemized = value, "--itemize-changes").hidden(true),
                "The same as --itemize.");
        Options.add(spec, Options.flag(value -> {
        }, "-a", "-H", "-A", "-X", "--archive"), "Accepted as by rsync: all attributes and links are always kept.");
        // A sync always does what these ask rsync to do.
        Options.add(spec, Options.flag(value -> {
        }, "-r", "-l", "-p", "-t", "-g", "-o", "-D", "-W", "-h", "--recursive", "--links", "--perms", "--times",
                "--group", "--owner", "--devices", "--specials", "--whole-file", "--numeric-ids", "--human-readable")
                .hidden(true), "Accepted as by rsync: this is always done.");
        Options.add(spec, Options.flag(value -> when = When.after, "--delete-after", "--delete-delay").hidden(true),
                "The same as --delete=after.");
        Options.add(spec, Options.flag(value -> when = When.before, "--delete-before").hidden(true),
                "The same as --delete=before.");
        Options.add(spec, Options.value(ByteSize.class, value -> bandwidth = value, "--bandwidth"), "SIZE",
                "Copy at most SIZE bytes per second, for example 100M.");
        Options.add(spec, Options.flag(value -> syncs = value, "--fsync"),
                "Flush all data to the disk before returning.");
        Options.add(spec, Options.flag(value -> isDirect = value, "--direct"),
                "Copy files of 1 MiB or more past the page cache.");
    }

    private void addChecks(CommandSpec spec) {
        Options.add(spec, Options.flag(value -> check = SyncOptions.Check.CONTENT, "-c", "--checksum"),
                "Compare the data of files that have the same size, and ignore their times. Reads both sides.");
        Options.add(spec, Options.flag(value -> check = SyncOptions.Check.SIZE_ONLY, "--size-only"),
                "Copy only files whose size differs.");
        Options.add(spec, Options.flag(value -> check = SyncOptions.Check.NONE, "-I", "--ignore-times"),
                "Copy every file, even with equal size and time.");
        Options.add(spec, Options.value(Double.class, value -> window = value, "--modify-window"), "SECONDS",
                "Treat times as equal that differ by no more than this, for example 2 for FAT on a server.");
    }

    private void addRemovals(CommandSpec spec) {
        Options.add(spec,
                Options.attached(When.class, "before", value -> when = value, "--delete")
                        .converters(Abbreviations.of(When.class)),
                "WHEN",
                "Remove from the copy what SOURCE does not have: before the copy, after it, or delay, which is the same as "
                        + "after. Default: before; with jobs after.");
        Options.add(spec, Options.flag(value -> detectsRenames = value, "--detect-renames"),
                "With --delete: rename in the copy files that were renamed or moved in SOURCE, if their data are equal. "
                        + "Removes after the copy.");
        Options.add(spec, Options.value(Long.class, value -> mostRemovals = value, "--max-delete"), "N",
                "Remove at most N entries; the rest stays.");
        Options.add(spec, Options.value(ByteString.class, value -> backup = value, "--backup-dir"), "DIR",
                "Keep in DIR what is replaced or removed, under the same paths. A relative DIR is below DEST.");
        Options.add(spec, Options.flag(value -> isForced = value, "--force"),
                "Remove also if SOURCE is empty or on another file system than in the last run, or if more than half of the "
                        + "copy would be removed, and remove directories that are in the way of other entries.");
    }

    private void addEarlier(CommandSpec spec) {
        Options.add(spec, Options.value(ByteString.class, linked::add, "--link-dest"), "DIR",
                "Make new files hard links to equal ones in DIR, an earlier copy, as for daily snapshots. May be repeated. A "
                        + "relative DIR is below DEST.");
        Options.add(spec, Options.value(ByteString.class, compared::add, "--compare-dest"), "DIR",
                "Leave out new files that DIR, an earlier copy, has. May be repeated.");
    }

    /** Checks conditions that the option types cannot express. */
    void check() {
        RemotePaths.problem(operands).ifPresent(problem -> {
            throw common.usage(problem);
        });
        switch (operands.size()) {
            case 0 -> throw common.usage("no source given");
            case 1 -> throw common.usage("no destination given after '" + source() + "'");
            case 2 -> {
                common.checkBetween("--max-delete", 0, Long.MAX_VALUE, mostRemovals);
                common.checkNotNegative("--modify-window", window);
            }
            default -> throw common.usage(
                    "sync has one source and one destination; '" + operands.get(2) + "' is one argument too many");
        }
        if (!linked.isEmpty() && !compared.isEmpty()) {
            throw common.usage("--link-dest and --compare-dest exclude each other");
        }
        if (detectsRenames) {
            checkRenames();
        }
        ranks.check();
        transfer.check(ranks.isProcess() ? TransferRanks.OPTIONS : Set.of());
        if (isTransfer()) {
            checkForTransfer();
        } else if (ranks.areGiven() && !isDryRun) {
            throw common
                    .usage("ranks of sync are jobs, with --scheduler, or processes, with --meet; --threads shares the "
                            + "work in one process");
        }
    }

    private void checkRenames() {
        if (when == null) {
            throw common.usage("--detect-renames needs --delete, which removes the old names of what is not renamed");
        }
        if (deletesBefore()) {
            throw common.usage("--detect-renames renames what --delete=before would have removed; use --delete");
        }
        if (!linked.isEmpty() || !compared.isEmpty()) {
            throw common.usage("--detect-renames and " + (linked.isEmpty() ? "--compare-dest" : "--link-dest")
                    + " exclude each other");
        }
        if (check == SyncOptions.Check.NONE) {
            throw common.usage("--ignore-times copies every file, so --detect-renames cannot rename any; "
                    + "leave one of them out, or use --checksum");
        }
    }

    private void checkForTransfer() {
        batches.check();
        TransferRanks.check(common, ranks, transfer);
        files.checkForJobs();
        String problem = "";
        if (transfer.planInJob()) {
            problem = "--plan-in-job cannot be used for sync, which compares both trees before it submits jobs";
        } else if (ranks.areGiven() && batches.batching().isStreaming()) {
            problem = "--strategy streaming cannot be combined with --ranks, which need a complete plan";
        } else if (isItemized) {
            problem = "--itemize cannot be combined with jobs or --meet; with --dry-run, it prints the changes before";
        } else if (select.filesFrom != null) {
            problem = "--files-from of sync cannot be combined with jobs or --meet; 'treehaul cp -aT --files-from FILE' copies "
                    + "listed paths by jobs";
        } else if (!linked.isEmpty() || !compared.isEmpty()) {
            problem = (linked.isEmpty() ? "--compare-dest" : "--link-dest")
                    + " cannot be combined with jobs or --meet, which copy every new file; leave one of them " + "out";
        } else if (deletesBefore()) {
            problem = "--delete=before cannot be combined with jobs or --meet, which remove after everything was copied; use "
                    + "--delete";
        } else if (source().at(0) != '/' && dependsOnPaths()) {
            problem = "conditions on paths need an absolute SOURCE for jobs or --meet, not '" + source() + "'";
        }
        if (!problem.isEmpty()) {
            throw common.usage(problem);
        }
    }

    // Without a word, --delete leaves the moment to the program.
    private boolean deletesBefore() {
        return when == When.before && common.line()
                .stream()
                .anyMatch(word -> word.startsWith("--del") && (word.contains("=") || word.endsWith("-before")));
    }

    private boolean dependsOnPaths() {
        Set<FileField> fields = conditions.where().fields();
        return fields.contains(FileField.PATH) || fields.contains(FileField.DIRECTORY);
    }

    /** Returns whether jobs, or ranks in separate processes, copy. A dry run is made in this process. */
    boolean isTransfer() {
        return !isDryRun && (transfer.isTransfer() || ranks.isProcess());
    }

    /** Returns the command, by which lists of transfers show it. */
    String title() {
        return "sync " + CopyRequests.display(FreeText.unshield(common.line()));
    }

    /** Returns the request of a sync that a number of jobs or ranks share. */
    SyncRequest request(SyncOptions options, int workers) throws IOException {
        SyncOptions used = options.deletes() ? options.withDeletion(SyncOptions.Deletion.AFTER) : options;
        return new SyncRequest(
                source(), destination(), used, new CopyRequest.Batches(batches.batching().name(),
                        batches.limits(workers), PlanRequest.CHUNK_BYTES, batches.byServers()),
                workers, CopyRequests.workingDirectory(), ProcessStatus.read().umask());
    }

    ByteString source() {
        return operands.getFirst();
    }

    ByteString destination() {
        return operands.getLast();
    }

    /** Returns the sync with these options. */
    TreeSync sync(SyncOptions options) {
        TreeSync sync = TreeSync.of(Linux.calls(), options, ScratchDirectory.parent())
                .remembering(transfer.stateDirectory().resolve("sync"));
        return select.filesFrom == null ? sync : sync.ofPaths(select.selection());
    }

    /** Returns whether the copy is the destination itself, without the name of the source. */
    boolean isOfContent() {
        String name = UserPath.baseName(source()).toString();
        return select.filesFrom != null || UserPath.endsWithSlash(source()) || name.equals(".") || name.equals("..");
    }

    /** Returns the path of the copy itself. */
    ByteString place() {
        boolean isItself = isOfContent()
                || !CopyRequests.isDirectory(source()) && !CopyRequests.isDirectory(destination());
        return isItself ? destination() : UserPath.join(destination(), UserPath.baseName(source()));
    }

    /** Returns the file of {@code --files-from}; null if there is none. */
    @Nullable ByteString listOfPaths() {
        return select.filesFrom;
    }

    boolean isDryRun() {
        return isDryRun;
    }

    /** Returns whether entries that an earlier copy has become hard links to it. */
    boolean linksToEarlier() {
        return compared.isEmpty();
    }

    /** Returns whether a line is printed for each change. */
    boolean printsChanges() {
        return isDryRun || isItemized || common.verbosity() > 0;
    }

    private SyncOptions.Deletion deletion() {
        if (when == null) {
            return SyncOptions.Deletion.NONE;
        }
        return when == When.before && !detectsRenames ? SyncOptions.Deletion.BEFORE : SyncOptions.Deletion.AFTER;
    }

    /** Returns the options of the run. */
    SyncOptions options() {
        try {
            CopyOptionsBuilder copy = CopyOptions.archive()
                    .oneFileSystem(select.oneFileSystem)
                    .filter(select.filter())
                    .where(conditions.where())
                    .threads(common.threads)
                    .dryRun(isDryRun)
                    .fsync(syncs)
                    .direct(isDirect)
                    .reportDone(files.isLogged());
            if (bandwidth != null) {
                copy.bandwidth(bandwidth.bytes());
            }
            SyncOptions options = SyncOptions.defaults()
                    .withCopy(copy.build())
                    .withCheck(check)
                    .withModifyWindow(Duration.ofNanos(Math.round(window * 1e9)))
                    .withDeletion(deletion())
                    .withMostRemovals(mostRemovals)
                    .withForced(isForced)
                    .withDetectedRenames(detectsRenames)
                    .withListsBelow(printsChanges());
            boolean isLinked = compared.isEmpty();
            SyncOptions used = options.withEarlier(new SyncOptions.Earlier(isLinked ? linked : compared, isLinked));
            return backup == null ? used : used.withBackup(backup);
        } catch (IllegalArgumentException e) {
            throw common.usage(String.valueOf(e.getMessage()));
        }
    }
}
