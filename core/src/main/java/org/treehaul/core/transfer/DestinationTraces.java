// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.copy.batch.TransferFinisher;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.PlanTokens;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.plan.format.PlannedDirectory;
import org.treehaul.core.transfer.batch.CopiedRoots;
import org.treehaul.core.transfer.batch.MountCheck;
import org.treehaul.core.transfer.batch.WorkSettings;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.directory.WrongMountException;
import org.treehaul.core.transfer.finish.FinalDirectories;
import org.treehaul.core.transfer.finish.ManifestDirectories;
import org.treehaul.core.transfer.journal.Attempts;
import org.treehaul.core.transfer.journal.FinishingHistory;
import org.treehaul.core.walk.options.Root;

/** The traces of a copy by a transfer in its destinations: tokens, and temporary files of killed workers. */
@Internal
public final class DestinationTraces {

    private static final Logger LOG = LoggerFactory.getLogger(DestinationTraces.class);

    private DestinationTraces() {}

    /**
     * Removes temporary files that killed workers of a copy left in the destination; for a copy that will not continue.
     * Files with their final names stay.
     *
     * @param listener receives entries that could not be examined
     * @return the prefix of the names of temporary files, if some may remain because this host does not see the
     *         destination; empty if all were removed
     */
    public static Optional<String> sweep(TransferDirectory transfer, EventListener listener, Cancellation cancellation)
            throws IOException {
        if (!transfer.operation().hasTemporaryFiles() || !Plan.exists(transfer.plan())) {
            return Optional.empty();
        }
        Plan plan = Plan.open(transfer.plan());
        if (Attempts.atBatches(transfer).newest().isEmpty()) {
            return Optional.empty();
        }
        Optional<String> prefix = Optional.of(TransferFinisher.temporaryPrefix(transfer.id().text()));
        WorkSettings settings = WorkSettings.of(plan, transfer, 0);
        try (TransferFinisher finisher = TransferFinisher.of(Linux.calls(), settings.options(), transfer.id().text())) {
            try (MountCheck mounts = MountCheck.of(Linux.calls(), plan, settings, FinishingHistory.read(transfer))) {
                mounts.checkTargets();
            } catch (WrongMountException e) {
                return prefix;
            }
            List<CopyPair> pairs = plan.header()
                    .roots()
                    .stream()
                    .map(root -> new CopyPair(Root.of(root.source()), root.target()))
                    .toList();
            boolean isSwept = false;
            try (PlanRecords<PlannedDirectory> directories = plan.isSealed()
                    ? plan.directories()
                    : new ManifestDirectories(plan)) {
                isSwept = finisher.sweep(pairs, new FinalDirectories(directories), listener, cancellation).isComplete();
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
            return isSwept ? Optional.empty() : prefix;
        }
    }

    /**
     * Writes the tokens of a copy again, some of which finishing has removed: its workers can then continue although
     * inode numbers have changed.
     *
     * @throws WrongMountException if a part was copied, and a destination does not contain it
     */
    public static void renewTokens(TransferDirectory transfer) throws IOException {
        if (!transfer.operation().hasTokens() || !Plan.exists(transfer.plan())) {
            return;
        }
        Plan plan = Plan.open(transfer.plan());
        if (!Attempts.atBatches(transfer).newest().isEmpty()) {
            try (MountCheck mounts = MountCheck.ofCopy(Linux.calls(), plan, FinishingHistory.read(transfer))) {
                mounts.checkCopied(transfer.id().text());
            }
        }
        PlanTokens.write(Linux.calls(), plan);
    }

    /**
     * Checks that the copies of directories still exist, as far as this host sees the places that contain them: a
     * resumed copy does not copy again what the journals call copied.
     *
     * @throws TransferException if entries of a directory were copied, and its copy is gone
     */
    public static void requireCopies(TransferDirectory transfer) throws IOException {
        if (!transfer.operation().hasTokens() || !Plan.exists(transfer.plan())) {
            return;
        }
        Plan plan = Plan.open(transfer.plan());
        FinishingHistory history = FinishingHistory.read(transfer);
        try (MountCheck mounts = MountCheck.ofCopy(Linux.calls(), plan, history)) {
            mounts.checkTargets();
        } catch (WrongMountException e) {
            // The nodes may see the destinations.
            return;
        }
        CopiedRoots.require(Linux.calls(), transfer, plan, history);
    }

    /** Removes the tokens of a copy from visible destinations. */
    public static void removeTokens(TransferDirectory transfer) {
        // Tokens in the plan of a verification belong to the copy.
        if (!transfer.operation().hasTokens()) {
            return;
        }
        try {
            if (Plan.exists(transfer.plan())) {
                try (MountCheck tokens = MountCheck.ofTokens(Linux.calls(), Plan.open(transfer.plan()))) {
                    tokens.removeTokens();
                }
            }
        } catch (IOException e) {
            LOG.debug("tokens of {} could not be removed", transfer.id(), e);
        }
    }
}
