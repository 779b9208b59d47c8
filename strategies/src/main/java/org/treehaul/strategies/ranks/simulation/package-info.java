// SPDX-License-Identifier: Apache-2.0
/**
 * Simulates ranks that share a walk: predicts a walk of 10<sup>8</sup> entries by 10<sup>4</sup> ranks.
 *
 * <p>
 * In: the shape of a tree, the costs of calls and messages, a distribution. Out: time, messages, bytes and balance. The
 * state machines are those of a real walk; only the tree, the clock and the network are simulated. The same seed gives
 * the same result.
 */
@Internal
@NullMarked
package org.treehaul.strategies.ranks.simulation;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
