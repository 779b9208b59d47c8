// SPDX-License-Identifier: Apache-2.0
/**
 * Counts and reports the outcome of each entry, for the whole copy and for the ledger of a batch.
 */
@Internal
@NullMarked
package org.treehaul.core.copy.outcome;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
