// SPDX-License-Identifier: Apache-2.0
/**
 * Micro check-pointing (Yang, PXFS 3.3.4): the parts of a program submit their states to a space, each when it likes.
 * <p>
 * Comes in: states of parts, each of a generation. Goes out: a snapshot for each generation of which all parts have
 * submitted, and at a restart the states of the last such one. No part waits for another.
 */
@NullMarked
package org.treehaul.tuplespace.checkpoint;

import org.jspecify.annotations.NullMarked;
