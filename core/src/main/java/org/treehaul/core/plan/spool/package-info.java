// SPDX-License-Identifier: Apache-2.0
/**
 * Entries on their way into a plan, sorted on disk in bounded memory.
 *
 * <p>
 * In: entries in the order of the walk. Out: the same in the order of their keys, large files cut into chunks.
 * {@link org.treehaul.core.plan.spool.ExternalSort} also serves other modules; the other classes are public only for
 * the planner.
 */
@Internal
@NullMarked
package org.treehaul.core.plan.spool;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
