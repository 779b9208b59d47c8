// SPDX-License-Identifier: Apache-2.0
/**
 * Collective reads and writes of strided data by ranks, in two phases, as MPI-IO has them.
 *
 * <p>
 * In: a shared file as a {@link org.treehaul.strategies.collective.CollectiveFile}, and from each rank a
 * {@link org.treehaul.strategies.collective.FileView}, the bytes that it wants or has. Out: the data, moved by few
 * large requests. {@link org.treehaul.strategies.collective.CollectiveRanks} connects the ranks over any
 * {@link org.treehaul.strategies.ranks.communicator.Communicator}.
 */
@Api
@NullMarked
package org.treehaul.strategies.collective;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
