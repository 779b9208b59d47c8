// SPDX-License-Identifier: Apache-2.0
/**
 * The work of a walk that waits: the stacks of the workers, the permits under which ranks share the work, and the
 * number of workers that may take it.
 *
 * <p>
 * In: units of work of any type. Out: the next unit for a worker, or for another rank. A simulation uses the same
 * classes with units of its own.
 */
@Internal
@NullMarked
package org.treehaul.core.walk.frontier;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
