// SPDX-License-Identifier: Apache-2.0
/**
 * The part of two trees that a comparison with conditions covers.
 *
 * <p>
 * In: conditions, and the entries that the comparison finds. Out: whether the entry on either side meets the
 * conditions; the entries that meet them below directories that only one tree has.
 */
@Internal
@NullMarked
package org.treehaul.core.compare.select;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
