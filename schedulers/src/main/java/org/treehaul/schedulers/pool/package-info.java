// SPDX-License-Identifier: Apache-2.0
/**
 * A pool of workers, which carry out batches of any transfers: the tuples by which transfers offer batches, and the
 * scheduler that writes them.
 * <p>
 * Input: a {@link org.treehaul.schedulers.JobRequest} for workers. Output: offers in a tuple space. The directory of
 * the transfer remains the only record of what is done: an offer that is lost or taken twice does no harm.
 */
@Internal
@NullMarked
package org.treehaul.schedulers.pool;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
