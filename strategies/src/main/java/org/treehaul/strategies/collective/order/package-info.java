// SPDX-License-Identifier: Apache-2.0
/**
 * Orders of the requests that wait at a storage server, as in Liu, Zhuang and Chen, Hierarchical Collective I/O
 * Scheduling for High-Performance Computing.
 *
 * <p>
 * In: {@link org.treehaul.strategies.collective.order.CollectiveRequest}s as they arrive, each with the hint that its
 * client computed from a {@link org.treehaul.strategies.collective.order.ShuffleModel}. Out: the request to serve next.
 * A {@link org.treehaul.strategies.collective.order.RequestQueue} divides the requests into windows, and a
 * {@link org.treehaul.strategies.collective.order.RequestOrder} sorts each window. Nothing here reads a clock, starts a
 * thread or waits, so that a server and a simulation use the same code.
 */
@Internal
@NullMarked
package org.treehaul.strategies.collective.order;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
