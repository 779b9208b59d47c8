// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.entries;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.FreeText;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.RankOptions;
import org.treehaul.cli.copy.BatchOptions;
import org.treehaul.cli.copy.CopyRequests;
import org.treehaul.cli.copy.EventFiles;
import org.treehaul.cli.copy.TransferOptions;
import org.treehaul.cli.copy.TransferRanks;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.walk.options.Root;
import org.treehaul.schedulers.batch.OperationRequest;
import picocli.CommandLine.Model.CommandSpec;

/** The options that commands on single entries share, and their operands. */
public final class EntryInput {

    public final CommonOptions common;
    public final RankOptions ranks;
    final EventFiles files;
    final TransferOptions jobs;
    private final BatchOptions batches;
    private final String name;
    private final String verb;
    private List<ByteString> operands = List.of();
    private boolean dryRun;
    private boolean silent;
    private boolean lists;
    private boolean printsElse;
    private Set<String> meantHere = Set.of();

    /**
     * Adds the options to a command.
     *
     * @param verb the verb for messages, such as {@code remove}
     */
    public EntryInput(CommandSpec spec, CommonOptions common, String verb) {
        this.common = common;
        this.name = spec.name();
        this.verb = verb;
        files = new EventFiles(spec,
                "Write the path of each entry that failed to FILE, ended by NUL. If FILE is named *.json or *.ndjson, write "
                        + "JSON objects with the cause instead.");
        jobs = new TransferOptions(spec);
        batches = new BatchOptions(spec);
        // Nothing is removed or changed before the plan is complete, and no destination may be too small.
        Options.hide(spec, "--plan-in-job", "--no-space-check");
        ranks = new RankOptions(spec, common);
        common.addQuiet();
        common.addMetrics();
        Options.add(spec, Options.flag(value -> dryRun = value, "--dry-run"),
                "Print what would be " + verb + "d, and " + verb + " nothing.");
    }

    /**
     * Names the list of paths that is read.
     *
     * @param list the file; null if there is none
     */
    public void readsList(@Nullable ByteString list) {
        files.readsList(list);
    }

    /** Sets the paths to process. */
    public void use(List<ByteString> paths) {
        operands = List.copyOf(paths);
    }

    /** Returns the paths to process. */
    public List<ByteString> operands() {
        return operands;
    }

    /** Prints no failures, and no summary. */
    public void silence() {
        silent = true;
    }

    /** Prints a line for each entry that the command processes. */
    public void listEntries() {
        lists = true;
    }

    /** Records that the command prints something else on standard output, so that a bar there would be in the way. */
    public void printElse() {
        printsElse = true;
    }

    /** Returns whether anything is printed on standard output while the command works. */
    boolean isPrinting() {
        return printsEntries() || printsElse;
    }

    /** Returns the file of the log, if one was requested. */
    public Optional<ByteString> logFile() {
        return files.logFile();
    }

    boolean isSilent() {
        return silent;
    }

    String verb() {
        return verb;
    }

    /** Returns whether nothing is changed. */
    public boolean isDryRun() {
        return dryRun;
    }

    /** Returns whether a line is printed for each entry that the command processes. */
    public boolean printsEntries() {
        return dryRun || lists || common.verbosity() > 0;
    }

    /** Declares options of jobs that also have a meaning without them. */
    public void meanHere(String... options) {
        meantHere = Set.of(options);
    }

    /** Returns whether the servers that store the data are asked for. */
    public boolean isByServers() {
        return batches.byServers();
    }

    /** Returns the most entries of a batch, and this number if the user gave none. */
    public int batchFiles(int otherwise) {
        return batches.files() == 0 ? otherwise : (int) Math.min(batches.files(), Integer.MAX_VALUE);
    }

    /** Returns whether events of single entries are printed or logged. */
    public boolean reportsEntries() {
        return printsEntries() || files.isLogged();
    }

    /** Prints the id of a transfer only on standard error, because standard output has something else. */
    public void noteId() {
        jobs.noteId();
    }

    /** Returns whether the command waits until its jobs have ended. */
    public boolean isToWait() {
        return jobs.isToWait();
    }

    /**
     * Opens an earlier transfer, by its id, the end of its id, or {@code last}.
     *
     * @throws IOException if there is no such transfer, or it is damaged
     */
    public TransferDirectory open(String transfer) throws IOException {
        return jobs.open(transfer);
    }

    /** Returns the state directory, which need not exist. */
    public Path stateDirectory() {
        return jobs.stateDirectory();
    }

    /** Returns whether jobs, or ranks in separate processes, do the work. */
    public boolean isTransfer() {
        return jobs.isTransfer() || ranks.isProcess();
    }

    /** Does the work in the way that the options demand, and returns the exit code. */
    public int run(EntryTask task) throws InterruptedException {
        if (operands.isEmpty()) {
            throw common.usage("no path is given");
        }
        ranks.check();
        jobs.check(ranks.isProcess() ? TransferRanks.OPTIONS : meantHere);
        task.check();
        if (isTransfer()) {
            checkForTransfer(task.noun());
        }
        if (!task.mayBegin()) {
            return ExitCode.DONE.code();
        }
        if (!isTransfer()) {
            return new DirectRun(this, task).run();
        }
        return ranks.isProcess()
                ? new TransferRanks(common, ranks, jobs, new EntryRanks(this, task)).run()
                : new EntryJobs(this, task).run().code();
    }

    private void checkForTransfer(String noun) {
        batches.check();
        TransferRanks.check(common, ranks, jobs);
        files.checkForJobs();
        if (dryRun || jobs.planInJob() || batches.batching().isStreaming()) {
            throw common.usage((dryRun ? "--dry-run" : jobs.planInJob() ? "--plan-in-job" : "--strategy streaming")
                    + " cannot be used for " + noun + " by jobs or separate ranks, which is planned to its end before "
                    + "it begins");
        }
    }

    /** Returns the request of work that a number of jobs or ranks share. */
    OperationRequest request(EntryTask task, List<Root> roots, int workers) throws IOException {
        return new OperationRequest(task.operation(), task.jars(), roots, task.walk().withThreads(common.threads),
                batches.batching(), batches.limits(workers, task.batchesPerJob(workers)),
                CopyRequests.workingDirectory(), ProcessStatus.read().umask(), batches.byServers());
    }

    /** Returns the command, by which lists of transfers show it. */
    String title() {
        return name + " " + CopyRequests.display(FreeText.unshield(common.line()));
    }
}
