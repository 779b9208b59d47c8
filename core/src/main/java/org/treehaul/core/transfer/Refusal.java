// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.PlanTokens;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.state.StateFile;
import org.treehaul.core.transfer.batch.MountCheck;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.WrongMountException;
import org.treehaul.core.transfer.journal.Attempts;

/**
 * The refusal of a generation's jobs by their scheduler. It is recorded, because missing jobs do not prove it. If no
 * worker has ever begun, the tokens in the destinations are removed, because the transfer has written nothing else
 * there; {@link #restoreTokens} writes them again before the jobs are submitted once more.
 *
 * @param scheduler the name of the scheduler
 * @param reason the message of the scheduler
 * @param places inodes of the directories of the tokens, as {@link MountCheck#inodes} returns them; empty if the tokens
 *        stay
 */
public record Refusal(String scheduler, String reason, String places) {

    /**
     * Records a refusal. The tokens stay until {@link #withdrawTokens}, because this process may still be planning.
     *
     * @throws IOException if it cannot be written; the transfer counts as waiting then
     */
    public static void record(TransferDirectory transfer, int generation, String scheduler, String reason)
            throws IOException {
        StateFile.empty()
                .with("scheduler", scheduler)
                .withEscaped("reason", reason)
                .with("places", places(transfer))
                .with("time", Instant.now())
                .replace(file(transfer, generation), true);
    }

    private static String places(TransferDirectory transfer) throws IOException {
        if (!transfer.operation().hasTokens() || !Plan.exists(transfer.plan())
                || !Attempts.atBatches(transfer).newest().isEmpty()) {
            return "";
        }
        try (MountCheck mounts = MountCheck.ofTokens(Linux.calls(), Plan.open(transfer.plan()))) {
            return mounts.inodes();
        }
    }

    /** Returns the refusal of a generation's jobs, if one is recorded. */
    public static Optional<Refusal> of(TransferDirectory transfer, int generation) throws IOException {
        return StateFile.find(file(transfer, generation))
                .map(file -> new Refusal(file.text("scheduler"), file.text("reason"), file.text("places")));
    }

    private static Path file(TransferDirectory transfer, int generation) {
        return transfer.path().resolve("generations").resolve(generation + ".refused");
    }

    /**
     * Removes the tokens of a transfer whose jobs were refused before any worker began. Call it after planning has
     * ended, because the planner writes them.
     */
    public static void withdrawTokens(Transfers transfers, TransferDirectory transfer) throws IOException {
        if (of(transfer, transfer.generations().newest()).filter(refusal -> !refusal.places().isEmpty()).isPresent()) {
            DestinationTraces.removeTokens(transfer);
        }
    }

    /**
     * Writes the tokens again that {@link #withdrawTokens} removed, if the destinations are still the directories from
     * which they were removed.
     *
     * @throws WrongMountException if a destination is another directory now
     */
    public static void restoreTokens(TransferDirectory transfer) throws IOException {
        int generation = transfer.generations().newest();
        Optional<Refusal> refusal = Optional.empty();
        while (refusal.isEmpty() && generation > 0) {
            refusal = of(transfer, generation);
            generation--;
        }
        if (refusal.isEmpty() || refusal.get().places().isEmpty() || !Attempts.atBatches(transfer).newest().isEmpty()) {
            return;
        }
        Plan plan = Plan.open(transfer.plan());
        try (MountCheck mounts = MountCheck.ofPlaces(Linux.calls(), plan, refusal.get().places())) {
            mounts.checkTargets();
        }
        PlanTokens.write(Linux.calls(), plan);
    }
}
