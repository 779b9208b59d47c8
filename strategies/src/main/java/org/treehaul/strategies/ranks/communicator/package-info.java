// SPDX-License-Identifier: Apache-2.0
/**
 * Carries messages between ranks, and counts them.
 *
 * <p>
 * A {@link org.treehaul.strategies.ranks.communicator.Communicator} sends and receives the messages of one rank, as MPI
 * does. This package has the one for ranks that are threads of one process; a
 * {@link org.treehaul.strategies.ranks.communicator.Transport} makes others. It knows nothing of walks.
 */
@Api
@NullMarked
package org.treehaul.strategies.ranks.communicator;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
