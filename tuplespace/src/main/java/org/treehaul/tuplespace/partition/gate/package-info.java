// SPDX-License-Identifier: Apache-2.0
/**
 * The exclusive section over all partitions of a space, and the delivery of their changes.
 * <p>
 * In: changes of the partitions, and work on them. Out: the calls of the listener of the whole, one after another.
 */
@Internal
@NullMarked
package org.treehaul.tuplespace.partition.gate;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
