// SPDX-License-Identifier: Apache-2.0
/**
 * Strategies, which divide entries into batches; subpackages distribute work among ranks at run time.
 *
 * <p>
 * In: sizes and directories of the entries of a walk, as ordinals, and the number of batches requested; for ranks, the
 * frontier of a walk and a communicator. Out: a batch for each ordinal, with the bounds on files and bytes of a batch
 * that a strategy guarantees; for ranks, parts of the frontier that move between them.
 *
 * <p>
 * Strategies do not read file systems, start jobs or write plans: {@code org.treehaul.core} and {@code
 * org.treehaul.schedulers} do. This package may use only core.
 */
@Api
@NullMarked
package org.treehaul.strategies;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
