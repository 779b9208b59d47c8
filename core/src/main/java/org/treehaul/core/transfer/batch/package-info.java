// SPDX-License-Identifier: Apache-2.0
/**
 * Batches: a worker claims one by creating the journal of an attempt, checks the mounts, and works on its entries.
 */
@Internal
@NullMarked
package org.treehaul.core.transfer.batch;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
