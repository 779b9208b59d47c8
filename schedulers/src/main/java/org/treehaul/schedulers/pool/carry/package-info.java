// SPDX-License-Identifier: Apache-2.0
/**
 * The part of a pool's worker that opens the files of a transfer: it checks the transfer, carries out its batches and
 * finishes it, in this process. It does not use the space of the pool.
 * <p>
 * Input: the id and the generation of a transfer, and the state directory of its user. Output: the journals of the
 * transfer's directory. {@link OwnCarriers} is the entry point.
 */
@Internal
@NullMarked
package org.treehaul.schedulers.pool.carry;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
