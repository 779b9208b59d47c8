// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.remove;

import java.io.IOException;
import java.util.List;
import java.util.Set;

import org.treehaul.cli.args.FreeText;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.RankOptions;
import org.treehaul.cli.copy.BatchOptions;
import org.treehaul.cli.copy.CopyRequests;
import org.treehaul.cli.copy.EventFiles;
import org.treehaul.cli.copy.TransferOptions;
import org.treehaul.cli.copy.TransferRanks;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.remove.RemoveOptions;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.schedulers.batch.OperationRequest;
import picocli.CommandLine.Model.CommandSpec;

/** The options and operands of {@code treehaul rm}. */
final class RmInput {

    final CommonOptions common;
    final EventFiles files;
    final TransferOptions jobs;
    final BatchOptions batches;
    final RankOptions ranks;
    final Safety safety;
    List<ByteString> operands = List.of();
    private boolean recursive;
    private boolean force;
    private boolean oneFileSystem;
    private boolean dryRun;

    /** Adds the options to a command. */
    RmInput(CommandSpec spec) {
        common = new CommonOptions(spec);
        files = new EventFiles(spec,
                "Write the path of each entry that failed to FILE, ended by NUL. If FILE is named *.json or *.ndjson, write "
                        + "JSON objects with the cause instead.");
        jobs = new TransferOptions(spec);
        batches = new BatchOptions(spec);
        ranks = new RankOptions(spec, common);
        safety = new Safety(spec);
        common.addQuiet();
        common.addMetrics();
        spec.addPositional(Options.operands(ByteString.class, () -> operands, value -> operands = value)
                .paramLabel("PATH")
                .description("The files and directories to remove.")
                .build());
        spec.addOption(Options.flag(value -> recursive = value, "-r", "-R", "--recursive")
                .description("Remove directories with their contents.")
                .build());
        spec.addOption(Options.flag(this::force, "-f", "--force")
                .description(
                        "Ignore paths that do not exist, and accept that no PATH is given. Cancels -i and -I before it.")
                .build());
        spec.addOption(Options.flag(value -> oneFileSystem = value, "-x", "--one-file-system")
                .description("Keep and report directories on another file system than the one above them.")
                .build());
        spec.addOption(Options.flag(value -> dryRun = value, "--dry-run")
                .description("Print what would be removed, and remove nothing.")
                .build());
    }

    private void force(boolean value) {
        force = value;
        safety.neverAsk();
    }

    /** Returns whether the removal may begin; with {@code -I}, the user is asked. */
    boolean mayBegin() {
        return safety.mayBegin(common.screen(), operands, recursive);
    }

    /** Returns whether the command has nothing to do: {@code -f} without a path. */
    boolean isEmpty() {
        return operands.isEmpty() && force;
    }

    /** Returns whether nothing is removed. */
    boolean isDryRun() {
        return dryRun;
    }

    /** Returns whether a line is printed for each entry. */
    boolean printsEntries() {
        return dryRun || common.verbosity() > 0;
    }

    /** Returns whether jobs, or ranks in separate processes, remove. */
    boolean isTransfer() {
        return jobs.isTransfer() || ranks.isProcess();
    }

    /** Checks conditions that the option types cannot express. */
    void check() {
        if (operands.isEmpty()) {
            throw common.usage("no path is given");
        }
        ranks.check();
        if (safety.asksAlways() && ranks.areGiven()) {
            throw common.usage("-i cannot be combined with --ranks; use -I");
        }
        jobs.check(ranks.isProcess() ? TransferRanks.OPTIONS : Set.of());
    }

    /** Checks that jobs or ranks in separate processes can make the removal. */
    void checkForTransfer() {
        batches.check();
        safety.checkForTransfer();
        TransferRanks.check(common, ranks, jobs);
        files.checkForJobs();
        if (dryRun || jobs.planInJob() || batches.batching().isStreaming()) {
            throw common.usage((dryRun ? "--dry-run" : jobs.planInJob() ? "--plan-in-job" : "--strategy streaming")
                    + " cannot be used for a removal by jobs or separate ranks, which is planned to its end before it "
                    + "begins");
        }
    }

    /** Returns the options of the removal. */
    RemoveOptions options() {
        return safety.applyTo(new RemoveOptions(recursive, force, oneFileSystem, dryRun,
                printsEntries() || files.isLogged(), common.threads));
    }

    /** Returns the request of a removal that a number of jobs or ranks share. */
    OperationRequest request(List<Root> roots, int workers) throws IOException {
        WalkOptions walk = WalkOptions.defaults().withThreads(common.threads).withOneFileSystem(oneFileSystem);
        return new OperationRequest(new Operation.Remove(), List.of(), roots, walk, batches.batching(),
                batches.limits(workers), CopyRequests.workingDirectory(), ProcessStatus.read().umask());
    }

    /** Returns the command, by which lists of transfers show it. */
    String title() {
        return "rm " + CopyRequests.display(FreeText.unshield(common.line()));
    }
}
