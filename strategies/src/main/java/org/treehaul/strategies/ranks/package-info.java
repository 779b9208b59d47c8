// SPDX-License-Identifier: Apache-2.0
/**
 * Shares the work of a walk among ranks while it runs.
 *
 * <p>
 * A {@link org.treehaul.strategies.ranks.Distribution} makes a
 * {@link org.treehaul.strategies.ranks.DistributionProtocol} for each rank: a state machine that takes and sends
 * messages and never waits, so that the same code runs on threads, on MPJ Express and in the simulation. A
 * {@link org.treehaul.strategies.ranks.communicator.Communicator} carries the messages. A
 * {@link org.treehaul.strategies.ranks.RankWalk} walks trees with them.
 *
 * <p>
 * In: the frontier of a walk as a {@link org.treehaul.strategies.ranks.WorkPool}. Out: parts of it, as messages.
 */
@Internal
@NullMarked
package org.treehaul.strategies.ranks;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
