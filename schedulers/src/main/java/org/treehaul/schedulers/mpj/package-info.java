// SPDX-License-Identifier: Apache-2.0
/**
 * Carries messages between ranks through MPJ Express, which is found at run time: in one process, and between processes
 * on several nodes.
 *
 * <p>
 * In: the meeting point of the ranks of a group, and which of them this process is. Out: a
 * {@link org.treehaul.strategies.ranks.communicator.Transport}. MPJ Express only carries frames. This package adds what
 * it lacks: a rendezvous that admits no stranger, credits so that no rank is flooded, and a lifeline that informs every
 * rank which one is gone.
 */
@Api
@NullMarked
package org.treehaul.schedulers.mpj;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
