// SPDX-License-Identifier: Apache-2.0
/**
 * Parallel files that ranks read and write collectively.
 *
 * <p>
 * In: a {@link org.treehaul.schedulers.stage.ParallelFile}. Out: a
 * {@link org.treehaul.strategies.collective.CollectiveFile}.
 */
@Api
@NullMarked
package org.treehaul.schedulers.stage.collective;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
