// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.move;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.FreeText;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.BackupOptions;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.RankOptions;
import org.treehaul.cli.common.RemotePaths;
import org.treehaul.cli.common.UsageException;
import org.treehaul.cli.copy.BatchOptions;
import org.treehaul.cli.copy.CopyRequests;
import org.treehaul.cli.copy.EventFiles;
import org.treehaul.cli.copy.TransferOptions;
import org.treehaul.cli.copy.TransferRanks;
import org.treehaul.core.copy.CopyArguments;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.plan.PlanRequest;
import org.treehaul.core.transfer.request.CopyRequest;
import picocli.CommandLine.Model.CommandSpec;

/** The options and operands of {@code treehaul mv}. If two options set the same thing, the later one wins. */
final class MvInput {

    final CommonOptions common;
    final EventFiles files;
    final RankOptions ranks;
    final TransferOptions jobs;
    private final BatchOptions batches;
    private final CommandSpec spec;
    private final BackupOptions backups;
    private List<ByteString> operands = List.of();
    private @Nullable ByteString targetDirectory;
    private boolean noTargetDirectory;
    private boolean stripTrailingSlashes;
    private boolean keepsAll;
    private boolean keepsNewer;
    private boolean asks;
    private boolean dryRun;
    private boolean isDirect;

    /**
     * Adds the options to a command.
     *
     * @param environment the environment variables, which contain the defaults for backups
     */
    MvInput(CommandSpec spec, Map<String, String> environment) {
        this.spec = spec;
        common = new CommonOptions(spec);
        files = new EventFiles(spec,
                "Write the path of each entry that failed to FILE, ended by NUL. If FILE is named *.json or *.ndjson, write "
                        + "JSON objects with the cause instead.");
        jobs = new TransferOptions(spec);
        batches = new BatchOptions(spec);
        ranks = new RankOptions(spec, common);
        common.addQuiet();
        common.addMetrics();
        Options.add(spec, Options.operands(ByteString.class, () -> operands, value -> operands = value).hidden(true),
                "PATH", "Sources, then the destination.");
        Options.add(spec, Options.value(ByteString.class, value -> targetDirectory = value, "-t", "--target-directory"),
                "DIRECTORY", "Move all SOURCEs into DIRECTORY.");
        Options.add(spec, Options.flag(value -> noTargetDirectory = value, "-T", "--no-target-directory"),
                "Treat DEST as the new name, even if it is a directory.");
        Options.add(spec, Options.flag(value -> stripTrailingSlashes = value, "--strip-trailing-slashes"),
                "Remove trailing slashes from each SOURCE.");
        Options.add(spec, Options.flag(value -> replace(true, false), "-n", "--no-clobber"),
                "Do not replace existing files; their sources stay.");
        Options.add(spec, Options.flag(value -> replace(false, true), "-i", "--interactive"),
                "Ask before replacing a file; an answer that begins with y means yes.");
        Options.add(spec, Options.flag(value -> replace(false, false), "-f", "--force"),
                "Replace existing files without asking: the default. Cancels -i and -n before it.");
        Options.add(spec, Options.flag(value -> keepsNewer = value, "-u", "--update"),
                "Replace existing files only if they are older than the source; other sources stay.");
        Options.add(spec, Options.flag(value -> dryRun = value, "--dry-run"),
                "Print what would be renamed or copied, and change nothing.");
        Options.add(spec, Options.flag(value -> isDirect = value, "--direct"),
                "To another file system, copy files of 1 MiB or more past the page cache.");
        backups = new BackupOptions(spec, environment);
    }

    private void replace(boolean keepAll, boolean ask) {
        keepsAll = keepAll;
        asks = ask;
    }

    /** Returns whether jobs, or ranks in separate processes, copy what cannot be renamed. */
    boolean isTransfer() {
        return jobs.isTransfer() || ranks.isProcess();
    }

