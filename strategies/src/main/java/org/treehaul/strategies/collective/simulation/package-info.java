// SPDX-License-Identifier: Apache-2.0
/**
 * Simulates applications that read or write collectively at shared storage servers (Liu, Zhuang and Chen, Hierarchical
 * Collective I/O Scheduling, 5 and 8).
 *
 * <p>
 * In: for each application its collective accesses, as the times that servers and the shuffle take. Out: when each
 * access ends. The servers order their requests by {@link org.treehaul.strategies.collective.order.RequestQueue}, the
 * code that orders real requests.
 */
@Internal
@NullMarked
package org.treehaul.strategies.collective.simulation;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
