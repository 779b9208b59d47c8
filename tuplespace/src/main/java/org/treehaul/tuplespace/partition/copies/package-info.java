// SPDX-License-Identifier: Apache-2.0
/**
 * The copies that a split of a partition has made, in bounded memory.
 * <p>
 * In: numbers of tuples in the old and the new store. Out: the same, sorted, and those that a pass over the old store
 * has not seen.
 */
@Internal
@NullMarked
package org.treehaul.tuplespace.partition.copies;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
