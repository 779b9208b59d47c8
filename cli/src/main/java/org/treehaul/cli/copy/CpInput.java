// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.RankOptions;
import org.treehaul.cli.common.RemotePaths;
import org.treehaul.cli.common.SelectOptions;
import org.treehaul.cli.staged.StageAccess;
import org.treehaul.cli.staged.StagedPaths;
import org.treehaul.core.copy.CopyArguments;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.schedulers.stage.StripeLayout;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The options and operands of {@code treehaul cp}. */
public final class CpInput {

    final CpOptions cp;
    final SelectOptions select;
    final TransferOptions transfer;
    final BatchOptions batches;
    final CommonOptions common;
    final EventFiles files;
    final RankOptions ranks;
    List<ByteString> operands = List.of();
    private final CommandSpec spec;
    private @Nullable ByteString plan;
    private @Nullable ByteString manifest;
    private boolean statistics;

    /** Adds the options to a command. */
    CpInput(CommandSpec spec) {
        this.spec = spec;
        cp = new CpOptions(spec);
        select = new SelectOptions(spec);
        transfer = new TransferOptions(spec);
        batches = new BatchOptions(spec);
        common = new CommonOptions(spec);
        files = new EventFiles(spec);
        ranks = new RankOptions(spec, common);
        Options.add(spec, Options.value(ByteString.class, value -> plan = value, "--plan"), "DIR",
                "Carry out the plan in DIR, which 'treehaul plan' wrote, with its sources, destination and options.");
        Options.add(spec, Options.value(ByteString.class, value -> manifest = value, "--manifest"), "FILE",
                "After the copy, write the checksums of DEST to FILE, as 'treehaul manifest' does.");
        common.addQuiet();
        common.addMetrics();
        Options.add(spec, Options.flag(value -> statistics = value, "--stats"),
                "Print the numbers of files, directories, other entries and bytes at the end.");
        spec.addPositional(CpOptions.operands(() -> operands, value -> operands = value));
    }

    /** Returns the options of the copy. */
    public CopyOptions options() {
        return cp.options(select, common, printsEntries() || files.isLogged());
    }

    /** Returns sources and destination, for operands such as those of this command. */
    public CopyArguments arguments(List<ByteString> paths) {
        return cp.arguments(paths, select);
    }

    /** Returns whether a line is printed for each entry. */
    boolean printsEntries() {
        return cp.dryRun || common.verbosity() > 0;
    }

    /** Returns whether the numbers of entries of each kind are printed at the end. */
    boolean printsStatistics() {
        return statistics;
    }

    /** Returns the file for the checksums of the copy, if they are requested. */
    Optional<ByteString> manifest() {
        return Optional.ofNullable(manifest);
    }

    /** Returns whether jobs, or ranks in separate processes, copy. */
    boolean isTransfer() {
        return transfer.isTransfer() || ranks.isProcess();
    }

    /** Returns how many workers process a transfer at the same time. */
    int workers() {
        return ranks.areGiven() ? ranks.ranks() : transfer.jobs();
    }

    /** Returns the plan to carry out, if it was made before. */
    Optional<Path> planAhead() {
        return Optional.ofNullable(plan).map(path -> PlanPath.of(spec, path));
    }

    /** Returns whether a source or the destination is in a stage. */
    boolean isStaged() {
        return RemotePaths.areStaged(operands)
                || cp.targetDirectory != null && RemotePaths.isStaged(cp.targetDirectory);
    }

    /** Returns whether an option was given. */
    Optional<String> givenBesides(Set<String> names) {
        return spec.commandLine()
                .getParseResult()
                .matchedOptions()
                .stream()
                .map(OptionSpec::longestName)
                .filter(name -> !names.contains(name))
                .findFirst();
    }

    /** Returns the stages that the operands name. */
    StagedPaths stages() {
        if (common.isGiven("--copies")) {
            common.checkBetween("--copies", 1, StripeLayout.MOST_COPIES, cp.copies);
            ByteString destination = cp.targetDirectory != null
                    ? cp.targetDirectory
                    : operands.isEmpty() ? ByteString.empty() : operands.getLast();
            if (!RemotePaths.isStaged(destination)) {
                throw common.usage("--copies is for a destination in a stage: stage:NAME/PATH");
            }
        }
        return new StagedPaths(common, StageAccess.of(spec, common, cp.secretFile, cp.tls), cp.copies);
    }

    /** Checks conditions that the option types cannot express. */
    void check() {
        for (String option : List.of("--secret-file", "--tls", "--copies")) {
            if (common.isGiven(option)) {
                throw common.usage(option + " is for stages: stage:NAME/PATH");
            }
        }
        ranks.check();
        RemotePaths.problem(operands).ifPresent(problem -> {
            throw common.usage(problem);
        });
        if (manifest != null && cp.dryRun) {
            throw common
                    .usage("--manifest cannot be combined with --dry-run, which makes no copy; leave out --manifest");
        }
        transfer.check(ranks.isProcess() ? TransferRanks.OPTIONS : Set.of("--no-space-check"));
    }

    /** Checks that jobs or ranks in separate processes can make the copy. */
    void checkForTransfer() {
        if (plan != null) {
            checkPlanned();
        }
        batches.check();
        TransferRanks.check(common, ranks, transfer);
        if (ranks.areGiven() && batches.batching().isStreaming() && plan == null) {
            throw common.usage("--strategy streaming cannot be combined with --ranks, which need a complete plan");
        }
        cp.checkForJobs();
        files.checkForJobs();
        if (manifest != null) {
            throw common.usage("--manifest cannot be combined with jobs or --meet; when the copy is complete, "
                    + "'treehaul manifest -o FILE DEST' writes its checksums");
        }
        if (cp.dryRun) {
            throw common.usage(
                    "--dry-run cannot be combined with jobs; 'treehaul plan' and 'treehaul show' show what they would do");
        }
    }

    // Options that are part of a plan cannot be given again.
    private void checkPlanned() {
        if (!operands.isEmpty()) {
            throw common.usage("--plan contains the sources and the destination; '" + operands.getFirst()
                    + "' is one argument too many");
        }
        Set<String> ofJobs = TransferOptions.namesBesidePlan();
        givenBesides(ofJobs).ifPresent(name -> {
            throw common.usage(
                    name + " cannot be combined with --plan, which says how to copy; give it to " + "'treehaul plan'");
        });
    }
}
