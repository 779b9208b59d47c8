// SPDX-License-Identifier: Apache-2.0
/**
 * Micro-checkpointing (Yang, PXFS 3.3.4): the parts of a program submit their states to a space independently.
 * <p>
 * In: states of parts, each for a generation. Out: a snapshot of each generation for which all parts have submitted
 * and, at a restart, the states of the last one. No part waits for another.
 */
@Api
@NullMarked
package org.treehaul.tuplespace.checkpoint;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
