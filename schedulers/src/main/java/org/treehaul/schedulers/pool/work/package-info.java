// SPDX-License-Identifier: Apache-2.0
/**
 * The workers of a pool: each takes batches of any transfers that it may carry out, one group after another, and has
 * them carried out as the jobs of these transfers would: by this process for its own user, and by processes of their
 * users for others.
 * <p>
 * Input: the space of a {@link org.treehaul.schedulers.pool.Pool}. Output: the journals of the transfers' directories.
 * {@link PoolWorker} is the entry point.
 */
@Internal
@NullMarked
package org.treehaul.schedulers.pool.work;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
