// SPDX-License-Identifier: Apache-2.0
/**
 * How entries become batches, and how ranks share work while they run.
 * <p>
 * Comes in: sizes and directories of the entries of a walk, as ordinals, and the number of batches asked for; for
 * ranks, the frontier of a walk and a communicator. Goes out: a batch for each ordinal, with the bounds that a strategy
 * promises on the files and bytes of a batch; for ranks, parts of the frontier that move between them.
 * <p>
 * Strategies do not read file systems, start jobs or write plans: {@code org.treehaul.core} and
 * {@code org.treehaul.schedulers} do. This package may use core only.
 */
@NullMarked
package org.treehaul.strategies;

import org.jspecify.annotations.NullMarked;