    /** Checks conditions that the option types cannot express. */
    void check() {
        RemotePaths.problem(operands).ifPresent(problem -> {
            throw common.usage(problem);
        });
        ranks.check();
        jobs.check(ranks.isProcess() ? TransferRanks.OPTIONS : Set.of());
        if (asks && (isTransfer() || ranks.areGiven())) {
            throw common.usage("-i cannot be combined with jobs or ranks; use -n or -u to keep existing files");
        }
        if (!isTransfer()) {
            return;
        }
        if (dryRun) {
            throw common.usage("--dry-run cannot be combined with jobs or --meet; leave these out to see what would be "
                    + "moved");
        }
        batches.check();
        TransferRanks.check(common, ranks, jobs);
        if (ranks.areGiven() && batches.batching().isStreaming()) {
            throw common.usage("--strategy streaming cannot be combined with --ranks, which need a complete plan");
        }
        files.checkForJobs();
    }

    /**
     * Returns the request to copy what could not be renamed.
     *
     * @param pairs the sources and their targets, which exist in the arguments of this command
     * @param options the options of the copy
     */
    CopyRequest request(List<CopyPair> pairs, CopyOptions options) throws IOException {
        List<ByteString> paths = new ArrayList<>(pairs.stream().map(pair -> pair.source().path()).toList());
        CopyArguments arguments;
        if (pairs.size() == 1) {
            paths.add(pairs.getFirst().target());
            arguments = CopyArguments.of(paths).withNoTargetDirectory(true);
        } else {
            arguments = CopyArguments.of(paths).withTargetDirectory(UserPath.parent(pairs.getFirst().target()));
        }
        int workers = ranks.areGiven() ? ranks.ranks() : jobs.jobOptions(ranks).workers();
        return new CopyRequest(arguments, Optional.empty(), options,
                new CopyRequest.Batches(batches.batching().name(), batches.limits(workers), PlanRequest.CHUNK_BYTES,
                        batches.byServers()),
                workers, batches.checksSpace(), Optional.empty(), CopyRequests.workingDirectory(),
                ProcessStatus.read().umask(), false);
    }

    /** Returns the command, by which lists of transfers show it. */
    String title() {
        return "mv " + CopyRequests.display(FreeText.unshield(common.line()));
    }

    /** Returns whether nothing is changed. */
    boolean isDryRun() {
        return dryRun;
    }

    /** Returns whether the user is asked before a file is replaced. */
    boolean asks() {
        return asks;
    }

    /** Returns whether a line is printed for each entry. */
    boolean printsEntries() {
        return dryRun || common.verbosity() > 0;
    }

    /** Returns the options of the move. */
    CopyOptions options() {
        if (keepsAll && backups.value().isMade()) {
            throw new UsageException(spec.commandLine(), "--backup and --no-clobber cannot be combined");
        }
        return CopyOptions.archive()
                .existing(keepsAll
                        ? CopyOptions.Existing.SKIP
                        : keepsNewer ? CopyOptions.Existing.UPDATE : CopyOptions.Existing.REPLACE)
                .threads(asks && common.threads == 0 ? 1 : common.threads)
                .takesNames(true)
                .direct(isDirect)
                .backup(backups.value())
                .reportDone(printsEntries() || files.isLogged())
                .build();
    }

    /** Returns the source and the destination, if neither -t nor -T decides whether the destination is the new name. */
    List<ByteString> ambiguous() {
        return operands.size() == 2 && targetDirectory == null && !noTargetDirectory ? operands : List.of();
    }

    /**
     * Returns the sources and the destination.
     *
     * @param isItself whether the destination is the new name of the source, although it is a directory
     */
    CopyArguments arguments(boolean isItself) {
        CopyArguments arguments = CopyArguments.of(operands)
                .withNoTargetDirectory(noTargetDirectory || isItself)
                .withStripTrailingSlashes(stripTrailingSlashes);
        return targetDirectory == null ? arguments : arguments.withTargetDirectory(targetDirectory);
    }
}
