// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.event.RateLimiter;
import org.treehaul.core.operation.EntryOperation;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.journal.VerifiedCopy;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.operation.UnknownOperationException;
import org.treehaul.core.transfer.request.TransferRequest;

/**
 * The settings with which a worker carries out a transfer.
 *
 * @param options the options of the copy
 * @param umask the umask in the plan
 * @param verified the copy to compare with its source, if the transfer verifies
 * @param onEntries the operation, if it is one on single entries
 * @param limiter limits the data that this process moves
 */
public record WorkSettings(TransferDirectory directory, CopyOptions options, int umask, Optional<VerifiedCopy> verified,
        Optional<EntryOperation> onEntries, RateLimiter limiter) {

    public WorkSettings withLimiter(RateLimiter shared) {
        return new WorkSettings(directory, options, umask, verified, onEntries, shared);
    }

    /** Returns the operation of a transfer whose operation is one on single entries. */
    public EntryOperation entryOperation() {
        return onEntries.orElseThrow();
    }

    /**
     * Reads the settings of a transfer from its plan.
     *
     * @param threads the number of threads; 0 uses the options of the transfer
     * @throws TransferException if the plan belongs to another transfer or cannot be carried out, or if this program
     *         does not have the operation
     */
    public static WorkSettings of(Plan plan, TransferDirectory directory, int threads) throws IOException {
        try {
            Optional<VerifiedCopy> verified = VerifiedCopy.of(directory);
            String id = verified.map(VerifiedCopy::id).orElse(directory.id().text());
            if (!plan.header().id().equals(id)) {
                throw new TransferException("the plan in " + directory.plan() + " belongs to transfer "
                        + plan.header().id() + ", not of " + id);
            }
            CopyOptions options = directory.operation().options(plan.header().settings());
            Optional<EntryOperation> onEntries = directory.operation() instanceof Operation.OnEntries each
                    ? Optional.of(create(each, directory))
                    : Optional.empty();
            CopyOptionsBuilder chosen = options.toBuilder();
            if (threads > 0) {
                chosen.threads(threads);
            }
            // After a crash of the node an existing name may be an empty file, which these options would leave
            // there.
            if (options.existing() != CopyOptions.Existing.REPLACE) {
                chosen.fsync(true);
            }
            CopyOptions built = chosen.build();
            return new WorkSettings(directory, built, plan.header().umask(), verified, onEntries,
                    RateLimiter.of(built.bandwidth()));
        } catch (IllegalArgumentException e) {
            throw new TransferException("the plan in " + directory.plan() + " cannot be carried out: " + e.getMessage()
                    + "; use the program that created it, or plan again", e);
        }
    }

    private static EntryOperation create(Operation.OnEntries operation, TransferDirectory directory)
            throws IOException {
        try {
            return operation.create();
        } catch (UnknownOperationException e) {
            List<Path> jars = TransferRequest.find(directory).map(TransferRequest::jars).orElse(List.of());
            throw new TransferException(directory.id() + ": " + e.getMessage() + "; its request lists "
                    + (jars.isEmpty()
                            ? "no jar"
                            : jars.stream().map(Path::toString).collect(Collectors.joining(" and ")))
                    + ": begin a new transfer with a jar that provides this version, or start this program with it on the "
                    + "class path; nothing was changed", e);
        }
    }
}
