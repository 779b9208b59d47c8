// SPDX-License-Identifier: Apache-2.0
/**
 * The store in memory.
 * <p>
 * Implements {@code tuplespace.store}. Tuples go in and out as copies, so that a later change of an array by a caller
 * has no effect.
 */
@Internal
@NullMarked
package org.treehaul.tuplespace.memory;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
