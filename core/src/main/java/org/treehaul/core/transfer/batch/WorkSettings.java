// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import java.io.IOException;
import java.util.Optional;

import org.treehaul.core.copy.data.RateLimiter;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.journal.VerifiedCopy;
import org.treehaul.core.transfer.operation.CopySettings;
import org.treehaul.core.transfer.operation.Operation;

/**
 * The settings with which a worker carries out a transfer.
 *
 * @param options the options of the copy
 * @param umask the umask in the plan
 * @param verified the copy to compare with its source, if the transfer verifies
 * @param limiter limits the data that this process moves
 */
public record WorkSettings(TransferDirectory directory, CopyOptions options, int umask, Optional<VerifiedCopy> verified,
        RateLimiter limiter) {

    public WorkSettings withLimiter(RateLimiter shared) {
        return new WorkSettings(directory, options, umask, verified, shared);
    }

    public static WorkSettings of(Plan plan, TransferDirectory directory, int threads) throws IOException {
        try {
            Optional<VerifiedCopy> verified = VerifiedCopy.of(directory);
            String id = verified.map(VerifiedCopy::id).orElse(directory.id().text());
            if (!plan.header().id().equals(id)) {
                throw new TransferException("the plan in " + directory.plan() + " belongs to transfer "
                        + plan.header().id() + ", not of " + id);
            }
            CopyOptions options = directory.operation() instanceof Operation.Remove
                    ? CopyOptions.builder().threads(RemovalPlans.threads(plan.header().settings())).build()
                    : CopySettings.parse(plan.header().settings());
            CopyOptions.Builder chosen = options.toBuilder();
            if (threads > 0) {
                chosen.threads(threads);
            }
            // After a crash of the node an existing name may be an empty file, which these options would leave
            // there.
            if (options.existing() != CopyOptions.Existing.REPLACE) {
                chosen.fsync(true);
            }
            CopyOptions built = chosen.build();
            return new WorkSettings(directory, built, plan.header().umask(), verified,
                    RateLimiter.of(built.bandwidth()));
        } catch (IllegalArgumentException e) {
            throw new TransferException("the plan in " + directory.plan() + " cannot be carried out: " + e.getMessage()
                    + "; use the program that created it, or plan again", e);
        }
    }
}
