// SPDX-License-Identifier: Apache-2.0
/**
 * Listings of directories as the records of getdents64(2): read from the kernel, or written for entries that a
 * selection names.
 *
 * <p>
 * In: an open directory, or names. Out: bytes in one format, so that the walk handles both in the same way.
 */
@Internal
@NullMarked
package org.treehaul.core.walk.listing;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
