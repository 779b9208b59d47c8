// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.context;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.links.HardLinks;
import org.treehaul.core.copy.outcome.BatchLedger;
import org.treehaul.core.copy.outcome.CompletedEntries;
import org.treehaul.core.copy.target.SyncPoints;
import org.treehaul.core.copy.target.TemporaryNames;
import org.treehaul.core.event.RateLimiter;

/**
 * Additional settings of a copy that is a part of a transfer.
 *
 * @param temporaries names of the transfer's temporary files
 * @param umask umask of the user who requested the transfer, or null for the umask of this process
 * @param syncPoints the file systems copied to
 * @param ledger receives the outcome of each entry, or null if entries are not copied one by one
 * @param limiter shared with other parts of the transfer, or null for a separate one
 * @param isWhole whether whole trees are copied, with the metadata of their directories
 * @param hardLinks the groups of hard links, which may have copies already
 * @param completed receives the entries that are complete, of a move, which removes their sources; null for a copy
 */
public record BatchSettings(TemporaryNames temporaries, @Nullable Integer umask, SyncPoints syncPoints,
        @Nullable BatchLedger ledger, @Nullable RateLimiter limiter, boolean isWhole, HardLinks hardLinks,
        @Nullable CompletedEntries completed) {

    /** Creates settings of a batch, without earlier copies of hard links. */
    public BatchSettings(TemporaryNames temporaries, @Nullable Integer umask, SyncPoints syncPoints,
            @Nullable BatchLedger ledger, @Nullable RateLimiter limiter, boolean isWhole) {
        this(temporaries, umask, syncPoints, ledger, limiter, isWhole, new HardLinks(), null);
    }
}
