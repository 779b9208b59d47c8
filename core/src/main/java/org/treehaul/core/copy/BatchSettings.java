// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import org.jspecify.annotations.Nullable;

/**
 * What is different where a copy is a part of a transfer.
 *
 * @param temporaries names of the transfer's temporaries
 * @param umask of the one who asked for the transfer, or null for that of this process
 * @param syncPoints the file systems copied to
 * @param ledger told of each entry, or null where entries are not copied one by one
 * @param limiter shared with other parts of the transfer, or null for one of its own
 * @param isWhole whether whole trees are copied, with the metadata of their directories
 */
record BatchSettings(TemporaryNames temporaries, @Nullable Integer umask, SyncPoints syncPoints,
        @Nullable BatchLedger ledger, @Nullable RateLimiter limiter, boolean isWhole) {}
