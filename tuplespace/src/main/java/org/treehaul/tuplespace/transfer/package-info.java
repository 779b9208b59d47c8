// SPDX-License-Identifier: Apache-2.0
/**
 * Transfers as tuples: their batches, attempts and failures, which queries join with the index of files.
 * <p>
 * In: the state directory of a transfer, which remains authoritative. Out: tuples that say the same, and rows that meet
 * conditions.
 */
@Api
@NullMarked
package org.treehaul.tuplespace.transfer;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
