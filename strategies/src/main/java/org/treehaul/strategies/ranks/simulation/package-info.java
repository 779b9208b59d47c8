// SPDX-License-Identifier: Apache-2.0
/**
 * Ranks that share a walk in simulated time: what a walk of 10<sup>8</sup> entries by 10<sup>4</sup> ranks would take.
 *
 * <p>
 * In: the shape of a tree, what calls and messages cost, a distribution. Out: time, messages, bytes and balance. The
 * state machines are those of a real walk; only the tree, the clock and the network are not real. The same seed gives
 * the same result.
 */
@NullMarked
package org.treehaul.strategies.ranks.simulation;

import org.jspecify.annotations.NullMarked;
